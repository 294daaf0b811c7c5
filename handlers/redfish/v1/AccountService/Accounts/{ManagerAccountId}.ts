import {
  accountNamed,
  heldPrivileges,
  keepAdministrator,
  loginName,
  passwordFault,
  roleIds,
  roleUri,
  sessionsOf,
  showPrivileges,
  userName
} from '#data/accounts'
import { child, integer, oem, reference, resource } from '#data/resource'
import {
  type Context,
  changed,
  type Delete,
  fail,
  forbidden,
  type Get,
  link,
  list,
  MessageError,
  notFound,
  object,
  type Patch
} from '#runtime/contract'

export const schema = resource('ManagerAccount.v1_12_1', 'An account of a user', ['AccountTypes'], {
  AccountTypes: list({ type: 'string', enum: ['Redfish'] }),
  Certificates: child('Certificates'),
  Enabled: { type: 'boolean', readonly: false },
  Locked: { type: 'boolean', readonly: false },
  Password: { type: 'string', nullable: true, readonly: false },
  PasswordChangeRequired: { type: 'boolean', readonly: false },
  RoleId: { type: 'string', enum: roleIds, readonly: false },
  UserName: { ...userName, readonly: false },
  Links: object({ Role: reference }),
  Oem: oem('VendorManagerAccount.v1_0_0', {
    Id: integer,
    LoginName: { ...loginName, readonly: false },
    Privileges: object({
      ...heldPrivileges,
      SystemRecoveryConfigPriv: { type: 'boolean', readonly: false }
    })
  })
})

export const privileges = {
  GET: 'LoginPriv',
  PATCH: ['UserConfigPriv', 'ConfigureSelf'],
  DELETE: 'UserConfigPriv'
} as const

export const owner = ({ params, state }: Pick<Context<'ManagerAccountId'>, 'params' | 'state'>) =>
  state.get('account', params.ManagerAccountId) && params.ManagerAccountId

export const GET: Get<typeof schema, 'ManagerAccountId'> = ({ params, state, isLocked }) => {
  const account = state.get('account', params.ManagerAccountId) ?? notFound()
  return {
    Name: 'Account',
    Description: `Account of ${account.name}`,
    AccountTypes: ['Redfish'],
    Enabled: account.enabled,
    Locked: account.lockedUntil > 0 && isLocked(params.ManagerAccountId),
    Password: null,
    PasswordChangeRequired: account.passwordChangeRequired,
    RoleId: roleIds.find((each) => each === account.role) ?? 'ReadOnly',
    UserName: account.name,
    Links: { Role: link(roleUri(account.role)) },
    Oem: {
      Vendor: {
        Id: account.number ?? null,
        LoginName: account.loginName ?? account.name,
        Privileges: showPrivileges(account)
      }
    }
  }
}

/**
 * A user may change the own password; everything else takes who manages users. System recovery, which no role has, is
 * granted account by account. An account whose user gets another name keeps its id.
 */
export const PATCH: Patch<typeof schema, 'ManagerAccountId'> = async (context) => {
  const { params, body, caller, state, configuration, credentials, random } = context
  const id = params.ManagerAccountId
  const account = state.get('account', id) ?? notFound()
  const { Enabled, Locked, Password, PasswordChangeRequired, RoleId, UserName = account.name } = body
  const recovers = body.Oem?.Vendor?.Privileges?.SystemRecoveryConfigPriv
  const own = caller.account === id
  if (!caller.privileges.has('UserConfigPriv') && Object.keys(body).some((name) => name !== 'Password')) forbidden()
  if (Locked === true) fail(400, 'Base.PropertyValueIncorrect', 'Locked', 'true')
  if (Password === null) fail(400, 'Base.PropertyValueError', 'Password')
  const isRenamed = UserName !== account.name
  if (isRenamed && accountNamed(state, UserName) !== undefined) {
    fail(409, 'Base.ResourceAlreadyExists', 'ManagerAccount', 'UserName', UserName)
  }
  if (Password !== undefined) {
    const fault = passwordFault(Password, UserName, state.get('accountService', 'settings'), configuration)
    if (fault !== undefined) throw new MessageError(400, [fault])
    if (account.passwordChangeRequired && (await credentials.matches(Password, account.password))) {
      fail(400, 'Mgmt.PasswordTooWeak', 'a difference from the present one')
    }
  }
  const after = { enabled: Enabled ?? account.enabled, role: RoleId ?? account.role }
  keepAdministrator(state, id, after)
  const ends = Password !== undefined || isRenamed || !after.enabled
  const generation = ends ? random(8) : undefined
  const changes = {
    generation,
    name: body.UserName,
    enabled: Enabled,
    role: RoleId,
    loginName: body.Oem?.Vendor?.LoginName,
    granted: recovers === undefined ? undefined : recovers ? (['SystemRecoveryConfigPriv'] as const) : [],
    lockedUntil: Locked === false ? 0 : undefined,
    passwordChangeRequired: PasswordChangeRequired ?? (own && Password !== undefined ? false : undefined),
    ...(Password !== undefined && {
      password: await credentials.hash(Password)
    })
  }
  const sessions = ends ? sessionsOf(state, id) : []
  const stays = (session: string) => session === caller.session && after.enabled && !isRenamed
  return changed({
    account: { [id]: changes },
    session: Object.fromEntries(sessions.map((each) => [each, stays(each) ? { generation } : null]))
  })
}

/** An account goes with its sessions and its certificate. */
export const DELETE: Delete<'ManagerAccountId'> = ({ params, state }) => {
  const id = params.ManagerAccountId
  state.get('account', id) ?? notFound()
  keepAdministrator(state, id)
  return changed({
    account: { [id]: null },
    userCertificate: { [id]: null },
    session: Object.fromEntries(sessionsOf(state, id).map((session) => [session, null]))
  })
}
