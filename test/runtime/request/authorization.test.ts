// own process: thousands of probes take long
import t, { type Test } from 'tap'
import { certificateFrom } from '#data/certificates'
import { handlers } from '#generated'
import { concatenated } from '#runtime/base/bytes.ts'
import { pem } from '#runtime/base/pem.ts'
import { methods, standardPrivileges, vendorPrivileges } from '#runtime/contract'
import { Authority } from '#test/host/authority.ts'
import { codeOf } from '#test/runtime/service/accounts/authenticator.ts'
import { entry, Liar, result } from '#test/runtime/service/directory/liar.ts'
import { type Answer, as, type Fixture, openFixture } from '#test/runtime/service.ts'

const service = '/redfish/v1/AccountService/'
const password = 'Green-Door-4'
const all = [...standardPrivileges, ...vendorPrivileges]

/** A client that sends probes, with one way of authentication. */
interface Prober {
  readonly name: string
  /** The account, for what belongs to it; empty for a user of a directory. */
  readonly account: string
  readonly headers: Readonly<Record<string, string>>
  readonly certificate?: () => Uint8Array
  /** Everything that the resources of the account and its role say that it may, now. */
  held(): Promise<ReadonlySet<string>>
}

/** The same numbers in each run: a linear congruential generator with the figures of POSIX's `rand48`. */
let state = 20_261_127n
function random(below: number): number {
  state = (state * 0x5deece66dn + 0xbn) % 2n ** 48n
  return Number(state >> 24n) % below
}

const some = <T>(values: readonly T[]): T[] => values.filter(() => random(3) === 0)

/** Random privileges for a custom role: most of them include login. */
const privilegesOfRole = () => ({
  AssignedPrivileges: [...new Set([...(random(6) === 0 ? [] : ['Login']), ...some(standardPrivileges)])],
  OemPrivileges: some(vendorPrivileges)
})

/** Custom roles: one for each privilege alone, and others by chance. */
async function makeRoles({ ask }: Fixture): Promise<string[]> {
  const single = all.map((each) => ({
    AssignedPrivileges: [
      ...new Set(['Login', ...(standardPrivileges as readonly string[]).filter((other) => other === each)])
    ],
    OemPrivileges: vendorPrivileges.filter((other) => other === each)
  }))
  const roles = [...single, ...Array.from({ length: 8 }, privilegesOfRole)]
  for (const [index, role] of roles.entries()) {
    const { status, text } = await ask('POST', `${service}Roles/`, { RoleId: `Role${index}`, ...role })
    if (status !== 201) throw new Error(text)
  }
  return roles.map((_, index) => `Role${index}`)
}

/** An account for each role, and some that differ from their roles. */
async function makeAccounts({ ask }: Fixture, roles: readonly string[]): Promise<string[]> {
  const accounts: string[] = []
  const make = async (RoleId: string, Privileges?: object) => {
    const UserName = `user${accounts.length}`
    const made = await ask('POST', `${service}Accounts/`, { UserName, Password: password, RoleId })
    if (made.status !== 201) throw new Error(made.text)
    if (Privileges) await ask('PATCH', `${service}Accounts/${UserName}/`, { Oem: { Vendor: { Privileges } } })
    accounts.push(UserName)
  }
  for (const role of roles) await make(role)
  const differing = ['Operator', 'ReadOnly', 'Administrator', 'Operator', 'ReadOnly', roles[0]!]
  for (const role of differing)
    await make(
      role,
      Object.fromEntries(vendorPrivileges.map((each) => [each, each === 'LoginPriv' || random(2) === 0]))
    )
  return accounts
}

/**
 * The standard and vendor privileges of an account: those of its role. An account that differs from its role lists its
 * own vendor privileges.
 */
async function heldBy({ ask, service: { store } }: Fixture, account: string): Promise<ReadonlySet<string>> {
  const { RoleId, Oem } = (await ask('GET', `${service}Accounts/${account}/`)).json
  const { AssignedPrivileges, OemPrivileges } = (await ask('GET', `${service}Roles/${RoleId}/`)).json
  if (store.get('account', account)?.granted === undefined) return new Set([...AssignedPrivileges, ...OemPrivileges])
  const flags = vendorPrivileges.filter((each) => Oem.Vendor.Privileges[each])
  return new Set([...flags, ...AssignedPrivileges.filter((each: string) => each === 'ConfigureSelf')])
}

/** The ways in which the user of an account says who it is. */
const ways: Readonly<
  Record<string, (fixture: Fixture, account: string) => Promise<Pick<Prober, 'headers' | 'certificate'>>>
> = {
  'HTTP Basic': async (_, account) => ({ headers: as(account, password) }),
  session: async ({ ask }, account) => {
    const login = await ask(
      'POST',
      '/redfish/v1/SessionService/Sessions/',
      { UserName: account, Password: password },
      {}
    )
    return { headers: { 'x-auth-token': login.headers['x-auth-token'] ?? 'none' } }
  },
  certificate: async ({ service }, account) => {
    const own = certificateFrom(authority.issue({ until: 5 }).cert)
    await service.store.commit({ userCertificate: { [account]: { pem: pem('CERTIFICATE', own) } } })
    return { headers: {}, certificate: () => own }
  }
}

const authority = new Authority(t, 'Users')

/** Users of a directory, one for each role, who log in once and by HTTP Basic. The directory knows everybody. */
async function remoteProbers(t: Test, fixture: Fixture, roles: readonly string[]): Promise<Prober[]> {
  const base = 'dc=example,dc=net'
  const liar = await Liar.open(t, (asked) => {
    const found =
      asked.kind === 'search' ? entry(asked, `uid=${asked.name},${base}`, { uid: [asked.name] }) : new Uint8Array()
    return concatenated([found, result(asked)])
  })
  const mappings = roles.map((role) => ({ user: `remote-${role}`, role }))
  const addresses = [`ldaps://127.0.0.1:${liar.port}`]
  await fixture.service.store.commit({
    trustedCertificate: { directory: { pem: liar.authority.cert } },
    directory: { LDAP: { enabled: true, addresses, bases: [base], mappings, generation: '1' } }
  })
  const probers: Prober[] = []
  for (const role of roles) {
    const user = `remote-${role}`
    const held = async () => {
      const { AssignedPrivileges, OemPrivileges } = (await fixture.ask('GET', `${service}Roles/${role}/`)).json
      return new Set<string>([...AssignedPrivileges, ...OemPrivileges])
    }
    for (const way of ['session', 'HTTP Basic'] as const)
      probers.push({ name: `${user} by ${way}`, account: '', held, ...(await ways[way]?.(fixture, user))! })
  }
  return probers
}

async function ready(t: Test): Promise<Fixture> {
  const fixture = await openFixture(({ limits, lockout }) => {
    Object.assign(limits, { accounts: 64, roles: 64, sessions: 256, streams: 10_000 })
    Object.assign(lockout, { threshold: 0 })
  })
  t.teardown(() => fixture.close())
  await fixture.service.store.commit({
    certificateLogin: { 1: { enabled: true } },
    license: { 1: { key: '', class: 'Advanced', id: '1', serial: null, issued: 0, expires: null, ended: false } },
    trustedCertificate: { ca: { pem: authority.cert } }
  })
  return fixture
}

/** Sets of privileges of which one is enough. */
type Needed = readonly { readonly Privilege: readonly string[] }[]

/** The standard privileges that include those of the vendor which files and streams need. */
const standardOf: Readonly<Record<string, string>> = {
  LoginPriv: 'Login',
  MgmtConfigPriv: 'ConfigureManager',
  HostBIOSConfigPriv: 'ConfigureComponents',
  RemoteConsolePriv: 'ConfigureComponents',
  VirtualMediaPriv: 'ConfigureComponents'
}

/** The privileges that an operation needs by the service's privilege map; for files, by their handlers. */
async function privilegeMap({ ask }: Fixture): Promise<(template: string, method: string) => Needed> {
  const { Mappings } = (await ask('GET', `${service}PrivilegeMap/`)).json
  const byTarget = new Map<string, Record<string, Needed>>()
  const byEntity = new Map<string, Record<string, Needed>>()
  for (const { Entity, OperationMap, ResourceURIOverrides = [] } of Mappings) {
    byEntity.set(Entity, OperationMap)
    for (const { Targets, OperationMap } of ResourceURIOverrides)
      for (const each of Targets) byTarget.set(each, OperationMap)
  }
  return (template, method) => {
    const { module } = handlers.find((each) => each.template === template)!
    const entity = module.schema?.title?.split('.').at(-1)
    const known = byTarget.get(template) ?? (entity === undefined ? undefined : byEntity.get(entity))
    const ofFile = [module.privileges[method as 'GET'] as string | string[]].flat()
    return (
      known?.[method] ??
      ofFile.flatMap((each) => [each, standardOf[each] ?? each]).map((each) => ({ Privilege: [each] }))
    )
  }
}

/** Requests that change nothing for any client: with a missing resource, an invalid body or a wrong ETag. */
const probes = handlers.flatMap(({ template, module }) =>
  methods.filter((each) => module[each] !== undefined).map((method) => ({ template, method }))
)

async function probe(fixture: Fixture, prober: Prober, method: string, target: string) {
  const body = method === 'GET' || method === 'DELETE' ? {} : { body: new TextEncoder().encode('{') }
  const json = { 'content-type': 'application/json', 'content-length': '1', 'if-match': '"none"' }
  const answer = await fixture.service.handling.handle({
    method,
    target,
    address: '127.0.0.1',
    headers: { ...json, ...prober.headers },
    ...body,
    ...(prober.certificate && { certificate: prober.certificate })
  })
  const text = answer.body === undefined ? '' : new TextDecoder().decode(answer.body)
  return { status: answer.status, lacks: answer.status === 403 && /\.InsufficientPrivilege"/.test(text), text }
}

/** Sends all probes as a given client, and records answers that contradict the privilege map. */
async function judge(fixture: Fixture) {
  const needed = await privilegeMap(fixture)
  let count = 0
  const wrong: string[] = []

  const sendAll = async (prober: Prober) => {
    const held = await prober.held()
    for (const { template, method } of probes) {
      const own = prober.account !== '' && template.includes('{ManagerAccountId}') && random(2) === 0
      const target = `${template.replace(/\{\w+\}/g, own ? prober.account : 'none')}${template.startsWith('/redfish/v1') ? '/' : ''}`
      const sets = needed(template, method)
      const isOpen = sets.some(({ Privilege }) => Privilege.includes('NoAuth'))
      const isAllowed = sets.some(({ Privilege }) =>
        Privilege.every((each) => (each === 'ConfigureSelf' ? own && held.has(each) : held.has(each)))
      )
      const { status, lacks, text } = await probe(fixture, prober, method, target)
      count += 1
      const mayLogIn = held.has('Login') || held.has('LoginPriv')
      const expected = isOpen ? 'open' : !mayLogIn ? 'nobody' : isAllowed ? 'allowed' : 'lacks'
      const found = status === 401 ? 'nobody' : lacks ? 'lacks' : 'allowed'
      if (status >= 500 && status !== 503 && status !== 501) wrong.push(`${status} ${method} ${target}: ${text}`)
      if (expected !== 'open' && found !== expected && status !== 405)
        wrong.push(`${prober.name} ${method} ${target} is ${status}, ${expected} was expected`)
    }
  }
  return { sendAll, wrong, count: () => count }
}

t.test('no role, account or way to log in allows more than the service says, and none allows less', async (t) => {
  const fixture = await ready(t)
  const roles = await makeRoles(fixture)
  const accounts = await makeAccounts(fixture, [...roles, 'Administrator', 'Operator', 'ReadOnly'])
  const probers: Prober[] = []
  for (const account of accounts)
    for (const [way, prove] of Object.entries(ways))
      probers.push({
        name: `${account} by ${way}`,
        account,
        held: () => heldBy(fixture, account),
        ...(await prove(fixture, account))
      })
  probers.push(...(await remoteProbers(t, fixture, [...roles, 'Administrator', 'Operator', 'ReadOnly'])))
  const { sendAll, wrong, count } = await judge(fixture)
  for (const prober of probers) await sendAll(prober)
  // The same users, while what their roles allow changes.
  for (const role of roles) {
    const change = await fixture.ask('PATCH', `${service}Roles/${role}/`, privilegesOfRole())
    if (change.status !== 200) throw new Error(change.text)
  }
  for (const prober of probers) if (!prober.headers['x-auth-token']) await sendAll(prober)
  t.same(wrong.slice(0, 20), [])
  t.comment(`${count()} probes`)
  t.ok(count() >= 28_000, `${count()} probes`)
})

/** Probers with a key for one-time codes, one for each login: a password alone grants nothing. */
async function withKey(fixture: Fixture, account: string): Promise<Prober[]> {
  const mfa = (Enabled: boolean) =>
    fixture.ask('PATCH', service, { MultiFactorAuth: { TimeBasedOneTimePassword: { Enabled } } })
  const logIn = (Token?: string) =>
    fixture.ask(
      'POST',
      '/redfish/v1/SessionService/Sessions/',
      { UserName: account, Password: password, ...(Token && { Token }) },
      {}
    )
  await mfa(false)
  const without = await logIn()
  await mfa(true)
  const action = `${service}Accounts/${account}/Actions/ManagerAccount.`
  const made = await fixture.ask('POST', `${action}GenerateSecretKey/`, {}, as(account, password))
  const first = { TimeBasedOneTimePassword: codeOf(made.json.SecretKey, fixture.now()) }
  await fixture.ask('POST', `${action}VerifyTimeBasedOneTimePassword/`, first, as(account, password))
  const code = await logIn(codeOf(made.json.SecretKey, fixture.now() + 30_000))
  const token = (answer: Answer) => ({ headers: { 'x-auth-token': answer.headers['x-auth-token'] ?? 'none' } })
  const held = () => heldBy(fixture, account)
  const nothing = async () => new Set<string>()
  return [
    { name: `${account} by a code`, account, held, ...token(code) },
    { name: `${account} by certificate`, account, held, ...(await ways.certificate!(fixture, account)) },
    { name: `${account} by a session without a code`, account, held: nothing, ...token(without) },
    { name: `${account} by HTTP Basic`, account, held: nothing, headers: as(account, password) }
  ]
}

t.test('a missing second factor is 401; with it, an account has its usual privileges', async (t) => {
  const fixture = await ready(t)
  await fixture.ask('PATCH', `${service}Accounts/admin/`, { MFABypass: { BypassTypes: ['All'] } })
  const roles = await makeRoles(fixture)
  const accounts = await makeAccounts(fixture, [...roles.slice(-2), 'Administrator', 'Operator', 'ReadOnly'])
  const { sendAll, wrong, count } = await judge(fixture)
  const keyless = accounts.pop()!
  for (const account of accounts) {
    if ((await heldBy(fixture, account)).has('ConfigureSelf'))
      for (const prober of await withKey(fixture, account)) await sendAll(prober)
  }
  const needed = await privilegeMap(fixture)
  for (const { template, method } of probes) {
    if (needed(template, method).some(({ Privilege }) => Privilege.includes('NoAuth'))) continue
    const target = `${template.replace(/\{\w+\}/g, 'none')}${template.startsWith('/redfish/v1') ? '/' : ''}`
    const { status, text } = await probe(
      fixture,
      { name: keyless, account: keyless, headers: as(keyless, password), held: async () => new Set() },
      method,
      target
    )
    if (!text.includes('GenerateSecretKeyRequired') && status !== 405)
      wrong.push(`${keyless} without a key: ${method} ${target} is ${status}`)
  }
  t.same(wrong.slice(0, 20), [])
  t.comment(`${count()} probes`)
})
