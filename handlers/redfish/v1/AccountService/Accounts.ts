import {
  type Account,
  accountIdFor,
  accountTypes,
  existingRole,
  forgetSecondFactor,
  loginName,
  passwordExpiry,
  passwordFault,
  privilegesOf,
  refuseBeyond,
  refuseTaken,
  roleId,
  typesOf,
  userName
} from '#data/accounts'
import { collection } from '#data/resource'
import { created, fail, type Get, type Infer, list, MessageError, members, object, type Post } from '#runtime/contract'

export const schema = collection('ManagerAccount')

export const body = object(['UserName', 'Password', 'RoleId'], {
  UserName: userName,
  Password: { type: 'string' },
  RoleId: roleId,
  Enabled: { type: 'boolean' },
  PasswordChangeRequired: { type: 'boolean' },
  PasswordExpiration: { type: 'string', format: 'date-time', nullable: true },
  AccountTypes: list({ type: 'string', enum: accountTypes }),
  StrictAccountTypes: { type: 'boolean' },
  Oem: object({ Vendor: object({ LoginName: loginName }) })
})

export const privileges = { GET: 'LoginPriv', POST: 'UserConfigPriv' } as const

export const GET: Get<typeof schema> = ({ uri, state }) => ({
  Name: 'Accounts',
  ...members(uri, state.keys('account'))
})

/** Refuses an account with privileges that the caller may not grant. */
export const POST: Post<typeof body> = async (context) => {
  const { uri, body, caller, state, configuration, credentials, random } = context
  existingRole(state, body.RoleId)
  const rights = { role: body.RoleId, ...typesFor(body) }
  refuseBeyond(caller, privilegesOf(state, rights))
  const policy = state.get('accountService', 'settings')
  const fault = passwordFault(body.Password, body.UserName, policy, configuration)
  if (fault !== undefined) throw new MessageError(400, [fault])
  refuseTaken(state, body.UserName)
  if (state.keys('account').length >= configuration.limits.accounts) fail(409, 'Base.CreateLimitReachedForResource')
  const numbers = state.keys('account').map((name) => state.get('account', name)?.number ?? 0)
  const account = {
    name: body.UserName,
    loginName: body.Oem?.Vendor?.LoginName,
    number: Math.max(0, ...numbers) + 1,
    ...rights,
    password: await credentials.hash(body.Password),
    enabled: body.Enabled ?? true,
    passwordChangeRequired: body.PasswordChangeRequired ?? false,
    lockedUntil: 0,
    passwordExpiresAt: passwordExpiry(body.PasswordExpiration, context),
    generation: random(8)
  }
  const id = accountIdFor(state, body.UserName)
  return created(`${uri}/${id}`, { account: { [id]: account }, ...forgetSecondFactor(id) }, { show: caller })
}

/** The types of a new account, and whether they are exactly those; all where the client names none. */
function typesFor({ AccountTypes, StrictAccountTypes: strictTypes }: Infer<typeof body>): Partial<Account> {
  return {
    ...(AccountTypes !== undefined && { types: typesOf(AccountTypes, strictTypes === true) }),
    ...(strictTypes !== undefined && { strictTypes })
  }
}
