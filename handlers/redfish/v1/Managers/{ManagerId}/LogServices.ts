import { logIds, logServices, vendorLog } from '#data/logs'
import { type Get, link, members, type Schema } from '#runtime/contract'

export const schema = logServices satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ManagerId'> = (context) => ({
  Name: 'Logs',
  ...members(context.uri, logIds(context)),
  Oem: {
    Vendor: {
      Links: { EventLog: link(`${context.uri}/${vendorLog}`) }
    }
  }
})
