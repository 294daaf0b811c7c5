import t from 'tap'
import { mockups, writeMockup } from './mockups.ts'
import { recorded } from './recorded.ts'
import { serve } from './served.ts'

const system = '/redfish/v1/Systems/System.Embedded.1'

/** The names of a resource's members, which must be the same for each spelling of its path. */
const members = ({ json }: { json: Record<string, unknown> }) => Object.keys(json).sort()

t.test(
  'a path in another case leads to the recorded resource, and changes no answer to the recorded one',
  async (t) => {
    for (const first of [
      '/redfish/v1/systems/System.Embedded.1',
      '/redfish/v1/SYSTEMS/System.Embedded.1/',
      '/redfish/v1/%53ystems/System.Embedded.1',
      '/redfish/v1/Systems/%53ystem.Embedded.1'
    ]) {
      const { ask } = await serve(t, recorded(writeMockup(t.testdir(), 'contoso')).file)
      const spelled = await ask('GET', first)
      const { status, json } = await ask('GET', system)
      t.equal(status, 200)
      for (const name of Object.keys(mockups.contoso![system]!)) t.ok(name in json, `${name} after ${first}`)
      t.strictSame(members(spelled), members({ json }), first)
    }
  }
)

t.test('what only the recording has is found in any case too, and at the place of its maker', async (t) => {
  const { ask } = await serve(t, recorded(writeMockup(t.testdir(), 'contoso')).file)
  const power = await ask('GET', '/redfish/v1/chassis/System.Embedded.1/POWER')
  t.match(power.json, { PowerSupplies: [{ PowerCapacityWatts: 750 }] })
  const bios = await ask('GET', '/redfish/v1/systems/System.Embedded.1/bios')
  t.match(bios, { status: 200, json: { '@odata.id': `${system}/BIOS` } })
  const pending = { Attributes: { BootMode: 'Uefi' } }
  t.equal((await ask('PATCH', '/redfish/v1/systems/System.Embedded.1/BIOS/sd', pending)).status, 200)
  t.match((await ask('GET', `${system}/BIOS/SD`)).json, pending)
  t.equal(
    (await ask('POST', '/redfish/v1/systems/System.Embedded.1/actions/computersystem.reset', { ResetType: 'On' }))
      .status,
    200
  )
})

t.test('an action of a path of its own is found in any case', async (t) => {
  const { ask } = await serve(t, recorded(writeMockup(t.testdir(), 'litware')).file)
  t.equal((await ask('POST', '/redfish/v1/nodes/node%231/power.reset', { ResetType: 'ForceOff' })).status, 200)
})

t.test('identifiers that differ in their case are two, and what a client creates is not hidden', async (t) => {
  const { file } = recorded(writeMockup(t.testdir(), 'fabrikam', '/redfish/v1'))
  for (const id of ['a:1', 'A:1'])
    file.resources[`/redfish/v1/Chassis/${id}`] = {
      ...file.resources['/redfish/v1/Chassis/Rack%20Mount'],
      '@odata.id': `/redfish/v1/Chassis/${id}`,
      Id: id
    }
  const { ask } = await serve(t, file)
  for (const id of ['a:1', 'A:1']) {
    t.equal((await ask('GET', `/redfish/v1/chassis/${id}`)).json.Id, id)
    t.equal((await ask('GET', `/redfish/v1/Chassis/${encodeURIComponent(id)}`)).json.Id, id)
  }
  t.equal((await ask('GET', '/redfish/v1/Chassis/rack%20mount/')).status, 404)
})

t.test('a link that is no text leads nowhere, and does no harm', async (t) => {
  const { file } = recorded(writeMockup(t.testdir(), 'contoso'))
  const odd = '/redfish/v1/Oem/odd'
  file.resources[odd] = {
    '@odata.id': odd,
    Next: { '@odata.id': '/redfish/v1/\ud800' },
    Actions: { '#A.B': { target: '/\udc00' } }
  }
  const { ask } = await serve(t, file)
  t.equal((await ask('GET', `${odd}?$expand=*`)).status, 200)
})
