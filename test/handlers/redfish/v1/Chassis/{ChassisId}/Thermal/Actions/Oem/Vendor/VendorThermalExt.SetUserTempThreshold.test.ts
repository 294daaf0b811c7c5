import t from 'tap'
import {
  POST,
  privileges
} from '#handlers/redfish/v1/Chassis/{ChassisId}/Thermal/Actions/Oem/Vendor/VendorThermalExt.SetUserTempThreshold.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const params = { ChassisId: '1' }
const action = 'VendorThermalExt.SetUserTempThreshold'
const set = (SensorNumber: number, ThresholdValue: number, tables = {}) =>
  POST(context({ params, tables, body: { SensorNumber, ThresholdValue, AlertType: 'Warning' as const } }))

t.test('a threshold waits for a reset of the controller, and sends an event', async (t) => {
  t.match(await set(2, 60.5), {
    status: 200,
    messages: [{ key: 'Mgmt.SystemResetRequired' }],
    writes: { temperatureThreshold: { '1/2/Warning': { effective: null, pending: 60.5 } } },
    events: [
      {
        message: { key: 'MgmtEvents.TemperatureThresholdSet', args: ['Processor 1', 'Warning', '60.5'] },
        origin: '/redfish/v1/Chassis/1/Thermal'
      }
    ]
  })
})

t.test('until then the one before is in effect', async (t) => {
  const tables = { temperatureThreshold: { '1/2/Warning': { effective: 55, pending: null } } }
  t.same((await set(2, 60, tables)).writes, { temperatureThreshold: { '1/2/Warning': { effective: 55, pending: 60 } } })
})

t.test('a number of no temperature is refused, be it a fan’s', async (t) => {
  for (const number of [0, 9, 21, -1]) {
    t.same(await refusal(() => set(number, 60)), {
      status: 400,
      messages: [['Base.ActionParameterValueNotInList', String(number), 'SensorNumber', action]]
    })
  }
})

t.test('a threshold at which the machine has switched itself off is refused', async (t) => {
  t.equal((await set(2, 95)).status, 200)
  t.same(await refusal(() => set(2, 95.5)), {
    status: 400,
    messages: [['Base.ActionParameterValueOutOfRange', '95.5', 'ThresholdValue', action]]
  })
})

t.test('a chassis that is not there has no thresholds', async (t) => {
  const body = { SensorNumber: 2, ThresholdValue: 60, AlertType: 'Warning' as const }
  t.same(await refusal(() => POST(context({ params: { ChassisId: '2' }, body }))), missing)
})

t.test('it takes MgmtConfigPriv', async (t) => {
  t.same(privileges, { POST: 'MgmtConfigPriv' })
})
