import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Host, hosts } from '../test/host/hosts.ts'
import { directory, type Server, start } from '../test/host/server.ts'
import { buildApplication, missingApplication } from '../test/ovmf/application.ts'
import { makeDisc, missingDisc } from '../test/ovmf/disc.ts'
import { missingMachine } from '../test/ovmf/machine.ts'
import { type Figure, median } from './figures.ts'
import type { Measurement } from './measurement.ts'

const times = 5
const system = '/redfish/v1/Systems/1/'

/** Milliseconds from a request to what it is for, with a virtual machine that runs nothing but its firmware and a guest. */
export async function* machine(measurement: Measurement): AsyncGenerator<Figure> {
  const missing = missingMachine ?? missingApplication ?? missingDisc
  if (missing) throw new Error(missing)
  for (const host of hosts.slice(0, 2)) {
    if (host.missing) continue
    const taken = await measure(measurement, host)
    for (const [name, values] of Object.entries(taken)) {
      yield { name: `${name}, ${host.name}`, value: median(values), unit: 'ms' }
    }
  }
}

async function measure(measurement: Measurement, host: Host): Promise<Record<string, number[]>> {
  const files = directory(measurement)
  const guest = buildApplication(files, 'guest', ['-DSETTINGS_GUID={0}'])
  const disc = makeDisc(join(files, 'guest.iso'), guest, 'GUEST')
  const board = JSON.parse(readFileSync('data/boards/qemu.json', 'utf8'))
  board.systems['1'].power.offTime = 0
  const file = join(files, 'board.json')
  writeFileSync(file, JSON.stringify(board))
  const configuration = { media: { directory: files } }
  const server = await start(measurement, host, { args: ['--board', file], configuration })
  measurement.teardown(() => reset(server, 'ForceOff').then(() => until(() => pid(server) === undefined)))
  const insert = '/redfish/v1/Managers/1/VirtualMedia/1/Actions/VirtualMedia.InsertMedia/'
  await server.post(insert, { Image: `file://${disc}` })

  const taken: Record<string, number[]> = {}
  const time = async (name: string, type: string, effect: () => boolean) => {
    const from = performance.now()
    await reset(server, type)
    await until(effect)
    taken[name] = [...(taken[name] ?? []), performance.now() - from]
  }
  for (let n = 0; n < times; n++) {
    await time('machine: On, to its process', 'On', () => pid(server) !== undefined)
    await ready(server)
    await time('machine: Nmi, to the guest', 'Nmi', () => said(server).includes('guest: NMI'))
    const before = pid(server)
    await time('machine: ForceRestart, to another process', 'ForceRestart', () => {
      const now = pid(server)
      return now !== undefined && now !== before
    })
    await ready(server)
    await time('machine: GracefulShutdown, to no process', 'GracefulShutdown', () => pid(server) === undefined)
    await settled(server, 'Off')
    await reset(server, 'On')
    await ready(server)
    await time('machine: ForceOff, to no process', 'ForceOff', () => pid(server) === undefined)
    await settled(server, 'Off')
  }
  return taken
}

async function reset(server: Server, ResetType: string): Promise<void> {
  // What the guest said at an earlier boot is not looked at.
  if (['On', 'ForceRestart'].includes(ResetType)) rmSync(serial(server), { force: true })
  await server.post(`${system}Actions/ComputerSystem.Reset/`, { ResetType })
}

/** The process of QEMU, while it is one: it takes its file with it when it ends. */
function pid(server: Server): number | undefined {
  try {
    const found = Number(readFileSync(join(server.data, 'machine/vm-1.pid'), 'utf8'))
    return readFileSync(`/proc/${found}/cmdline`, 'utf8') === '' ? undefined : found
  } catch {
    return undefined
  }
}

function said(server: Server): string {
  try {
    return readFileSync(serial(server), 'latin1')
  } catch {
    return ''
  }
}

const serial = (server: Server) => join(server.data, 'machine/vm-1.serial.log')

/** The guest runs, and Redfish knows. */
async function ready(server: Server): Promise<void> {
  await settled(server, 'On')
  await until(() => said(server).includes('guest: medium'))
}

async function settled(server: Server, state: string): Promise<void> {
  await server.until(
    () => server.get(system),
    ({ json }) => json.PowerState === state
  )
}

/** Looks each millisecond, a minute at most. */
async function until(holds: () => boolean): Promise<void> {
  const from = performance.now()
  while (!holds()) {
    if (performance.now() - from > 60_000) throw new Error('it did not come about')
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
}
