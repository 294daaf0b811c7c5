import { changeNamedBootOrder, namedBootOrder, showNamedBootOrder } from '#data/boot'
import { ofVariables } from '#data/variables'
import { type Get, link, type Patch, type Schema } from '#runtime/contract'

export const schema = namedBootOrder satisfies Schema

export const exists = ofVariables

export const privileges = { GET: 'LoginPriv', PATCH: 'HostBIOSConfigPriv' } as const

export const GET: Get<typeof schema, 'ComputerSystemId'> = (context) => ({
  Name: 'Boot Order Current Settings',
  ...showNamedBootOrder(context),
  '@Redfish.Settings': {
    SettingsObject: link(`${context.uri}/Settings`)
  }
})

export const PATCH: Patch<typeof schema, 'ComputerSystemId'> = changeNamedBootOrder
