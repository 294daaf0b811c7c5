import { mkdirSync } from 'node:fs'
import { opening } from '#hal/opening.ts'
import { Firmware } from '#runtime/service/firmware/firmware.ts'
import { openDevices } from '#runtime/service/machine/devices.ts'
import { Hardware } from '#runtime/service/machine/machine.ts'
import { Drives } from '#runtime/service/media/drives.ts'
import { Tasks } from '#runtime/service/tasks/tasks.ts'
import type { OpenState } from './open-state.ts'
import type { ServiceParts } from './parts.ts'

export type OpenMachine = Awaited<ReturnType<typeof openMachine>>

/** The devices of the board, and what is done to hosts and drives: what the last process left under way goes on. */
export function openMachine({ configuration, documents, backends, now }: ServiceParts, state: OpenState) {
  const { store, board, events } = state
  return opening(async (keep) => {
    const directory = `${configuration.data}/machine`
    mkdirSync(directory, { recursive: true })
    const devices = openDevices(board, backends, directory, keep)
    const hardware = new Hardware(board, devices, store.revisions, documents)
    events.watch(devices)
    const tasks = keep(new Tasks(store, hardware, events, configuration.eraseTime * 1000, now))
    // Nothing is awaited up to here: the firmware takes hold of the hosts before a boot goes on.
    const firmware = keep(new Firmware(store, hardware, devices, events, now, (system) => tasks.finished(system)))
    const drives = keep(new Drives(store, devices.media, configuration.media, `${configuration.data}/media`))
    await drives.open()
    tasks.open()
    await firmware.open()
    return { devices, hardware, drives }
  })
}
