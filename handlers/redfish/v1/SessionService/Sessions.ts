import {
  accountUri,
  directoryUser,
  type FactorKind,
  isStill,
  type Login,
  sessionPolicy,
  sessionServiceUri,
  sessionShare,
  useUp
} from '#data/accounts'
import { collection, oem, reference } from '#data/resource'
import {
  type Caller,
  type Context,
  created,
  event,
  fail,
  type Get,
  type Infer,
  link,
  MessageError,
  members,
  message,
  object,
  type Post,
  type Schema,
  type State
} from '#runtime/contract'

const sessions = collection('Session')

export const schema = {
  ...sessions,
  properties: {
    ...sessions.properties,
    Oem: oem('VendorSessionCollection.v1_0_0', {
      Links: object({ MySession: reference })
    })
  }
} as const satisfies Schema

/** `Token` is a one-time code, or a recovery code (DSP0268, Session). */
export const body = object({
  UserName: { type: 'string' },
  Password: { type: 'string' },
  Token: { type: 'string', minLength: 1, maxLength: 64 }
})

/** Where the vendor's tools look for it. */
export const alias = '/redfish/v1/Sessions'

export const privileges = { GET: 'LoginPriv', POST: 'NoAuth' } as const

export const GET: Get<typeof schema> = ({ uri, state, caller }) => ({
  Name: 'Sessions',
  ...members(uri, state.keys('session')),
  Oem: {
    Vendor: {
      Links: { MySession: link(`${uri}/${caller.session ?? caller.user}`) }
    }
  }
})

/**
 * A login (DSP0266 13.3.4). Expired sessions make room for it. An empty body is one by the certificate of the connection.
 */
export const POST: Post<typeof body> = async (context) => {
  const { uri, state, configuration, credentials, now, accessed, random } = context
  const { enabled, timeout } = sessionPolicy(state.get('sessionService', 'settings'), configuration)
  if (!enabled) throw new MessageError(503, [message('Base.ServiceDisabled', `${sessionServiceUri}/`)])
  const { used, ...caller } = await identify(context)
  // The login rests on the account: a change of it that overlaps has the login worked out anew.
  if (!isStill(state, caller)) fail(401, 'Mgmt.UnauthorizedLoginAttempt')
  const time = now().getTime()
  const expiries = state.keys('session').map((id) => [id, accessed(id) + timeout * 1000] as const)
  const expired = expiries.filter(([, expiry]) => expiry <= time)
  const live = expiries.filter(([, expiry]) => expiry > time)
  const own = live.filter(([id]) => state.get('session', id)?.user === caller.account)
  const { most, mostOwn } = sessionShare(caller, configuration.limits.sessions)
  if (live.length >= most || own.length >= mostOwn) {
    const inTheWay = live.length >= most ? live : own
    const seconds = Math.ceil((Math.min(...inTheWay.map(([, expiry]) => expiry)) - time) / 1000)
    throw new MessageError(503, [message('Base.SessionLimitExceeded')], { 'Retry-After': String(seconds) })
  }
  const id = `${caller.user}-${random(8)}`
  const token = random(16)
  const session = {
    user: caller.account,
    directory: directoryUser(caller),
    generation: caller.generation,
    certificate: caller.certificate,
    secondFactor: caller.secondFactor as FactorKind | undefined,
    token: credentials.digest(token),
    createdAt: time,
    accessedAt: time,
    address: context.caller.address
  }
  const writes = {
    ...useUp(state, caller.account, used),
    session: { ...Object.fromEntries(expired.map(([old]) => [old, null])), [id]: session }
  }
  const login = created(`${uri}/${id}`, writes, {
    show: { ...caller, session: id, address: context.caller.address },
    headers: { 'X-Auth-Token': token }
  })
  const at = `${accountUri(caller.account)}/`
  const due = [
    ...(caller.passwordChangeRequired ? [message('Base.PasswordChangeRequired', at)] : []),
    ...(caller.secretKeyRequired ? [message('Base.GenerateSecretKeyRequired', at)] : [])
  ]
  return { ...login, ...(due.length > 0 && { messages: due }), events: eventsOf(state, caller, used) }
}

/** Recovery codes are for emergencies: an event announces the use of one. */
function eventsOf(state: State, { account, user }: Caller, used: Login['used']) {
  if (used?.kind !== 'RecoveryCode') return []
  const left = (state.get('secondFactor', account)?.recoveryCodes?.length ?? 1) - 1
  return [event('MgmtEvents.RecoveryCodeUsed', accountUri(account), user, String(left))]
}

type Request = Context<never, Infer<typeof body>>

async function identify({ body: { UserName, Password, Token }, caller, credentials }: Request): Promise<Login> {
  if (UserName !== undefined && Password !== undefined) return credentials.verify(UserName, Password, Token)
  if (UserName === undefined && Password === undefined) return caller.user === '' ? fail(400, 'Base.EmptyJSON') : caller
  const missing = UserName === undefined ? 'UserName' : 'Password'
  throw new MessageError(400, [{ ...message('Base.PropertyMissing', missing), related: [`#/${missing}`] }])
}
