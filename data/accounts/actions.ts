import type { Actions } from '#data/resource'

/** The vendor's actions of the account service. */
export const accountActions = { 'VendorAccountService.ImportKerberosKeytab': {} } as const satisfies Actions
