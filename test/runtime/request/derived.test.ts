import t from 'tap'
import { openFixture } from '#test/runtime/service.ts'

t.test('the runtime fills in the members that follow from the schema of a resource', async (t) => {
  const { ask, close } = await openFixture()
  t.teardown(close)
  const uri = '/redfish/v1/Systems/1'
  const { json } = await ask('GET', `${uri}/`)
  t.equal(json.Actions['#ComputerSystem.Reset'].target, `${uri}/Actions/ComputerSystem.Reset/`)
  t.equal(json.Oem.Vendor['@odata.type'], '#VendorComputerSystemExt.v2_0_0.VendorComputerSystemExt')
  const button = 'VendorComputerSystemExt.PowerButton'
  t.equal(json.Oem.Vendor.Actions[`#${button}`].target, `${uri}/Actions/Oem/Vendor/${button}/`)
  t.same(
    json.MemorySummary.Status,
    { State: 'Enabled', Health: 'OK', HealthRollup: 'OK' },
    'also in an object that has a status'
  )
  const apply = (await ask('GET', '/redfish/v1/UpdateService/')).json.HttpPushUriOptions.HttpPushUriApplyTime
  const settings = ['ApplyTime', 'MaintenanceWindowStartTime', 'MaintenanceWindowDurationInSeconds']
  t.same(apply['@Redfish.WriteableProperties'], settings, 'also what is not there until it is set')
  const selected = (await ask('GET', `${uri}/?$select=Actions`)).json
  t.same(selected.Actions, json.Actions)
  const expanded = (await ask('GET', '/redfish/v1/Systems/?$expand=*')).json
  t.same(expanded.Members[0].Oem, json.Oem)
  const events = '/redfish/v1/EventService/'
  await ask('PATCH', events, { ServiceEnabled: false })
  t.same(
    (await ask('GET', events)).json.Status,
    { State: 'Disabled', Health: 'OK', HealthRollup: 'OK' },
    'around a state that the handler gives'
  )
})

t.test('each target that a resource offers is an action', async (t) => {
  const { ask, close } = await openFixture()
  t.teardown(close)
  const found = new Set<string>()
  const waiting = ['/redfish/v1/']
  for (let uri = waiting.pop(); uri !== undefined; uri = waiting.pop()) {
    if (found.has(uri)) continue
    found.add(uri)
    const { text } = await ask('GET', uri)
    for (const [, link] of text.matchAll(/"@odata\.id":"([^"#]+\/)"/g)) waiting.push(link!)
    for (const [, target] of text.matchAll(/"target":"([^"]+)"/g)) {
      const { status, headers } = await ask('GET', target!)
      t.same([status, headers.allow], [405, 'POST'], target!)
    }
  }
})
