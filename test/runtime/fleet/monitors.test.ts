// own process: it takes long
import t from 'tap'
import type { Board } from '#data/board'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { Control } from '#runtime/fleet/control.ts'
import type { Controller } from '#runtime/fleet/controller.ts'
import { FaultSetting } from '#runtime/fleet/fault-setting.ts'
import { Messages } from '#runtime/request/answer.ts'
import { Origins } from '#runtime/request/origin.ts'
import { as, password } from '#test/runtime/service.ts'
import { check, exporter, rolledUp } from './monitors.ts'
import { open } from './open.ts'

const board = sim as unknown as Board
const own = board.chassis['1'] as Board['chassis'][string]
const { memory, processors, storage } = board.systems['1'] as Board['systems'][string]

/**
 * A fault of one controller, and what each monitor says that is ill: the end of a URI, the beginning of a message, or the
 * rollup of the chassis.
 */
interface Row {
  readonly faults: object
  readonly exported: string
  readonly checked: string
}

/** The faults of parts of a kind, each of each part. @param logged what the check finds, which asks for no such parts */
const rows = (
  kind: string,
  names: readonly string[],
  faults: readonly string[],
  found: (name: string) => string,
  logged = found
) =>
  names.flatMap((name) =>
    faults.map((fault): Row => {
      return { faults: { parts: { [`${kind}/${name}`]: fault } }, exported: found(name), checked: logged(name) }
    })
  )

const drives = Object.entries(storage).flatMap(([id, each]) =>
  Object.keys(each.drives).map((drive) => `${id}/${drive}`)
)
const ports = Object.entries(own.pcieDevices).flatMap(([id, each]) =>
  Object.keys(each.ports ?? {}).map((port) => `${id}/${port}`)
)
const cards = Object.keys(own.pcieDevices)
const batteries = Object.keys(own.batteries ?? {})
const bays = own.powerSupplies.map(({ bay }) => String(bay))
const fans = own.fans.map(({ number }) => String(number))

/** Each kind of fault of each part of the simulated machine. */
const all: readonly Row[] = [
  ...rows('drives', drives, ['failed', 'predicted', 'rebuilding'], (name) => `${name.replace('/', '/Drives/')}/`),
  ...rows('controllers', Object.keys(storage), ['failed'], (name) => `${name}/#/StorageControllers/0`),
  ...rows('memory', Object.keys(memory), ['correctable', 'uncorrectable'], (name) => `Memory/${name}/`),
  ...rows('processors', Object.keys(processors), ['failed'], (name) => `Processors/${name}/`),
  ...rows('powerSupplies', bays, ['inputLost', 'failed'], (name) => `PowerSupplies/${bays.indexOf(name)}`),
  ...rows('fans', fans, ['stopped', 'slow'], (name) => `Fans/${fans.indexOf(name)}`),
  ...rows('links', ports, ['down'], (name) => `${name.replace('/', '/Ports/')}/`),
  ...rows(
    'pcieDevices',
    cards,
    ['failed'],
    (name) => `PCIeDevices/${name}/`,
    (name) => `The PCIe device ${name} has failed.`
  ),
  ...rows(
    'batteries',
    batteries,
    ['failed'],
    () => rolledUp,
    (name) => `The battery ${name} has failed.`
  ),
  ...own.temperatures.map(({ number }, at): Row => {
    return { faults: { stuckAt: { [number]: 149 } }, exported: `Temperatures/${at}`, checked: `Temperatures/${at}` }
  }),
  { faults: { ignoreLimit: true }, exported: rolledUp, checked: 'The power of chassis 1 is ' }
]

t.test('monitors find each kind of broken part in a fleet of 100', async (t) => {
  t.equal(all.length, 99)
  const { fleet, ask, sleep } = await open(t, t.testdir(), all.length + 1)
  const setting = new FaultSetting(fleet.database, () => undefined)
  const control = new Control(setting, new Origins(''), new Messages('compact'))
  const headers = { ...as('admin', password), 'content-type': 'application/json' }
  const head = { method: 'PATCH', target: '/redfish/v1/Oem/Vendor/Faults/', headers, address: '127.0.0.1' }
  const reader = (number: number) => async (uri: string) => (await ask(number, 'GET', uri)).json
  const poll = async (number: number) => {
    const { service } = fleet.roster.get(number) as Controller
    for (const sensors of service!.devices.sensors.values()) await sensors.poll()
    await service!.store.commit({})
    await service!.store.commit({})
  }
  const limit = { PowerControl: [{ PowerLimit: { LimitInWatts: 150, CorrectionInMs: 1000 } }] }
  for (const [at, { faults }] of all.entries()) {
    // Opens the controller: an idle one is closed after a while.
    await ask(at + 1, 'GET', '/redfish/v1/')
    const begun = await control.begin(fleet.roster.get(at + 1) as Controller, head)
    if (!('finish' in begun)) return t.fail('the control resource takes a PATCH')
    const body = { Devices: { sensors: { faults } } }
    const { status } = await begun.finish(new TextEncoder().encode(JSON.stringify(body)))
    t.equal(status, 200)
    if ('ignoreLimit' in faults)
      t.equal((await ask(at + 1, 'PATCH', '/redfish/v1/Chassis/1/Power/', limit)).status, 200)
    await poll(at + 1)
  }
  sleep(5)
  const isFound = (found: readonly string[], part: string) =>
    found.some((each) => each.endsWith(part) || each.startsWith(part))
  for (const [at, { faults, exported, checked }] of all.entries()) {
    await poll(at + 1)
    const [one, other] = [await exporter(reader(at + 1)), await check(reader(at + 1))]
    const fault = JSON.stringify(faults)
    t.ok(isFound(one, exported), `${fault}: the exporter finds ${one.join(', ')}`)
    t.ok(isFound(other, checked), `${fault}: the check finds ${other.join(', ')}`)
  }
  await ask(all.length + 1, 'GET', '/redfish/v1/')
  await poll(all.length + 1)
  t.same([await exporter(reader(all.length + 1)), await check(reader(all.length + 1))], [[], []], 'a sound one')
})
