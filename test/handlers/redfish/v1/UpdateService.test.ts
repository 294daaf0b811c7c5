import t from 'tap'
import { GET, PATCH } from '#handlers/redfish/v1/UpdateService.ts'
import { badRequest, context } from '#test/handlers/context.ts'

const shown = (tables: object) => GET(context({ uri: '/redfish/v1/UpdateService', tables })).HttpPushUriOptions
const settings = { applyTime: 'Immediate', targets: [], verifyCertificate: true }

t.test('the maintenance window is shown as far as it is set', async (t) => {
  t.same(shown({}), { HttpPushUriApplyTime: { ApplyTime: 'Immediate' } })
  const window = { start: '2031-01-01T00:00:00Z', seconds: null }
  t.same(shown({ updateService: { settings: { ...settings, window } } }), {
    HttpPushUriApplyTime: { ApplyTime: 'Immediate', MaintenanceWindowStartTime: '2031-01-01T00:00:00Z' }
  })
})

t.test('a change keeps the settings that it does not name', async (t) => {
  type Body = Parameters<typeof PATCH>[0]['body']
  const stored = async (body: Body, tables: object = {}) => {
    const { writes } = await PATCH(context({ uri: '/redfish/v1/UpdateService', body, tables }))
    return writes?.updateService?.settings
  }
  const window = { start: null, seconds: 60 }
  const tables = { updateService: { settings: { ...settings, window } } }
  t.equal(await stored({}, tables), undefined)
  t.match(await stored({ VerifyRemoteServerCertificate: false }, tables), {
    ...settings,
    window,
    verifyCertificate: false
  })
  t.match(await stored({ VerifyRemoteServerCertificate: null }, tables), { verifyCertificate: false })
  const HttpPushUriApplyTime = { ApplyTime: 'OnReset', MaintenanceWindowStartTime: '2031-01-01T00:00:00Z' } as const
  t.match(await stored({ HttpPushUriOptions: { HttpPushUriApplyTime } }, tables), {
    ...settings,
    applyTime: 'OnReset',
    window: { start: '2031-01-01T00:00:00Z', seconds: 60 }
  })
  const bios = '/redfish/v1/UpdateService/FirmwareInventory/BIOS-1'
  t.match(await stored({ HttpPushUriTargets: [bios] }, tables), { targets: [bios] })
})

t.test('a target that no update is for is refused, by its first characters', async (t) => {
  const far = `/redfish/v1/${'x'.repeat(64)}`
  t.same(await badRequest(() => PATCH(context({ body: { HttpPushUriTargets: [far] } }))), [
    ['Base.PropertyValueIncorrect', 'HttpPushUriTargets', far.slice(0, 64)]
  ])
})
