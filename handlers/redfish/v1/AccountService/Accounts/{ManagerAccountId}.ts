import {
  accountOwner,
  accountTypes,
  bypass as bypassSchema,
  canLogIn,
  changeBypass,
  changedPassword,
  changedRights,
  changedState,
  endSessions,
  heldPrivileges,
  keepAdministrator,
  loginName,
  mustChangePassword,
  noAccess,
  privilegesOf,
  refuseBeyond,
  refuseTaken,
  removeAccount,
  roleId,
  roleUri,
  showPrivileges,
  userName
} from '#data/accounts'
import { actions, child, flag, integer, oem, reference, resource } from '#data/resource'
import {
  changed,
  type Delete,
  fail,
  forbidden,
  type Get,
  link,
  list,
  notFound,
  object,
  type Patch
} from '#runtime/contract'
import { body as oneTimeCode } from './{ManagerAccountId}/Actions/ManagerAccount.VerifyTimeBasedOneTimePassword.ts'

export const schema = resource('ManagerAccount.v1_13_0', 'An account of a user', ['AccountTypes'], {
  Actions: actions({
    'ManagerAccount.ClearSecretKey': {},
    'ManagerAccount.GenerateSecretKey': {},
    'ManagerAccount.VerifyTimeBasedOneTimePassword': oneTimeCode
  }),
  AccountTypes: { ...list({ type: 'string', enum: accountTypes }), readonly: false },
  Certificates: child('Certificates'),
  Enabled: { type: 'boolean', readonly: false },
  Locked: { type: 'boolean', readonly: false },
  MFABypass: bypassSchema,
  Password: { type: 'string', nullable: true, readonly: false },
  PasswordChangeRequired: { type: 'boolean', readonly: false },
  PasswordExpiration: { type: 'string', format: 'date-time', nullable: true, readonly: false },
  RoleId: { ...roleId, readonly: false },
  SecretKeySet: flag,
  StrictAccountTypes: { type: 'boolean', readonly: false },
  UserName: { ...userName, readonly: false },
  Links: object({ Role: reference }),
  Oem: oem('VendorManagerAccount.v1_0_0', {
    Id: integer,
    RecoveryCodesLeft: integer,
    LoginName: { ...loginName, readonly: false },
    Privileges: object(heldPrivileges(false))
  })
})

export const privileges = {
  GET: 'LoginPriv',
  PATCH: ['UserConfigPriv', 'ConfigureSelf'],
  DELETE: 'UserConfigPriv'
} as const

export const owner = accountOwner

export const GET: Get<typeof schema, 'ManagerAccountId'> = ({ params, state, credentials, isLocked, now }) => {
  const account = state.get('account', params.ManagerAccountId) ?? notFound()
  const second = state.get('secondFactor', params.ManagerAccountId)
  const { passwordExpiresAt: expiry = 0 } = account
  return {
    Name: 'Account',
    Description: `Account of ${account.name}`,
    AccountTypes: account.types ?? accountTypes,
    Enabled: account.enabled,
    Locked: account.lockedUntil > 0 && isLocked(params.ManagerAccountId),
    MFABypass: { BypassTypes: second?.bypass ?? [] },
    Password: null,
    PasswordChangeRequired: mustChangePassword(account, now),
    ...(credentials.keepsPasswords && { PasswordExpiration: expiry === 0 ? null : new Date(expiry).toISOString() }),
    RoleId: account.role || noAccess,
    SecretKeySet: Boolean(second?.key),
    StrictAccountTypes: account.strictTypes ?? false,
    UserName: account.name,
    Links: account.role === '' ? {} : { Role: link(roleUri(account.role)) },
    Oem: {
      Vendor: {
        Id: account.number ?? null,
        RecoveryCodesLeft: second?.recoveryCodes?.length ?? 0,
        LoginName: account.loginName ?? account.name,
        Privileges: showPrivileges(state, account)
      }
    }
  }
}

/**
 * A user may change the own password. Everything else needs the privilege to manage users, and all privileges that the
 * account has before and after. A privilege that is named is granted or withheld whatever the role says, until the account
 * gets another role. An account whose user gets another name keeps its id.
 */
export const PATCH: Patch<typeof schema, 'ManagerAccountId'> = async (context) => {
  const { params, body, caller, state, random } = context
  const id = params.ManagerAccountId
  const account = state.get('account', id) ?? notFound()
  const { Locked, Password, PasswordChangeRequired, UserName = account.name } = body
  const own = caller.account === id
  if (!caller.privileges.has('UserConfigPriv') && Object.keys(body).some((name) => name !== 'Password')) forbidden()
  const bypass = changeBypass(context, id, body.MFABypass?.BypassTypes)
  if (Locked === true) fail(400, 'Base.PropertyValueIncorrect', 'Locked', 'true')
  const isRenamed = UserName !== account.name
  if (isRenamed) refuseTaken(state, UserName)
  const rights = changedRights(state, account, {
    enabled: body.Enabled,
    role: body.RoleId,
    types: body.AccountTypes,
    strictTypes: body.StrictAccountTypes,
    privileges: body.Oem?.Vendor?.Privileges
  })
  const after = { ...account, ...rights }
  for (const each of [account, after]) refuseBeyond(caller, privilegesOf(state, each))
  keepAdministrator(state, changedState(state, 'account', id, after))
  const password = await changedPassword(context, account, body, UserName)
  const ends = Password !== undefined || isRenamed || !canLogIn(state, after)
  const generation = ends ? random(8) : undefined
  const changes = {
    ...rights,
    generation,
    name: body.UserName,
    loginName: body.Oem?.Vendor?.LoginName,
    lockedUntil: Locked === false ? 0 : undefined,
    passwordChangeRequired: PasswordChangeRequired ?? (own && Password !== undefined ? false : undefined),
    ...password
  }
  const staying = canLogIn(state, after) && !isRenamed ? caller.session : undefined
  return changed({ account: { [id]: changes }, ...bypass, ...endSessions(state, id, generation, staying) })
}

export const DELETE: Delete<'ManagerAccountId'> = ({ params, caller, state }) => {
  const id = params.ManagerAccountId
  refuseBeyond(caller, privilegesOf(state, state.get('account', id) ?? notFound()))
  keepAdministrator(state, changedState(state, 'account', id))
  return changed(removeAccount(state, id))
}
