// needs: samba, ldapmodify, ip, unshare, nsenter
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Authority, serverExtensions } from './authority.ts'
import { freeze } from './process.ts'
import { directory, type Scope } from './server.ts'
import { secret } from './slapd.ts'

const base = 'DC=ad,DC=example,DC=net'
const people = `OU=People,${base}`
const groups = `OU=Groups,${base}`
const administrator = { name: 'Administrator@ad.example.net', password: 'Copper-Kettle-3' }

/** Her userPrincipalName has the name of Alice, and her password is her own. */
export const secretOfHeidi = 'Paper-Boat-8'

/** A password as an LDIF has it (MS-ADTS 3.1.1.3.1.5). */
const stored = (password: string) => Buffer.from(`"${password}"`, 'utf16le').toString('base64')

/** The users by their sAMAccountName, with what sets some apart. Times are those of Windows. */
const users: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  alice: {},
  bob: {},
  carol: {},
  dave: {},
  erin: {},
  frank: {},
  heidi: { userPrincipalName: 'alice@example.org', 'unicodePwd:': stored(secretOfHeidi) },
  disabled: { userAccountControl: '514' },
  expired: { accountExpires: '132223104000000000' },
  changing: { pwdLastSet: '0' }
}

/** Groups and who is in them, also other groups. Windows sends no more than 1,500 values of an attribute at once. */
const members: Readonly<Record<string, readonly string[]>> = {
  Admins: ['alice'],
  Staff: ['Admins', 'bob', 'erin', 'disabled', 'expired', 'changing'],
  Everyone: ['Staff', 'carol'],
  ...Object.fromEntries(Array.from({ length: 1700 }, (_, n) => [`Project ${n}`, ['frank']]))
}

const dnOf = (name: string) => `CN=${name},${name in users ? people : groups}`

const object = (dn: string, attributes: Readonly<Record<string, string | readonly string[]>>) =>
  [
    `dn: ${dn}`,
    'changetype: add',
    ...Object.entries(attributes).flatMap(([type, values]) => [values].flat().map((value) => `${type}: ${value}`))
  ].join('\n')

const change = (dn: string, type: string, value: string) =>
  `dn: ${dn}\nchangetype: modify\nreplace: ${type}\n${type}: ${value}\n-`

const content = [
  object(people, { objectClass: 'organizationalUnit' }),
  object(groups, { objectClass: 'organizationalUnit' }),
  ...Object.entries(users).map(([name, special]) =>
    object(dnOf(name), {
      objectClass: 'user',
      sAMAccountName: name,
      userPrincipalName: `${name}@ad.example.net`,
      'unicodePwd:': stored(secret),
      userAccountControl: '512',
      ...special
    })
  ),
  ...Object.entries(members).map(([name, names]) =>
    object(dnOf(name), { objectClass: 'group', sAMAccountName: name, member: names.map(dnOf) })
  ),
  change(base, 'lockoutThreshold', '3')
].join('\n\n')

const folders = ['state directory', 'cache directory', 'lock directory', 'pid directory', 'binddns dir', 'private dir']

const configuration = (folder: string) => `[global]
workgroup = EXAMPLE
realm = AD.EXAMPLE.NET
netbios name = DC1
server role = active directory domain controller
server services = ldap
interfaces = lo
bind interfaces only = yes
${folders.map((name) => `${name} = ${folder}/data`).join('\n')}
ncalrpc dir = ${folder}/ncalrpc
log file = ${folder}/log
tls cafile = ${folder}/ca.pem
tls certfile = ${folder}/cert.pem
tls keyfile = ${folder}/key.pem
[sysvol]
path = ${folder}/sysvol
[netlogon]
path = ${folder}/sysvol/scripts
`

/** A domain controller of Samba: users and groups, who are in one another. It has a network of its own, as its ports are fixed. */
export class Samba {
  readonly authority: Authority
  readonly ldap: string
  readonly ldaps: string
  readonly #folder: string
  /** The start of a command that runs in its network. */
  readonly #within: readonly string[]
  readonly #scope: Scope
  #process: ChildProcess | undefined

  private constructor(
    t: Scope,
    authority: Authority,
    folder: string,
    within: readonly string[],
    ports: readonly string[]
  ) {
    this.authority = authority
    this.ldap = `ldap://127.0.0.1:${ports[0]}`
    this.ldaps = `ldaps://127.0.0.1:${ports[1]}`
    this.#folder = folder
    this.#within = within
    this.#scope = t
  }

  static async open(t: Scope): Promise<Samba> {
    const folder = directory(t)
    const authority = new Authority(t, 'Domain')
    const { cert, key } = authority.issue({ subject: '/CN=dc1', extensions: serverExtensions })
    for (const [name, text] of Object.entries({ ca: authority.cert, cert, key }))
      writeFileSync(join(folder, `${name}.pem`), text, { mode: 0o600 })
    writeFileSync(join(folder, 'smb.conf'), configuration(folder))
    mkdirSync(join(folder, 'data'))
    const sockets = [join(folder, '389'), join(folder, '636')] as const
    const bridge = ['node', 'test/host/fixtures/bridge.mjs']
    const inside = ['sh', '-c', 'ip link set lo up && exec "$@"', 'sh', ...bridge, sockets[0], '389', sockets[1], '636']
    const { pid } = await running(t, ['unshare', '-rn', ...inside])
    const { line } = await running(t, [...bridge, '0', sockets[0], '0', sockets[1]])
    const within = ['nsenter', '-t', String(pid), '-U', '-n', '--preserve-credentials']
    const words = ['test/host/fixtures/domain.py', join(folder, 'smb.conf'), administrator.password]
    execFileSync('nsenter', [...within.slice(1), '/usr/bin/python3', ...words], {
      input: content,
      stdio: ['pipe', 'ignore', 'pipe']
    })
    const samba = new Samba(t, authority, folder, within, line.split(' '))
    await samba.start()
    return samba
  }

  async start(): Promise<void> {
    const words = ['-F', '-M', 'single', '--no-process-group', '-s', join(this.#folder, 'smb.conf')]
    const [file = '', ...args] = [...this.#within, 'samba', ...words]
    const process = spawn(file, args, { stdio: 'ignore' })
    this.#scope.teardown(() => process.kill('SIGKILL'))
    this.#process = process
    for (let tries = 0; tries < 2400; tries++) {
      if (this.#listens()) return
      await pause(25)
    }
    throw new Error(`Samba does not listen: ${readFileSync(join(this.#folder, 'log'), 'utf8')}`)
  }

  /** It takes connections, and says nothing. */
  async freeze(): Promise<void> {
    if (this.#process !== undefined) await freeze(this.#process)
  }

  thaw(): void {
    this.#process?.kill('SIGCONT')
  }

  async stop(): Promise<void> {
    const process = this.#process
    if (process === undefined) return
    process.kill('SIGKILL')
    await once(process, 'exit')
  }

  /** Lets a user in again who was locked out. */
  unlock(user: string): void {
    const login = ['-x', '-D', administrator.name, '-w', administrator.password, '-H', this.ldaps]
    execFileSync('ldapmodify', login, {
      input: change(dnOf(user), 'lockoutTime', '0'),
      stdio: ['pipe', 'ignore', 'inherit'],
      env: { ...process.env, LDAPTLS_CACERT: join(this.#folder, 'ca.pem') }
    })
  }

  /** The settings of AccountService.ActiveDirectory that find its users. */
  settings(address = this.ldaps) {
    return {
      ServiceEnabled: true,
      ServiceAddresses: [address],
      Authentication: { Username: administrator.name, Password: administrator.password },
      LDAPService: { SearchSettings: { BaseDistinguishedNames: [base] } },
      RemoteRoleMapping: [
        { RemoteUser: 'dave', LocalRole: 'ReadOnly' },
        { RemoteGroup: `cn=admins, ${groups}`, LocalRole: 'Administrator' },
        { RemoteGroup: 'staff', LocalRole: 'Operator' },
        { RemoteGroup: `CN=Project 1666,${groups}`, LocalRole: 'Operator' }
      ]
    }
  }

  #listens(): boolean {
    const [file = '', ...args] = [...this.#within, 'ss', '-Htln', 'sport = :389']
    return execFileSync(file, args, { encoding: 'utf8' }).includes(':389')
  }
}

/** Runs a command until the scope ends. @returns its process, and the first line that it says */
async function running(t: Scope, [file = '', ...args]: readonly string[]) {
  const child = spawn(file, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => child.kill('SIGKILL'))
  const [chunk] = await once(child.stdout, 'data')
  return { pid: child.pid, line: String(chunk).trim() }
}
