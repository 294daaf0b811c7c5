import t from 'tap'
import { type ControllerSummary, changedFaults, faultNames, groupActionSchema } from '#data/fleet'
import { anyFault, counted, faultOf, isWanted, noFilter, offeredFaults, powerOf } from '#runtime/page/rules/fleet.ts'
import { fileFaults } from '#runtime/schema'

const controller = (more: Partial<ControllerSummary> = {}): ControllerSummary => ({
  ...{ number: 1, name: 'bmc-00001', url: 'https://127.20.0.1/', state: 'Open', faults: [] },
  ...more
})

t.test('power is that of all systems, mixed, or not known', async (t) => {
  t.equal(powerOf({ power: { On: 8 } }), 'On')
  t.equal(powerOf({ power: { On: 7, Off: 1 } }), 'Mixed')
  t.equal(powerOf({}), 'Unknown')
})

t.test('a filter wants all of what it says', async (t) => {
  const broken = controller({ health: 'Critical', power: { On: 7, Off: 1 }, faults: ['power.stuckOn'] })
  t.ok(isWanted(broken, noFilter))
  t.ok(isWanted(broken, { state: 'Open', health: 'Critical', power: 'Off', fault: 'power.stuckOn' }))
  t.ok(isWanted(broken, { ...noFilter, power: 'Mixed' }))
  t.ok(isWanted(broken, { ...noFilter, fault: anyFault }))
  for (const wrong of [{ state: 'Closed' }, { health: 'OK' }, { power: 'PoweringOn' }, { fault: 'power.slow' }])
    t.notOk(isWanted(broken, { ...noFilter, ...wrong }), JSON.stringify(wrong))
  t.notOk(isWanted(controller(), { ...noFilter, fault: anyFault }))
  t.ok(isWanted(controller(), { ...noFilter, health: 'Unknown', power: 'Unknown' }))
})

t.test('values are counted, those of a list one by one', async (t) => {
  const rows = [controller({ faults: ['a', 'b'] }), controller({ faults: ['b'] }), controller()]
  t.same(
    [...counted(rows, ({ faults }) => faults)],
    [
      ['a', 1],
      ['b', 2]
    ]
  )
})

t.test('each fault that the page offers is put on under its name, and off by it', async (t) => {
  for (const { name, number } of offeredFaults) {
    const addFaults = faultOf({ name, number: number?.value ?? Number.NaN, path: '', share: 100 })
    t.same(fileFaults(groupActionSchema, { controllers: [1], addFaults }, '.'), [], name)
    const on = changedFaults({ Rules: [], Devices: {} }, { addFaults })
    t.same(faultNames(on.Rules, on.Devices), [name])
    const off = changedFaults(on, { removeFaults: [name] })
    t.same(faultNames(off.Rules, off.Devices), [])
  }
})

t.test('a fault may be of some requests', async (t) => {
  const form = { name: 'requests.hangUp', number: 50, path: '/redfish/v1/Systems*', share: 2 }
  t.same(faultOf(form), { rules: [{ path: '/redfish/v1/Systems*', share: 0.02, hangUp: 0.5 }] })
})
