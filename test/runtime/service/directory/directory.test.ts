import type { TLSSocket } from 'node:tls'
import t, { type Test } from 'tap'
import type { DirectorySettings } from '#data/accounts'
import { configuration } from '#data/configuration'
import { concatenated } from '#runtime/base/bytes.ts'
import { element } from '#runtime/base/der.ts'
import { MessageError } from '#runtime/contract'
import { Directory } from '#runtime/service/directory/directory.ts'
import { Store } from '#runtime/store/store.ts'
import { pendingTimers } from '#test/runtime/service/timers.ts'
import { type Asked, entry, Liar, message, result } from './liar.ts'

const base = 'dc=example,dc=net'
const dn = `uid=alice,ou=people,${base}`
const address = '192.0.2.1'
const admins = `cn=admins,ou=groups,${base}`
const limits = { connectTime: 5, answerTime: 5, pause: 0, answerBytes: 65_536, groups: 20 }

const isUser = ({ name }: Asked) => name.toLowerCase() === 'alice'

/** The answers of an honest directory: it has one user, in one group. */
const knows = (user: string) => (asked: Asked) => {
  const attributes = { uid: [user], memberOf: [admins] }
  const found = asked.name.toLowerCase() === user ? [entry(asked, `uid=${user},ou=people,${base}`, attributes)] : []
  return concatenated([...found, result(asked)])
}
const honest = knows('alice')

/** A directory that says what the test has it say, and what a login of Alice makes of it. */
async function open(t: Test, answers: Liar['answers'] = honest, changes: Partial<typeof limits> = {}) {
  const store = await Store.open(`${t.testdir()}/store`, configuration.store)
  t.teardown(() => store.close())
  const liar = await Liar.open(t, answers)
  const settings: Partial<DirectorySettings> = {
    enabled: true,
    addresses: [`ldaps://127.0.0.1:${liar.port}`],
    bases: [base],
    generation: '1',
    mappings: [{ group: admins, role: 'Operator' }]
  }
  await store.commit({ trustedCertificate: { 1: { pem: liar.authority.cert } }, directory: { LDAP: settings } })
  let elapsed = 0
  const clock = { now: () => 1_700_000_000_000 + elapsed, elapsed: () => elapsed }
  const directory = new Directory('LDAP', {
    store,
    secrets: { open: (sealed) => sealed },
    configuration: { ...configuration, directory: { ...configuration.directory, ...limits, ...changes } },
    clock
  })
  const login = (user = 'alice', password = 'secret') =>
    directory.verify(user, password, address).then(
      (caller) => caller?.role ?? 'denied',
      (error: unknown) => {
        if (error instanceof MessageError) return error.status
        throw error
      }
    )
  const set = (settings: Partial<DirectorySettings>) => store.commit({ directory: { LDAP: settings } })
  const pass = (milliseconds: number) => {
    elapsed += milliseconds
  }
  return { store, liar, directory, login, set, pass }
}

t.test(
  'a user has the role of the first mapping that names the user, else of the first that names a group',
  async (t) => {
    const { login, set, liar, directory } = await open(t)
    t.equal(directory.isDown, false, 'before it was asked')
    t.equal(await login(), 'Operator')
    t.same(liar.asked.map(({ kind, name }) => `${kind} ${name}`).slice(0, 2), ['search alice', `bind ${dn}`])
    for (const [role, ...mappings] of [
      ['ReadOnly', { group: admins, role: 'Operator' }, { user: 'Alice', role: 'ReadOnly' }],
      ['ReadOnly', { group: 'ADMINS', role: 'ReadOnly' }, { group: admins, role: 'Operator' }],
      ['Operator', { group: 'cn = Admins , ou=groups, DC=example,dc=net', role: 'Operator' }],
      ['denied', { group: 'admin', role: 'Operator' }],
      ['denied', { user: 'bob', role: 'Operator' }],
      ['denied', { user: 'alice', role: 'NoSuchRole' }],
      ['denied']
    ] as const) {
      await set({ mappings })
      t.equal(await login(), role, JSON.stringify(mappings))
    }
  }
)

t.test('groups are not searched for when no mapping names one', async (t) => {
  const { login, set, liar } = await open(t)
  await set({ mappings: [{ user: 'alice', role: 'ReadOnly' }] })
  t.equal(await login(), 'ReadOnly')
  t.same(
    liar.asked.map(({ kind }) => kind).filter((kind) => kind !== 'other'),
    ['search', 'bind']
  )
})

t.test('a group in a group gives its role, and groups that are in each other are followed once', async (t) => {
  const group = (name: string) => `cn=${name},ou=groups,${base}`
  const groups = [
    { name: 'inner', members: [dn, group('outer')] },
    { name: 'outer', members: [group('inner')] }
  ]
  const { login, set, liar } = await open(t, (asked) => {
    if (isUser(asked)) return concatenated([entry(asked, dn, { uid: ['alice'] }), result(asked)])
    const found = groups.filter(({ members }) => members.some((each) => asked.values.includes(each)))
    return concatenated([...found.map(({ name }) => entry(asked, group(name), { cn: [name] })), result(asked)])
  })
  await set({ mappings: [{ group: 'outer', role: 'ReadOnly' }] })
  t.equal(await login(), 'ReadOnly')
  const asked = liar.asked.filter(({ kind, name }) => kind === 'search' && name === '').map(({ values }) => values)
  t.same(asked, [['alice', dn, dn], ...['inner', 'outer'].map((each) => [group(each), group(each)])])
})

t.test('a role is inherited through eight nested groups, and no more', async (t) => {
  const group = (level: number) => `cn=${level},ou=groups,${base}`
  const { login, set } = await open(t, (asked) => {
    if (isUser(asked)) return concatenated([entry(asked, dn, { uid: ['alice'] }), result(asked)])
    if (asked.kind !== 'search') return result(asked)
    const [member = ''] = asked.values.slice(-1)
    const level = member === dn ? 1 : Number(/^cn=(\d+)/.exec(member)?.[1]) + 1
    return concatenated([entry(asked, group(level), { cn: [`${level}`] }), result(asked)])
  })
  for (const [level, role] of [
    [8, 'ReadOnly'],
    [9, 'denied']
  ] as const) {
    await set({ mappings: [{ group: group(level), role: 'ReadOnly' }] })
    t.equal(await login(), role)
  }
})

t.test('groups are searched for under the name for searches, or as a user whose name a template makes', async (t) => {
  const { login, set, liar } = await open(t)
  const steps = async (settings: Partial<DirectorySettings>) => {
    await set(settings)
    liar.asked.length = 0
    t.equal(await login(), 'Operator')
    return liar.asked.flatMap(({ kind, name }) => (kind === 'other' ? [] : [`${kind} ${name}`.trim()]))
  }
  const reader = { bindName: 'cn=reader', bindPassword: 'secret' }
  const searched = await steps(reader)
  t.same(searched, ['bind cn=reader', 'search alice', `bind ${dn}`, 'bind cn=reader', 'search'])
  const templated = await steps({ ...reader, bindTemplate: `uid={user},ou=people,${base}` })
  t.same(templated, [`bind ${dn}`, 'search alice', 'search'])
})

t.test('names that no account could have, and an empty password, are not sent', async (t) => {
  const { login, liar } = await open(t)
  const users = ['', '*', 'a)(uid=*', 'alice\0', 'al ice', 'a'.repeat(65)]
  for (const user of users) t.equal(await login(user), 'denied')
  t.equal(await login('alice', ''), 'denied', 'a directory would take it for a client without a name (RFC 4513 5.1.2)')
  t.same(liar.asked, [])
  liar.answers = knows('a'.repeat(64))
  t.equal(await login('a'.repeat(64)), 'Operator', 'an account could have it')
})

t.test('what a directory says wrongly denies the login', async (t) => {
  const { login, liar } = await open(t)
  const says = (make: (asked: Asked) => Uint8Array[]) => (asked: Asked) =>
    isUser(asked) ? concatenated(make(asked)) : honest(asked)
  for (const [name, answers] of [
    [
      'another user',
      says((asked) => [entry(asked, `uid=bob,${base}`, { uid: ['bob'], memberOf: [admins] }), result(asked)])
    ],
    [
      'a user elsewhere',
      says((asked) => [
        entry(asked, 'uid=alice,dc=example,dc=com', { uid: ['alice'], memberOf: [admins] }),
        result(asked)
      ])
    ],
    [
      'a user without a name',
      says((asked) => [entry(asked, '', { uid: ['alice'], memberOf: [admins] }), result(asked)])
    ],
    ['no user', says((asked) => [result(asked)])],
    [
      'two users',
      says((asked) => [
        entry(asked, dn, { uid: ['alice'], memberOf: [admins] }),
        entry(asked, `uid=alice,ou=guests,${base}`, { uid: ['alice'], memberOf: [admins] }),
        result(asked)
      ])
    ],
    ['a wrong password', (asked: Asked) => (asked.kind === 'bind' ? result(asked, 49) : honest(asked))],
    ['a disabled user', (asked: Asked) => (asked.kind === 'bind' ? result(asked, 53) : honest(asked))],
    ['a refused search', says((asked) => [result(asked, 50)])],
    ['three entries', says((asked) => [1, 2, 3].map((n) => entry(asked, `uid=${n},${base}`, { uid: ['alice'] })))],
    [
      'an answer to no question',
      says((asked) => [
        entry(asked, dn, { uid: ['alice'], memberOf: [admins] }),
        result({ ...asked, id: asked.id + 1 })
      ])
    ],
    [
      'two ends of an answer',
      says((asked) => [entry(asked, dn, { uid: ['alice'], memberOf: [admins] }), result(asked), result(asked)])
    ],
    [
      'a group that is named like another',
      says((asked) => [
        entry(asked, dn, { uid: ['alice'], memberOf: [`cn=${admins.replaceAll(',', '\\,')},${base}`] }),
        result(asked)
      ])
    ],
    [
      'more groups than are followed',
      says((asked) => [
        entry(asked, dn, {
          uid: ['alice'],
          memberOf: [admins, ...Array.from({ length: 20 }, (_, n) => `cn=${n},${base}`)]
        }),
        result(asked)
      ])
    ],
    [
      '10,000 groups',
      says((asked) => [
        entry(asked, dn, {
          uid: ['alice'],
          memberOf: [admins, ...Array.from({ length: 10_000 }, (_, n) => `cn=${n},${base}`)]
        }),
        result(asked)
      ])
    ]
  ] as const) {
    liar.answers = answers
    t.equal(await login(), 'denied', name)
    liar.answers = honest
    t.equal(await login(), 'Operator', 'others are as before')
  }
})

t.test('a directory that does not answer as it should is one that is not there', async (t) => {
  const { login, liar, directory } = await open(t, honest, { answerTime: 0.3, connectTime: 5 })
  for (const [name, answers] of [
    ['half a value, and no more', (asked: Asked) => honest(asked).subarray(0, 20)],
    ['no LDAP', () => Uint8Array.of(0x48, 0x54, 0x54, 0x50)],
    ['an indefinite length', () => Uint8Array.of(0x30, 0x80, 0, 0)],
    ['a length of five bytes', () => Uint8Array.of(0x30, 0x85, 0, 0, 0, 0, 5)],
    ['a value that ends after its parent', () => Uint8Array.of(0x30, 0x05, 0x02, 0x01, 0x01, 0x64, 0x7f)],
    ['nothing', () => undefined],
    ['busy', (asked: Asked) => result(asked, 51)],
    ['unavailable', (asked: Asked) => result(asked, 52)],
    ['busy once it has said who the user is', (asked) => (asked.kind === 'bind' ? result(asked, 51) : honest(asked))],
    [
      'the end',
      (_asked, socket) => {
        socket.destroy()
        return undefined
      }
    ]
  ] as [string, Liar['answers']][]) {
    liar.answers = answers
    t.equal(await login(), 503, name)
    t.ok(directory.isDown)
    liar.answers = honest
    t.equal(await login(), 'Operator')
    t.notOk(directory.isDown)
  }
})

t.test('a login fails as soon as the server ends the connection', async (t) => {
  const { directory } = await open(t, (_asked, socket) => {
    socket.end()
    return undefined
  })
  await t.rejects(directory.test(address), { message: /the directory has closed the connection/ })
})

t.test('a test of a directory names the servers that do not do what logins need, and why', async (t) => {
  const { directory, set, liar, login } = await open(t, honest, { pause: 10 })
  const [sound, dead] = [`ldaps://127.0.0.1:${liar.port}`, 'ldaps://127.0.0.1:1']
  const failures = (...servers: readonly string[]) =>
    set({ addresses: servers })
      .then(() => directory.test(address))
      .then(
        () => [],
        (error: unknown) => {
          if (!(error instanceof MessageError)) throw error
          return [error.status, ...error.messages.map(({ key, args: [server] }) => `${key} ${server}`)]
        }
      )
  const why = () =>
    directory.test(address).then(
      () => '',
      ({ messages: [first] }: MessageError) => first?.args[1]
    )
  liar.answers = (asked) =>
    asked.kind === 'search' ? concatenated([entry(asked, base, {}), result(asked)]) : result(asked)
  t.same(await failures(sound), [])
  t.same(await failures(dead, sound), [400, `Mgmt.DirectoryTestFailed ${dead}`])
  await set({ addresses: [sound], bindName: 'cn=reader', bindPassword: 'secret' })
  liar.asked.length = 0
  t.equal(await why(), '')
  t.same(
    liar.asked.filter(({ kind }) => kind !== 'other').map(({ kind, name }) => `${kind} ${name}`.trim()),
    ['bind cn=reader', 'search']
  )
  for (const [answers, cause] of [
    [(asked: Asked) => result(asked, 49), 'the directory refuses the name or the password for searches'],
    [(asked: Asked) => result(asked), `the directory shows no entry ${base}`],
    [(asked: Asked) => result(asked, asked.kind === 'search' ? 32 : 0), `the directory shows no entry ${base}`],
    [
      (asked: Asked) => result(asked, 50, `no\n\u00e4${'x'.repeat(200)}`),
      `the directory answers with the result 50 no??${'x'.repeat(156)}`
    ]
  ] as const) {
    liar.answers = (asked) => (asked.kind === 'bind' && !cause.includes('password') ? result(asked) : answers(asked))
    t.equal(await why(), cause)
  }
  liar.answers = () => undefined
  await set({ bindTemplate: `uid={user},ou=people,${base}` })
  t.equal(await why(), '', 'users bind first')
  liar.answers = honest
  t.equal(await login(), 'Operator', 'no server is left alone because of a test')
})

t.test('a password for searches that the directory refuses is a failure of the server', async (t) => {
  const { login, set, liar } = await open(t, (asked) =>
    asked.name === 'cn=reader' ? result(asked, 49) : honest(asked)
  )
  await set({ bindName: 'cn=reader', bindPassword: 'other' })
  t.equal(await login(), 503)
  t.notOk(liar.asked.some(({ kind }) => kind === 'search'))
  liar.asked.length = 0
  await set({ bindPassword: '' })
  t.equal(await login(), 'denied')
  t.notOk(
    liar.asked.some(({ kind }) => kind === 'bind'),
    'without a password the name is not sent'
  )
})

t.test('a base that a server does not have has no users', async (t) => {
  const { login, set, liar } = await open(t)
  await set({ bases: ['dc=gone', base] })
  let searches = 0
  liar.answers = (asked) => {
    if (asked.kind === 'search') searches += 1
    return asked.kind === 'search' && searches % 2 === 1 ? result(asked, 32) : honest(asked)
  }
  t.equal(await login(), 'Operator')
})

t.test('the connection of a login ends with it, and so do its timers', async (t) => {
  const { login, liar, set } = await open(t, honest, { connectTime: 600, answerTime: 600 })
  const timers = pendingTimers(t, 600_000)
  t.equal(await login(), 'Operator')
  t.equal(timers.size, 0)
  await liar.closed()
  t.equal(liar.asked.at(-1)?.kind, 'other', 'an unbind')
  await set({ addresses: [`ldap://127.0.0.1:${liar.startTlsPort}`] })
  liar.startTlsCode = 2
  t.equal(await login(), 503)
  t.equal(timers.size, 0, 'also of one that never had TLS')
  await liar.closed()
  t.same(liar.plain, [], 'which has said nothing more')
})

t.test('a server without a certificate of a trusted authority is asked nothing', async (t) => {
  const { login, liar, store } = await open(t)
  await store.commit({ trustedCertificate: { 1: null } })
  t.equal(await login(), 503)
  t.same(liar.asked, [])
})

t.test('a server may send as many bytes in a login as the limit says, and not one more', async (t) => {
  const { login, liar } = await open(t)
  const sends = async (size: number) => {
    let sent = 0
    liar.answers = (asked) => {
      const ignored = isUser(asked) ? [message(asked.id, element(0x73, new Uint8Array(size)))] : []
      const answer = concatenated([...ignored, honest(asked)])
      if (asked.kind !== 'other') sent += answer.length
      return answer
    }
    return { role: await login(), sent }
  }
  const most = limits.answerBytes
  const size = 1000 + most - (await sends(1000)).sent
  t.same(await sends(size), { role: 'Operator', sent: most })
  t.same(await sends(size + 1), { role: 'denied', sent: most + 1 })
})

t.test('a server learns the name that its settings have for it, but no address', async (t) => {
  const { login, liar, set } = await open(t)
  let named: unknown
  liar.answers = (asked, socket) => {
    named = socket.servername
    return honest(asked)
  }
  for (const [host, name] of [
    ['127.0.0.1', false],
    ['localhost', 'localhost']
  ] as const) {
    await set({ addresses: [`ldaps://${host}:${liar.port}`] })
    t.equal(await login(), 'Operator', host)
    t.equal(named, name, host)
  }
})

t.test('bytes that come before TLS are not part of an answer, and the server is asked nothing', async (t) => {
  const { login, liar, set } = await open(t)
  await set({ addresses: [`ldap://127.0.0.1:${liar.startTlsPort}`] })
  t.equal(await login(), 'Operator')
  liar.asked.length = 0
  const ignored = message(1, element(0x73))
  liar.early = ignored.subarray(0, 3)
  liar.answers = (asked) => concatenated([isUser(asked) ? ignored.subarray(3) : new Uint8Array(), honest(asked)])
  t.equal(await login(), 503)
  t.same(
    liar.asked.filter(({ kind }) => kind !== 'other'),
    []
  )
})

t.test('the next server is asked when one sends a whole message together with its answer to StartTLS', async (t) => {
  const { login, liar, set, store } = await open(t)
  await set({ addresses: [`ldap://127.0.0.1:${liar.startTlsPort}`, `ldaps://127.0.0.1:${liar.port}`] })
  const ignored = message(1, element(0x73))
  const search = { id: 1, kind: 'search' } as const
  for (const sent of [
    { early: ignored },
    { early: result(search) },
    { early: entry(search, dn, {}) },
    { ahead: entry(search, dn, {}) },
    { ahead: result({ ...search, id: 2 }) }
  ]) {
    Object.assign(liar, { ahead: new Uint8Array(), early: new Uint8Array(), ...sent })
    const lines = t.capture(store.log, 'warning', () => {})
    t.equal(await login(), 'Operator')
    t.equal(lines().length, 1, 'of the first')
  }
})

t.test('a server that sends a byte now and then has no more time than others', async (t) => {
  const { login, liar } = await open(t, honest, { answerTime: 0.5 })
  liar.answers = (asked, socket) => {
    const answer = honest(asked)
    let at = 0
    const timer = setInterval(() => {
      if (socket.destroyed) clearInterval(timer)
      else socket.write(answer.subarray(at, ++at))
    }, 50)
    return undefined
  }
  t.equal(await login(), 503)
})

t.test('bytes that other servers write in more length bytes than needed are read', async (t) => {
  const { login, liar } = await open(t)
  liar.answers = (asked) => {
    if (asked.kind !== 'bind') return honest(asked)
    const operation = Uint8Array.of(0x61, 0x84, 0, 0, 0, 7, 0x0a, 1, 0, 0x04, 0, 0x04, 0)
    const inner = [0x02, 1, asked.id, ...operation]
    return Uint8Array.of(0x30, 0x84, 0, 0, 0, inner.length, ...inner)
  }
  t.equal(await login(), 'Operator', 'as Active Directory does')
  liar.answers = (asked) => concatenated([message(asked.id, Uint8Array.of(0x73, 2, 0x04, 0)), honest(asked)])
  t.equal(await login(), 'Operator', 'a reference to another server means nothing')
})

t.test('a server that did not answer is left alone for a while, until the settings change', async (t) => {
  const { login, liar, set, pass, directory } = await open(t, () => Uint8Array.of(1), { pause: 10 })
  t.equal(await login(), 503)
  const asked = liar.asked.length
  liar.answers = honest
  pass(9999)
  const refused = await directory.verify('alice', 'secret', address).catch((error: unknown) => error)
  t.match(refused, { status: 503, headers: { 'Retry-After': '10' } })
  t.equal(liar.asked.length, asked)
  pass(1)
  t.equal(await login(), 'Operator')
  liar.answers = () => Uint8Array.of(1)
  t.equal(await login(), 503)
  liar.answers = honest
  await set({ generation: '2' })
  t.equal(await login(), 'Operator')
  await set({ addresses: ['ldaps://127.0.0.1:1', `ldaps://127.0.0.1:${liar.port}`], generation: '3' })
  t.equal(await login(), 'Operator', 'the next server is asked')
})

t.test('a server that answers one login is not left alone because it failed another meanwhile', async (t) => {
  const { login, liar, directory } = await open(t, honest, { pause: 10 })
  const begin = async (user: string) => {
    const search = new Promise<[Asked, TLSSocket]>((resolve) => {
      liar.answers = (...given) => void resolve(given)
    })
    const answer = login(user)
    const [asked, socket] = await search
    return { answer, asked, socket }
  }
  const [failed, answered] = [await begin('alice'), await begin('bob')]
  failed.socket.destroy()
  t.equal(await failed.answer, 503)
  liar.answers = knows('bob')
  answered.socket.write(knows('bob')(answered.asked))
  t.equal(await answered.answer, 'Operator')
  t.notOk(directory.isDown)
  t.equal(await login('bob'), 'Operator', 'it is asked at once')
})

t.test('a user who was verified is known for the time of a session, under the settings of then', async (t) => {
  const { directory, login, set, pass, liar } = await open(t)
  const named = () => directory.named({ account: 'LDAP:alice' }, address)?.role
  t.equal(named(), undefined)
  await login('Alice')
  t.equal(named(), 'Operator')
  t.equal(directory.named({ account: 'LDAP:bob' }, address), undefined)
  liar.answers = knows('bob')
  t.equal(await login('bob'), 'Operator')
  t.equal(named(), 'Operator', 'others may log in meanwhile')
  liar.answers = honest
  pass(configuration.sessionTimeout * 1000 - 1)
  t.equal(named(), 'Operator')
  pass(1)
  t.equal(named(), undefined)
  await login()
  await set({ generation: '2' })
  t.equal(named(), undefined)
  await login()
  await set({ enabled: false })
  t.equal(named(), undefined)
})

t.test(
  '64 users are known; one more forgets the one whose login is oldest, and a login again forgets no other',
  async (t) => {
    const { directory, login } = await open(t, (asked) =>
      asked.kind === 'search' ? knows(asked.name)(asked) : result(asked)
    )
    const users = Array.from({ length: 65 }, (_, index) => `user${index}`)
    const known = () => users.filter((user) => directory.named({ account: `LDAP:${user}` }, address) !== undefined)
    for (const user of [...users.slice(0, 64), 'user63']) await login(user)
    t.same(known(), users.slice(0, 64))
    for (const user of ['user0', 'user64']) await login(user)
    t.same(known(), ['user0', ...users.slice(2)])
  }
)

t.test('a session keeps the role of its login, and has no user without its record', async (t) => {
  const { directory, store } = await open(t)
  const session = { user: 'LDAP:alice', directory: { user: 'alice', role: 'ReadOnly' }, generation: '1' }
  await store.commit({ session: { s: { ...session, token: '', createdAt: 0, accessedAt: 0, address } } })
  t.match(directory.named({ account: 'LDAP:alice', session: 's' }, address), {
    user: 'alice',
    role: 'ReadOnly',
    generation: '1',
    session: 's'
  })
  t.equal(directory.named({ account: 'LDAP:alice', session: 'none' }, address), undefined)
})

t.test('settings that change while a directory is asked deny the login', async (t) => {
  const { login, liar, set } = await open(t)
  let changed: Promise<unknown> = Promise.resolve()
  liar.answers = (asked, socket) => {
    if (asked.kind !== 'bind') return honest(asked)
    changed = set({ generation: '2' }).then(() => socket.write(honest(asked)))
    return undefined
  }
  t.equal(await login(), 'denied')
  await changed
})
