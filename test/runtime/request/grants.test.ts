import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { certificateFrom } from '#data/certificates'
import type { License } from '#data/license'
import { pem } from '#runtime/base/pem.ts'
import type { Caller } from '#runtime/contract'
import type { Authentication } from '#runtime/request/authenticate.ts'
import { Grants } from '#runtime/request/grants.ts'
import type { PendingUpload } from '#runtime/request/handle.ts'
import type { RouteMatch } from '#runtime/request/routes.ts'
import type { Store } from '#runtime/store/store.ts'
import { Authority } from '#test/host/authority.ts'
import { as, type Fixture, openFixture } from '../service.ts'

const accounts = '/redfish/v1/AccountService/Accounts'
const operator = `${accounts}/ann/`
const sessions = '/redfish/v1/SessionService/Sessions'

const authority = new Authority(t, 'Users')
const own = certificateFrom(authority.issue({ until: 5 }).cert)
const license: License = { key: '', class: 'Advanced', id: '1', serial: null, issued: 0, expires: null, ended: false }

/** The ways in which a client is known. */
const ways = ['password', 'session', 'certificate', 'session by certificate'] as const
type Way = (typeof ways)[number]

interface Known {
  readonly headers: Readonly<Record<string, string>>
  readonly certificate?: () => Uint8Array
}

/** An open stream, console or upload of a client. */
interface Held {
  readonly name: string
  /** How it was ended; undefined while it is open. */
  ended: string | undefined
  readonly end: Promise<void>
}

const offer = {
  upgrade: 'websocket',
  connection: 'upgrade',
  'sec-websocket-version': '13',
  'sec-websocket-key': `${'A'.repeat(22)}==`
}

/** A service with an operator, who may log in by a password and by a certificate. */
async function ready(t: Test): Promise<Fixture & { known: (way: Way) => Promise<Known> }> {
  const fixture = await openFixture()
  t.teardown(() => fixture.close())
  const { ask, service } = fixture
  t.equal((await ask('POST', accounts, { UserName: 'ann', Password: 'Green-Door-4', RoleId: 'Operator' })).status, 201)
  await service.store.commit({
    certificateLogin: { 1: { enabled: true } },
    license: { 1: license },
    trustedCertificate: { ca: { pem: authority.cert } },
    userCertificate: { ann: { pem: pem('CERTIFICATE', own) } }
  })
  const certificate = () => own
  const known = async (way: Way): Promise<Known> => {
    if (way === 'password') return { headers: as('ann', 'Green-Door-4') }
    if (way === 'certificate') return { headers: {}, certificate }
    const login = way === 'session' ? JSON.stringify({ UserName: 'ann', Password: 'Green-Door-4' }) : ''
    const head = { method: 'POST', target: sessions, headers: {}, address: '::1' }
    const { status, headers } = await service.handling.handle({
      ...head,
      body: Buffer.from(login),
      ...(login === '' && { certificate })
    })
    t.equal(status, 201)
    return { headers: { 'x-auth-token': String(headers[headers.indexOf('X-Auth-Token') + 1]) } }
  }
  return Object.assign(fixture, { known })
}

/** Begins a stream, a console or an upload. */
async function begin({ service }: Fixture, kind: 'stream' | 'console' | 'upload', known: Known, name: string) {
  const targets = {
    stream: ['GET', '/redfish/v1/EventService/SSE', {}],
    console: ['GET', '/redfish/v1/Systems/1/SerialConsole', offer],
    upload: ['POST', '/redfish/v1/UpdateService/update', {}]
  } as const
  const [method, target, headers] = targets[kind]
  const head = { method, target, address: '::1', ...known, headers: { ...headers, ...known.headers } }
  const begun = await service.handling.begin(head)
  let ended = (_: string) => {}
  const held: Held = {
    name,
    ended: undefined,
    end: new Promise((resolve) => {
      ended = (how) => {
        held.ended ??= how
        resolve()
      }
    })
  }
  if ('finish' in begun) {
    const upload = begun.upload as PendingUpload
    upload.onRefused(({ status }) => {
      ended(String(status))
      upload.release()
    })
    return held
  }
  const client = { write: () => {}, unread: () => 0, cut: () => ended('cut') }
  if (begun.stream !== undefined) {
    const gone = begun.stream({
      ...client,
      end: () => {
        ended('end')
        gone()
      }
    })
  } else if (begun.exchange !== undefined) {
    const exchange = begun.exchange({
      ...client,
      end: (reason) => {
        ended(String(reason))
        exchange.gone(false)
      }
    })
  } else throw new Error(`${name} is refused: ${begun.status}`)
  return held
}

const kinds = ['stream', 'console'] as const

/** Everything that is held. */
const all: readonly string[] = kinds.flatMap((kind) => ways.map((way) => `${kind} by ${way}`))
const withCertificate = all.filter((name) => name.endsWith('certificate'))

/** Changes, with the streams and consoles that they end. */
const happenings: Readonly<Record<string, readonly [(fixture: Fixture) => Promise<unknown>, readonly string[]]>> = {
  'the role has fewer privileges': [
    ({ ask }) => ask('PATCH', operator, { RoleId: 'ReadOnly' }),
    all.filter((name) => name.startsWith('console'))
  ],
  'the role has more privileges': [({ ask }) => ask('PATCH', operator, { RoleId: 'Administrator' }), []],
  'the account is disabled': [({ ask }) => ask('PATCH', operator, { Enabled: false }), all],
  'the account is deleted': [({ ask }) => ask('DELETE', operator), all],
  'the password is changed': [
    ({ ask }) => ask('PATCH', operator, { Password: 'Green-Door-5' }),
    all.filter((name) => !/^\w+ by certificate$/.test(name))
  ],
  'the password is to be changed': [({ ask }) => ask('PATCH', operator, { PasswordChangeRequired: true }), all],
  'the sessions end': [
    async ({ service: { store } }) =>
      store.commit({ session: Object.fromEntries(store.keys('session').map((id) => [id, null])) }),
    all.filter((name) => name.includes('session'))
  ],
  'the sessions are idle for too long': [
    async ({ sleep }) => sleep(1801),
    all.filter((name) => name.includes('session'))
  ],
  'the mapping of the certificate is removed': [
    ({ ask }) => ask('DELETE', '/redfish/v1/AccountService/UserCertificateMapping/ann/'),
    withCertificate
  ],
  'the authority of the certificate is removed': [
    ({ service }) => service.store.commit({ trustedCertificate: { ca: null } }),
    withCertificate
  ],
  'login with certificates is switched off': [
    ({ service }) => service.store.commit({ certificateLogin: { 1: { enabled: false } } }),
    withCertificate
  ],
  'the license is removed': [({ service }) => service.store.commit({ license: { 1: null } }), withCertificate],
  'the license has expired': [
    async ({ service, sleep }) => {
      await service.store.commit({ license: { 1: { expires: Math.floor(Date.now() / 1000) + 60 } } })
      sleep(61)
    },
    withCertificate
  ],
  'the certificate has expired': [
    async ({ sleep }) => sleep(6 * 86_400),
    all.filter((name) => !name.endsWith('by password'))
  ],
  'the account is locked': [
    ({ service }) => service.store.commit({ account: { ann: { lockedUntil: Date.now() + 1e6 } } }),
    []
  ],
  'something else is changed': [
    ({ ask }) => ask('PATCH', '/redfish/v1/Chassis/1/', { LocationIndicatorActive: true }),
    []
  ]
}

for (const [name, [happens, ending]] of Object.entries(happenings)) {
  t.test(`when ${name}, ${ending.length === 0 ? 'nothing ends' : 'what rested on it ends'}`, async (t) => {
    const fixture = await ready(t)
    const held: Held[] = []
    for (const way of ways) {
      const known = await fixture.known(way)
      for (const kind of kinds) held.push(await begin(fixture, kind, known, `${kind} by ${way}`))
    }
    t.notOk(held.some(({ ended }) => ended))
    await happens(fixture)
    await Promise.all(held.filter((each) => ending.includes(each.name)).map(({ end }) => end))
    const over = held.filter(({ ended }) => ended !== undefined).map((each) => each.name)
    t.same(over.sort(), [...ending].sort())
    for (const { name, ended = '' } of held) t.match(ended, name.startsWith('stream') ? /^(end)?$/ : /^(1008)?$/)
  })
}

t.test(
  'an upload under way is refused when its sender may not make it any more, and the next one begins',
  async (t) => {
    const fixture = await ready(t)
    const known = await fixture.known('password')
    const first = await begin(fixture, 'upload', known, 'first')
    await t.rejects(begin(fixture, 'upload', known, 'second'), /503/)
    await fixture.ask('PATCH', operator, { RoleId: 'ReadOnly' })
    await first.end
    t.equal(first.ended, '403')
    await fixture.ask('PATCH', operator, { RoleId: 'Operator' })
    const second = await begin(fixture, 'upload', known, 'second')
    await fixture.ask('PATCH', operator, { Password: 'Green-Door-5' })
    await second.end
    t.equal(second.ended, '401')
    const head = { method: 'POST', target: '/redfish/v1/UpdateService/update', address: '::1' }
    const begun = await fixture.service.handling.begin({ ...head, headers: as('ann', 'Green-Door-5') })
    const third = (begun as { readonly upload: PendingUpload }).upload
    third.onRefused(() => t.fail('it has ended before'))
    third.release()
    t.equal((await fixture.ask('PATCH', operator, { RoleId: 'ReadOnly' })).status, 200)
  }
)

t.test('what ends with time is looked at for as long as anything is held', async (t) => {
  const alive = setInterval(() => undefined, 1000) // the service's own timer does not keep a process alive
  t.teardown(() => clearInterval(alive))
  let isOver = false
  const again = (caller: Caller) => {
    if (isOver) throw new Error('over')
    return caller
  }
  const store = { onCommit: () => () => undefined } as unknown as Store
  const grants = new Grants(store, { again } as unknown as Authentication, Date.now)
  t.teardown(() => grants.close())
  const found = { route: { module: { privileges: { GET: 'NoAuth' } } } } as unknown as RouteMatch
  const hold = (end: () => void) => grants.hold({ found, method: 'GET', caller: {} as Caller, end })
  const release = hold(() => t.fail('it was released'))
  const ended = new Promise<void>((end) => hold(end))
  release()
  isOver = true
  await ended
})

t.test('what is held is not looked at once the service is closed', async (t) => {
  const alive = setInterval(() => undefined, 1000)
  t.teardown(() => clearInterval(alive))
  const store = { onCommit: () => () => undefined } as unknown as Store
  const found = { route: { module: { privileges: { GET: 'NoAuth' } } } } as unknown as RouteMatch
  /** How often something was looked at. */
  const looked = () => {
    const counted = { times: 0 }
    const again = (caller: Caller) => {
      counted.times += 1
      return caller
    }
    const grants = new Grants(store, { again } as unknown as Authentication, Date.now)
    grants.hold({ found, method: 'GET', caller: {} as Caller, end: () => t.fail('nothing is over') })
    return { grants, counted }
  }
  const [closed, open] = [looked(), looked()]
  t.teardown(() => open.grants.close())
  closed.grants.close()
  while (open.counted.times < 3) await pause(100)
  t.equal(closed.counted.times, 1)
})

t.test('a change is stored only if its sender may make it then', async (t) => {
  const fixture = await ready(t)
  const { ask, service } = fixture
  const target = `${accounts}/ann/`
  await ask('PATCH', target, { RoleId: 'Administrator' })
  for (const [body, demoted, status] of [
    [{ RoleId: 'Administrator' }, { RoleId: 'ReadOnly' }, 403],
    [{ Password: 'Green-Door-6' }, { Enabled: false }, 401]
  ] as const) {
    const head = { method: 'PATCH', target, address: '::1' }
    const headers = { ...as('ann', 'Green-Door-4'), 'content-type': 'application/json', 'content-length': '1' }
    const begun = await service.handling.begin({ ...head, headers })
    t.ok('finish' in begun)
    t.equal((await ask('PATCH', target, demoted)).status, 200)
    const answer = 'finish' in begun && (await begun.finish(Buffer.from(JSON.stringify(body))))
    t.match(answer, { status })
    t.match((await ask('GET', target)).json, { RoleId: 'ReadOnly' })
  }
})

t.test('a change whose inputs have changed is computed again', async (t) => {
  const fixture = await ready(t)
  const { ask } = fixture
  const target = `${accounts}/ann/`
  await ask('PATCH', target, { RoleId: 'Administrator' })
  t.equal((await ask('GET', target, undefined, as('ann', 'Green-Door-4'))).status, 200)
  // Who manages users may change the role, and everybody the own password: hashing it takes time.
  const both = ask('PATCH', target, { RoleId: 'Administrator', Password: 'Green-Door-6' }, as('ann', 'Green-Door-4'))
  const [changed, demoted] = await Promise.all([both, ask('PATCH', target, { RoleId: 'ReadOnly' })])
  t.equal(demoted.status, 200)
  t.equal(changed.status, 403)
  t.match((await ask('GET', target)).json, { RoleId: 'ReadOnly' })
})
