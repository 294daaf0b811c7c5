import t from 'tap'
import { Control } from '#runtime/fleet/control.ts'
import type { Controller } from '#runtime/fleet/controller.ts'
import { Messages } from '#runtime/request/answer.ts'
import { Origins } from '#runtime/request/origin.ts'
import { as, password } from '#test/runtime/service.ts'
import { check, exporter } from './monitors.ts'
import { open } from './open.ts'

/** A fault of each kind, and what the monitors say that is ill. The exporter asks for no cards, batteries and volumes. */
const faults = [
  ['drives/slot3/1', 'failed', /Drives\/1\/$/, /Volumes\/1\/$/],
  ['drives/slot3/1', 'predicted', /Drives\/1\/$/, /Drives\/1\/$/],
  ['drives/slot3/1', 'rebuilding', /Drives\/1\/$/, /Volumes\/1\/$/],
  ['controllers/slot3', 'failed', /StorageControllers\/0$/, /StorageControllers\/0$/],
  ['memory/proc1dimm1', 'correctable', /Memory\/proc1dimm1\/$/, /Memory\/proc1dimm1\/$/],
  ['memory/proc2dimm8', 'uncorrectable', /Memory\/proc2dimm8\/$/, /Memory\/proc2dimm8\/$/],
  ['processors/2', 'failed', /Processors\/2\/$/, /Processors\/2\/$/],
  ['powerSupplies/1', 'inputLost', /PowerSupplies\/0$/, /PowerSupplies\/0$/],
  ['powerSupplies/2', 'failed', /PowerSupplies\/1$/, /PowerSupplies\/1$/],
  ['fans/21', 'stopped', /Fans\/0$/, /Fans\/0$/],
  ['fans/22', 'slow', /Fans\/1$/, /Fans\/1$/],
  ['links/nic-1/1', 'down', /nic-1\/Ports\/1\/$/, /nic-1\/Ports\/1\/$/],
  ['pcieDevices/hba-1', 'failed', undefined, /^The PCIe device hba-1 has failed\.$/],
  ['batteries/1', 'failed', undefined, /^The battery 1 has failed\.$/]
] as const

t.test('each kind of broken part in a fleet is found by what monitors ask for', async (t) => {
  const { fleet, ask, sleep } = await open(t, t.testdir(), faults.length + 1)
  const control = new Control(fleet.database, new Origins(''), new Messages('compact'), () => undefined)
  const headers = { ...as('admin', password), 'content-type': 'application/json' }
  const head = { method: 'PATCH', target: '/redfish/v1/Oem/Vendor/Faults/', headers, address: '127.0.0.1' }
  const reader = (number: number) => async (uri: string) => (await ask(number, 'GET', uri)).json
  const poll = async (number: number) => {
    const { service } = fleet.roster.get(number) as Controller
    for (const sensors of service!.devices.sensors.values()) await sensors.poll()
    await service!.store.commit({})
    await service!.store.commit({})
  }
  for (const [at, [part, fault]] of faults.entries()) {
    const begun = await control.begin(fleet.roster.get(at + 1) as Controller, head)
    if (!('finish' in begun)) return t.fail('the control resource takes a PATCH')
    const body = { Devices: { sensors: { faults: { parts: { [part]: fault } } } } }
    const { status } = await begun.finish(new TextEncoder().encode(JSON.stringify(body)))
    t.equal(status, 200)
    await poll(at + 1)
  }
  sleep(5)
  for (const [at, [part, fault, exported, checked]] of faults.entries()) {
    await poll(at + 1)
    const [one, other] = [await exporter(reader(at + 1)), await check(reader(at + 1))]
    if (exported === undefined) t.same(one, [], `${part} ${fault}: the exporter does not ask`)
    else t.match(one.join('\n'), new RegExp(exported, 'm'), `${part} ${fault}: the exporter`)
    t.match(other.join('\n'), new RegExp(checked, 'm'), `${part} ${fault}: the check`)
  }
  await ask(faults.length + 1, 'GET', '/redfish/v1/')
  await poll(faults.length + 1)
  t.same([await exporter(reader(faults.length + 1)), await check(reader(faults.length + 1))], [[], []], 'a sound one')
})
