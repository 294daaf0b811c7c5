import t from 'tap'
import sim from '#data/boards/sim.json' with { type: 'json' }
import type { License } from '#data/license'
import { DELETE, GET, PATCH } from '#handlers/redfish/v1/Managers/{ManagerId}/LicenseService/{LicenseId}.ts'
import { GET as list, POST } from '#handlers/redfish/v1/Managers/{ManagerId}/LicenseService.ts'
import { licenseKey } from '#runtime/build/license-key.mjs'
import { context, missing, refusal } from '#test/handlers/context.ts'

const signed = (claims: object) => licenseKey(sim.licenseKey, claims)

const uri = '/redfish/v1/Managers/1/LicenseService'
const params = { ManagerId: '1', LicenseId: '1' }
const noon = Date.parse('2025-06-01T12:00:00Z') / 1000
const claims = { jti: 'L1', class: 'Advanced', iat: noon - 10, exp: noon + 10 }
const key = signed(claims)
const license: License = {
  key,
  class: 'Advanced',
  id: 'L1',
  serial: null,
  issued: noon - 10,
  expires: noon + 10,
  ended: false
}
const installed = { license: { 1: license } }
const invalid = { status: 400, messages: [['Mgmt.InvalidLicenseKey']] }

t.test('there is one license resource, also without a license', async (t) => {
  t.same(list(context({ uri, params })).Members, [{ '@odata.id': `${uri}/1/` }])
  t.match(GET(context({ params })), { LicenseClass: null, Features: [], Status: { State: 'Absent' } })
  t.same(await refusal(() => GET(context({ params: { ...params, LicenseId: '2' } }))), missing)
  t.same(await refusal(() => list(context({ params: { ManagerId: '9' } }))), missing)
})

t.test('a license is shown without its key, and opens nothing once it is over', async (t) => {
  const shown = GET(context({ params, tables: installed }))
  t.match(shown, {
    LicenseClass: 'Advanced',
    LicenseKey: null,
    ExpirationDate: '2025-06-01T12:00:10.000Z',
    Features: ['CertificateLogin']
  })
  t.notOk('Status' in shown, 'and is Enabled')
  const later = GET(context({ params, tables: installed, now: '2025-06-01T12:00:10Z' }))
  t.match(later, { Features: [], Status: { State: 'Disabled', Health: 'Warning' } })
})

t.test('a good key is installed by POST and by PATCH', async (t) => {
  const messages = {
    status: 200,
    messages: [{ key: 'Mgmt.LicenseKeyInstalled' }],
    writes: { license: { 1: { ...license, installed: noon } } },
    events: [{ message: { key: 'MgmtEvents.LicenseInstalled', args: ['Advanced'] }, origin: `${uri}/1` }]
  }
  const given = { uri, params, body: { LicenseKey: key } }
  t.match(await POST(context(given)), messages)
  t.match(await PATCH(context(given)), messages)
})

t.test('an invalid or expired key, or one for another system, is refused', async (t) => {
  const given = (LicenseKey: string) => context({ uri, params, body: { LicenseKey }, now: '2025-06-01T12:00:00Z' })
  const install = (LicenseKey: string) => refusal(() => POST(given(LicenseKey)))
  t.same(await install('good'), invalid)
  t.same(await install(signed({ ...claims, exp: noon })), invalid)
  t.same(await install(signed({ ...claims, sub: 'OTHER' })), invalid)
  t.match(await POST(given(signed({ ...claims, sub: sim.systems[1].serialNumber }))), { status: 200 })
})

t.test('removing a license sends an event', async (t) => {
  t.match(await DELETE(context({ uri: `${uri}/1`, params, tables: installed })), {
    writes: { license: { 1: null } },
    events: [{ message: { key: 'MgmtEvents.LicenseRemoved', args: ['Advanced'] }, origin: `${uri}/1` }]
  })
  t.same(await refusal(() => DELETE(context({ params }))), {
    status: 409,
    messages: [['Base.ResourceCannotBeDeleted']]
  })
  const elsewhere = { license: { 2: license } }
  const other = context({ params: { ...params, ManagerId: '2' }, tables: elsewhere })
  t.same(await refusal(() => DELETE(other)), missing)
})
