import { logIds, logServices, vendorLog } from '#data/logs'
import { type Get, link, members, type Schema } from '#runtime/contract'

export const schema = logServices satisfies Schema

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
