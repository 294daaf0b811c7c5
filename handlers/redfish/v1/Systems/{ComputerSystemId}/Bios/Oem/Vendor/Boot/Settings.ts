import { changeNamedBootOrder, namedBootOrder, showNamedBootOrder } from '#data/boot'
import type { Get, Patch, Schema } from '#runtime/contract'

export const schema = namedBootOrder satisfies Schema

export const privileges = { GET: 'LoginPriv', PATCH: 'HostBIOSConfigPriv' } as const

/** The same order: the host follows it from its next start on. */
export const GET: Get<typeof schema, 'ComputerSystemId'> = (context) => ({
  Name: 'Boot Order Pending Settings',
  ...showNamedBootOrder(context)
})

export const PATCH: Patch<typeof schema, 'ComputerSystemId'> = changeNamedBootOrder
