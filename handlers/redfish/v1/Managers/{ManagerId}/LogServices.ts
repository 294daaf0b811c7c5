import { logIds, vendorLog } from '#data/logs'
import { collection, oem, reference } from '#data/resource'
import { type Get, link, members, type Schema } from '#runtime/contract'

const logs = collection('LogService')

export const schema = {
  ...logs,
  properties: {
    ...logs.properties,
    Oem: oem('VendorLogServiceCollection.v1_0_0.VendorLogServiceCollection', {
      Links: { type: 'object', properties: { EventLog: reference } }
    })
  }
} as const satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ManagerId'> = (context) => ({
  Name: 'Logs',
  ...members(context.uri, logIds(context)),
  Oem: {
    Vendor: {
      '@odata.type': '#VendorLogServiceCollection.v1_0_0.VendorLogServiceCollection',
      Links: { EventLog: link(`${context.uri}/${vendorLog}`) }
    }
  }
})
