import { type HeldPrivilege, mergeArray, type Privilege, type State, vendorPrivileges } from '#runtime/contract'
import type { Account } from './records.ts'
import { existingRole, roleOf, rolePrivileges } from './roles.ts'
import { type AccountType, accountTypes, typesOf } from './types.ts'

/** The rights of an account that a client sets; those that are undefined stay. */
interface Wanted {
  readonly enabled: boolean | undefined
  readonly role: string | undefined
  /** As a PATCH has them: see `mergeArray`. */
  readonly types: readonly AccountType[] | undefined
  readonly strictTypes: boolean | undefined
  readonly privileges: Partial<Record<Privilege, boolean | undefined>> | undefined
}

/**
 * The members of an account that a change of its rights replaces.
 *
 * @throws MessageError 400 if there is no such role
 */
export function changedRights(
  state: State,
  account: Account,
  { enabled, role = account.role, types, strictTypes, privileges }: Wanted
): Partial<Account> {
  const isNewRole = role !== account.role
  const held = rolePrivileges(isNewRole ? existingRole(state, role) : roleOf(state, role))
  const isStrict = strictTypes ?? account.strictTypes === true
  return {
    ...(enabled !== undefined && { enabled }),
    ...(isNewRole && { role }),
    ...(strictTypes !== undefined && { strictTypes }),
    ...(types && { types: typesOf(mergeArray(account.types ?? accountTypes, types), isStrict) }),
    ...((isNewRole || privileges) && deviations(held, isNewRole ? {} : account, privileges ?? {}))
  }
}

/** The privileges in which an account differs from its role. */
export type Deviations = Pick<Account, 'granted' | 'withheld'>

/**
 * How an account is to differ from its role.
 *
 * @param of how it differs from it now
 * @param wanted whether it is to have a privilege, of those that change
 */
export function deviations(
  role: ReadonlySet<HeldPrivilege>,
  { granted = [], withheld = [] }: Deviations,
  wanted: Partial<Record<Privilege, boolean | undefined>>
): Required<Deviations> {
  const wants = (each: Privilege) =>
    wanted[each] ?? (granted.includes(each) || (role.has(each) && !withheld.includes(each)))
  return {
    granted: vendorPrivileges.filter((each) => wants(each) && !role.has(each)),
    withheld: vendorPrivileges.filter((each) => !wants(each) && role.has(each))
  }
}
