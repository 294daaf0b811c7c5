import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Host, hosts } from '#test/host/hosts.ts'
import { directory, type Server, start } from '#test/host/server.ts'
import { buildApplication, missingApplication } from '#test/ovmf/application.ts'
import { makeDisc, missingDisc } from '#test/ovmf/disc.ts'
import { missingMachine } from '#test/ovmf/machine.ts'
import { type Figure, median } from './figures.ts'
import type { Measurement } from './measurement.ts'

const times = 3
const system = '/redfish/v1/Systems/1/'

/** The operations that are no `ComputerSystem.Reset`. */
const own: Readonly<Record<string, { readonly action: string; readonly body: object }>> = {
  ColdBoot: { action: 'SystemReset', body: { ResetType: 'ColdBoot' } },
  PressAndHold: { action: 'PowerButton', body: { PushType: 'PressAndHold' } }
}

/** Milliseconds from a request to its effect, with a virtual machine that runs only its firmware and a guest. */
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
  measurement.teardown(() => perform(server, 'ForceOff').then(() => until(() => pid(server) === undefined)))
  const insert = '/redfish/v1/Managers/1/VirtualMedia/1/Actions/VirtualMedia.InsertMedia/'
  await server.post(insert, { Image: `file://${disc}` })

  const taken: Record<string, number[]> = {}
  const time = async (what: string, operation: string, effect: () => boolean) => {
    const from = performance.now()
    await perform(server, operation)
    await until(effect)
    const name = `machine: ${operation}, ${what}`
    taken[name] = [...(taken[name] ?? []), performance.now() - from]
  }
  const starts = async (operation: string) => {
    const before = pid(server)
    const what = before === undefined ? 'to its process' : 'to another process'
    await time(what, operation, () => ![undefined, before].includes(pid(server)))
    await ready(server)
  }
  const ends = async (operation: string) => {
    await time('to no process', operation, () => pid(server) === undefined)
    await settled(server, 'Off')
  }
  for (let n = 0; n < times; n++) {
    await starts('On')
    await time('to the guest', 'Nmi', () => serialOutput(server).includes('guest: NMI'))
    for (const operation of ['ForceRestart', 'GracefulRestart', 'ColdBoot']) await starts(operation)
    for (const operation of ['GracefulShutdown', 'PushPowerButton', 'PressAndHold', 'ForceOff']) {
      await ends(operation)
      if (operation !== 'ForceOff') await starts('PushPowerButton')
    }
  }
  return taken
}

async function perform(server: Server, operation: string): Promise<void> {
  // The guest's output at an earlier boot does not count.
  if (operation !== 'Nmi') rmSync(serial(server), { force: true })
  const { action, body } = own[operation] ?? { action: undefined, body: { ResetType: operation } }
  const target = action === undefined ? 'ComputerSystem.Reset' : `Oem/Vendor/VendorComputerSystemExt.${action}`
  await server.post(`${system}Actions/${target}/`, body)
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

function serialOutput(server: Server): string {
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
  await until(() => serialOutput(server).includes('guest: medium'))
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
