import type { HeldPrivilege } from '#runtime/contract'

/**
 * The services that an account is admitted to (DSP0268, ManagerAccount.AccountTypes). All of them are used over a login to
 * Redfish. The page is a client of Redfish.
 */
export const accountTypes = ['HostConsole', 'Redfish', 'VirtualMedia'] as const

export type AccountType = (typeof accountTypes)[number]

/** The privileges that an account may use with its types. @param types absent: all that there are */
export function withinTypes(held: ReadonlySet<HeldPrivilege>, types: readonly AccountType[] = accountTypes) {
  if (!types.includes('Redfish')) return new Set<HeldPrivilege>()
  const left = new Set(held)
  if (!types.includes('HostConsole')) left.delete('RemoteConsolePriv')
  if (!types.includes('VirtualMedia')) left.delete('VirtualMediaPriv')
  return left
}

/**
 * The account types that a client gets of those that it names. Where it does not insist on them, an account is admitted to
 * Redfish as well, without which it is of no use (DSP0268, StrictAccountTypes).
 */
export function typesOf(named: readonly AccountType[], isStrict: boolean): AccountType[] {
  return accountTypes.filter((each) => named.includes(each) || (each === 'Redfish' && !isStrict))
}
