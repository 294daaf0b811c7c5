import t from 'tap'
import { GET } from '#handlers/redfish/v1/UpdateService.ts'
import { context } from '#test/handlers/context.ts'

const shown = (tables: object) => GET(context({ uri: '/redfish/v1/UpdateService', tables })).HttpPushUriOptions
const settings = { applyTime: 'Immediate', targets: [], verifyCertificate: true }

t.test('the maintenance window is shown as far as it is set', async (t) => {
  t.same(shown({}), { HttpPushUriApplyTime: { ApplyTime: 'Immediate' } })
  const window = { start: '2031-01-01T00:00:00Z', seconds: null }
  t.same(shown({ updateService: { settings: { ...settings, window } } }), {
    HttpPushUriApplyTime: { ApplyTime: 'Immediate', MaintenanceWindowStartTime: '2031-01-01T00:00:00Z' }
  })
})
