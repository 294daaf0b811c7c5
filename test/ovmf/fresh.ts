import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Test } from 'tap'
import type { Host } from '#test/host/hosts.ts'
import { directory, type Json, type Server, start } from '#test/host/server.ts'
import { inLog } from './machine.ts'

const system = '/redfish/v1/Systems/1/'
const reset = `${system}Actions/ComputerSystem.Reset/`
const log = (server: Server) => join(server.data, 'machine/vm-1.serial.log')

/** Has a virtual machine boot, until this stands on its serial port: a minute at most. */
export async function boots(server: Server, type: string, words: RegExp): Promise<void> {
  rmSync(log(server), { force: true })
  await server.post(reset, { ResetType: type })
  for (let tries = 0; tries < 600 && !inLog(words).test(serialOutput(server)); tries++) await pause(100)
  if (!inLog(words).test(serialOutput(server)))
    throw new Error(`never said ${words}: ${serialOutput(server).slice(-1500)}`)
}

/** Its output since then. */
export function serialOutput(server: Server): string {
  try {
    return readFileSync(log(server), 'latin1')
  } catch {
    return ''
  }
}

/** A virtual machine behind a service of its own, which goes off with the test. */
export async function fresh(t: Test, host: Host, configuration: Json = {}): Promise<Server> {
  const server = await start(t, host, { data: directory(t), args: ['--board', 'qemu'], configuration })
  t.teardown(() => off(server))
  return server
}

export async function off(server: Server): Promise<void> {
  await server.post(reset, { ResetType: 'ForceOff' })
  await server.until(
    () => server.get(system),
    ({ json }) => json.PowerState === 'Off'
  )
}
