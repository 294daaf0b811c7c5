import {
  directoryOf,
  directoryUser,
  heldPrivileges,
  sessionPolicy,
  sessionServiceUri,
  sessionUser,
  showPrivileges
} from '#data/accounts'
import { oem, resource } from '#data/resource'
import {
  type Context,
  changed,
  type Delete,
  type Get,
  MessageError,
  message,
  notFound,
  object
} from '#runtime/contract'

const text = { type: 'string', readonly: true } as const
const time = { type: 'string', format: 'date-time', readonly: true } as const
const flag = { type: 'boolean', readonly: true } as const

export const schema = resource('Session.v1_7_1', 'A session of a user', {
  UserName: { type: 'string', nullable: true, readonly: true },
  CreatedTime: time,
  ClientOriginIPAddress: { type: 'string', nullable: true, readonly: true },
  Roles: { type: 'array', items: { type: 'string' }, nullable: true, readonly: true },
  SessionType: { type: 'string', enum: ['Redfish'], nullable: true, readonly: true },
  Oem: oem('VendorSession.v1_0_0', {
    AccessTime: time,
    InitialRole: text,
    LoginTime: time,
    MySession: flag,
    Privileges: object(heldPrivileges(true)),
    SecondFactor: {
      type: 'string',
      enum: ['TimeBasedOneTimePassword', 'RecoveryCode', 'ClientCertificate'],
      nullable: true,
      readonly: true
    },
    UserExpires: time,
    UserIP: text,
    UserTag: text,
    UserType: text
  })
})

export const alias = '/redfish/v1/Sessions/{SessionId}'

export const privileges = { GET: 'LoginPriv', DELETE: ['UserConfigPriv', 'ConfigureSelf'] } as const

export const whileDisabled = true

export const owner = ({ params, state }: Pick<Context<'SessionId'>, 'params' | 'state'>) =>
  state.get('session', params.SessionId)?.user

export const GET: Get<typeof schema, 'SessionId'> = (context) => {
  const { params, state, caller, configuration, accessed } = context
  const stored = state.get('session', params.SessionId)
  const session = stored ?? requestAsSession(context)
  const account = sessionUser(state, session)
  const { timeout } = sessionPolicy(state.get('sessionService', 'settings'), configuration)
  const lastUsed = stored ? accessed(params.SessionId) : session.createdAt
  const iso = (milliseconds: number) => new Date(milliseconds).toISOString()
  return {
    Name: 'Session',
    Description: `Session of ${account.name}`,
    UserName: account.name,
    CreatedTime: iso(session.createdAt),
    ClientOriginIPAddress: session.address,
    Roles: [account.role],
    SessionType: 'Redfish',
    Oem: {
      Vendor: {
        AccessTime: iso(lastUsed),
        ...(configuration.profile === 'verbose' && { InitialRole: account.role }),
        LoginTime: iso(session.createdAt),
        MySession: stored === undefined || caller.session === params.SessionId,
        Privileges: showPrivileges(state, account),
        SecondFactor: session.certificate === undefined ? (session.secondFactor ?? null) : 'ClientCertificate',
        UserExpires: iso(lastUsed + timeout * 1000),
        UserIP: session.address,
        UserTag: 'REST',
        UserType: directoryOf(session.user) ?? 'Local'
      }
    }
  }
}

/** A caller who sends credentials with each request has a session as long as the request, by the name of the user. */
function requestAsSession({ params, caller, now }: Context<'SessionId'>) {
  if (caller.session !== undefined || caller.user !== params.SessionId) notFound()
  const { account: user, certificate, address } = caller
  const directory = directoryUser(caller)
  return { user, directory, certificate, secondFactor: undefined, createdAt: now().getTime(), address }
}

export const DELETE: Delete<'SessionId'> = ({ params, state, configuration }) => {
  state.get('session', params.SessionId) ?? notFound()
  const { enabled } = sessionPolicy(state.get('sessionService', 'settings'), configuration)
  if (!enabled) throw new MessageError(503, [message('Base.ServiceDisabled', `${sessionServiceUri}/`)])
  return changed({ session: { [params.SessionId]: null } })
}
