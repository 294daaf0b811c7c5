import { randomBytes } from 'node:crypto'
import { hex } from '#runtime/base/bytes.ts'
import { makeDirectory } from '#runtime/base/files.ts'
import { opening } from '#runtime/base/opening.ts'
import type { Event } from '#runtime/contract'
import { MachineUsers } from '#runtime/service/accounts/machine-users.ts'
import { attachAuthorities } from '#runtime/service/certificates/authorities.ts'
import { DumpLogs } from '#runtime/service/dumps/dumps.ts'
import { FirmwareVariables } from '#runtime/service/firmware/firmware-variables.ts'
import { MachineBios } from '#runtime/service/firmware/machine-bios.ts'
import { keepPostCodes } from '#runtime/service/firmware/post-codes.ts'
import { attachThresholds } from '#runtime/service/health/held-thresholds.ts'
import { openDevices, startsPrograms } from '#runtime/service/machine/devices.ts'
import { EventLogs } from '#runtime/service/machine/event-log.ts'
import { Hardware } from '#runtime/service/machine/machine.ts'
import { attachStates } from '#runtime/service/machine/states.ts'
import { Drives } from '#runtime/service/media/drives.ts'
import { HttpsPort } from '#runtime/service/network/https-port.ts'
import { Lldp } from '#runtime/service/network/lldp.ts'
import { Network } from '#runtime/service/network/network.ts'
import { BootHold } from '#runtime/service/power/boot-hold.ts'
import { retryBoots } from '#runtime/service/power/boot-retry.ts'
import { BootStop } from '#runtime/service/power/boot-stop.ts'
import { PowerOnDelay } from '#runtime/service/power/power-on-delay.ts'
import { PowerRestore } from '#runtime/service/power/restore.ts'
import { Erasures } from '#runtime/service/tasks/erasures.ts'
import { rebuildVolumes } from '#runtime/service/tasks/rebuilds.ts'
import { Tasks } from '#runtime/service/tasks/tasks.ts'
import { Updates } from '#runtime/service/updates/updates.ts'
import { Uploads } from '#runtime/service/updates/uploads.ts'
import { watchHosts } from '#runtime/service/watchdog/watchdog.ts'
import type { OpenAccess } from './access.ts'
import type { PlacedOptions } from './options.ts'
import type { OpenState } from './state.ts'

export type OpenHardware = Awaited<ReturnType<typeof openHardware>>

/** Milliseconds after which the POST codes of a boot are written for the first time. */
const postCodesEvery = 2000

/** The devices of the board, and what is done to hosts and drives: what the last process left under way goes on. */
export function openHardware(options: PlacedOptions, state: OpenState, { accounts, grants }: OpenAccess) {
  const { configuration, backends, clock, place } = options
  const { store, board, events, routes } = state
  const { now } = clock
  return opening(async (keep) => {
    const directory = `${configuration.data}/machine`
    if (place.keeper === undefined || startsPrograms(board, backends)) makeDirectory(directory)
    const hold = new BootHold()
    const devices = openDevices(board, backends, { ...place, directory }, store, hold, keep)
    const bios = devices.bios.size === 0 ? undefined : keep(new MachineBios(store, events, board, devices.bios, now))
    const documents = bios?.documents(options.documents) ?? options.documents
    const hardware = new Hardware(board, devices, store, documents)
    if (devices.users !== undefined) accounts.delegate(keep(new MachineUsers(store, events, devices.users)))
    if (devices.certificates !== undefined)
      keep(attachAuthorities(store, events, Object.keys(board.managers), devices.certificates))
    for (const each of attachStates(store, events, devices)) keep(each)
    if (devices.eventLogs.size > 0) keep(new EventLogs(store, events, devices.eventLogs))
    keep(attachThresholds(store, events, board, devices))
    events.watch(devices)
    keep(keepPostCodes(store, events, devices, clock, postCodesEvery))
    keep(watchHosts(store, hardware, devices, events, configuration.watchdogWarning))
    keep(retryBoots(store, hardware, devices, events, configuration.bootRetryTime))
    const tasks = new Tasks(store, events, now)
    // Also where a board that had some has left tasks behind.
    const hasDumps = devices.dumps.size > 0 || store.keys('dumpCollection').length > 0
    const dumps = hasDumps ? keep(new DumpLogs(store, events, tasks, devices.dumps)) : undefined
    const erasures = keep(new Erasures(store, hardware, tasks, configuration.eraseTime * 1000, now, devices.drives))
    const random = (bytes: number) => hex(randomBytes(bytes))
    rebuildVolumes({ store, board, events, tasks: configuration.limits.tasks, now, random })
    const takesFiles = [...devices.firmware.values()].some(({ state }) => state.takesFiles)
    const uploads = new Uploads(configuration.updates, board, takesFiles, configuration.data, random)
    const exclusively = (system: string, work: () => Promise<void>) => firmware.exclusively(system, work)
    const resetVariables = (system: string) => firmware.resetVariables(system)
    const hosts = { exclusively, resetVariables }
    const holdGrant: ConstructorParameters<typeof Updates>[0]['hold'] = (author, also, end) =>
      grants.hold({ found: routes.find(author.uri), method: 'POST', caller: { ...author, address: '' }, also, end })
    const parts = { store, machine: hardware, devices, tasks, uploads, configuration, now, ...hosts }
    const updates = new Updates({ ...parts, hold: holdGrant })
    const stop = new BootStop(store, board, devices, events)
    const delay = keep(new PowerOnDelay(store, devices))
    const firmware = keep(new FirmwareVariables(store, hardware, devices, events, now))
    // Closed before the variables, which wait for the write of a BIOS to end.
    keep(updates)
    keep(hold)
    const lossTime = configuration.powerLossTime * 1000
    const restore = keep(new PowerRestore(store, hardware, devices, events, lossTime))
    const network = keep(new Network({ store, board, ports: devices.ports, events }))
    const lldp = keep(new Lldp(store, board, devices.ports))
    const httpsPort = keep(new HttpsPort({ store, board, events, file: configuration.portFile }))
    const tell = (...told: readonly Event[]) => events.emit(...told)
    const drives = keep(new Drives(store, devices.media, configuration.media, `${configuration.data}/media`, tell))
    await drives.open()
    await dumps?.open()
    await erasures.open()
    await firmware.open()
    await updates.open()
    await network.open()
    await restore.open()
    hold.open(
      (system) => delay.over(system),
      (system) => erasures.finished(system),
      (system) => updates.beforeBoot(system),
      (system) => firmware.beforeBoot(system),
      (system) => stop.over(system)
    )
    return { devices, documents, hardware, bios, drives, dumps, tasks, uploads, updates, network, lldp, httpsPort }
  })
}
