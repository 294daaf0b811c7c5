import t from 'tap'
import { GET } from '#handlers/redfish/v1/Chassis/{ChassisId}/TrustedComponents/{TrustedComponentId}.ts'
import { GET as list } from '#handlers/redfish/v1/Chassis/{ChassisId}/TrustedComponents.ts'
import { GET as getChassis } from '#handlers/redfish/v1/Chassis/{ChassisId}.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const params = { ChassisId: '1' }

t.test('the trusted platform module of a system is a trusted component of its chassis', async (t) => {
  t.same(list(context({ uri: '/t', params })).Members, [{ '@odata.id': '/t/TPM-1/' }])
  t.same(getChassis(context({ uri: '/c', params })).TrustedComponents, { '@odata.id': '/c/TrustedComponents/' })
  t.match(GET(context({ params: { ...params, TrustedComponentId: 'TPM-1' } })), {
    FirmwareVersion: '7.2.3.1',
    TrustedComponentType: 'Discrete',
    Links: {
      ComponentIntegrity: [{ '@odata.id': '/redfish/v1/ComponentIntegrity/TPM-1/' }],
      ComponentsProtected: [{ '@odata.id': '/redfish/v1/Systems/1/' }]
    }
  })
})

t.test('a chassis without one links none, and there is no other', async (t) => {
  const enclosure = { ChassisId: 'enclosurechassis' }
  t.notOk('TrustedComponents' in getChassis(context({ params: enclosure })))
  t.same(await refusal(() => list(context({ params: enclosure }))), missing)
  for (const TrustedComponentId of ['TPM-2', '1', ''])
    t.same(await refusal(() => GET(context({ params: { ...params, TrustedComponentId } }))), missing)
  const elsewhere = { ...enclosure, TrustedComponentId: 'TPM-1' }
  t.same(await refusal(() => GET(context({ params: elsewhere }))), missing)
})
