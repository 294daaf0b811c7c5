// needs: slapd, ldapadd
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '#test/conformance/free-port.ts'
import { Authority, serverExtensions } from './authority.ts'
import { freeze } from './process.ts'
import { directory, type Scope } from './server.ts'

const modules = '/usr/lib/ldap'
const schemas = '/etc/ldap/schema'
const base = 'dc=example,dc=net'
const people = `ou=people,${base}`
const groups = `ou=groups,${base}`
const manager = { name: `cn=manager,${base}`, password: 'Copper-Kettle-3' }

/** The password of every user of the directory. */
export const secret = 'Paper-Boat-9'

/** The users, and the groups with their members: `admins` are in `staff`, and `staff` is in `everyone`. */
const users = ['alice', 'bob', 'carol', 'dave']
const members = {
  admins: [`uid=alice,${people}`],
  staff: [`cn=admins,${groups}`, `uid=bob,${people}`],
  everyone: [`cn=staff,${groups}`, `uid=carol,${people}`]
}

const object = (dn: string, ...lines: string[]) => [`dn: ${dn}`, ...lines].join('\n')

const content = [
  object(base, 'objectClass: domain', 'dc: example'),
  object(people, 'objectClass: organizationalUnit', 'ou: people'),
  object(groups, 'objectClass: organizationalUnit', 'ou: groups'),
  ...users.map((uid) =>
    object(
      `uid=${uid},${people}`,
      'objectClass: inetOrgPerson',
      `uid: ${uid}`,
      `cn: ${uid}`,
      `sn: ${uid}`,
      `userPassword: ${secret}`
    )
  ),
  ...Object.entries(members).map(([cn, names]) =>
    object(`cn=${cn},${groups}`, 'objectClass: groupOfNames', `cn: ${cn}`, ...names.map((name) => `member: ${name}`))
  )
].join('\n\n')

const tls = (folder: string) => `
TLSCACertificateFile ${folder}/ca.pem
TLSCertificateFile ${folder}/cert.pem
TLSCertificateKeyFile ${folder}/key.pem`

const configuration = (folder: string, hasTls: boolean) => `
${['core', 'cosine', 'inetorgperson'].map((name) => `include ${schemas}/${name}.schema`).join('\n')}
pidfile ${folder}/slapd.pid
modulepath ${modules}
moduleload back_mdb
moduleload memberof${hasTls ? tls(folder) : ''}
database mdb
suffix "${base}"
rootdn "${manager.name}"
rootpw ${manager.password}
directory ${folder}
overlay memberof
access to attrs=userPassword by anonymous auth by * none
access to * by users read by * none
`

/** OpenLDAP with a few users and groups, who are in one another; it ends with the test. */
export class Slapd {
  readonly authority: Authority
  readonly ldaps: string
  readonly ldap: string
  readonly #process: ReturnType<typeof spawn>

  private constructor(authority: Authority, ports: readonly [number, number], process: ReturnType<typeof spawn>) {
    this.authority = authority
    this.ldap = `ldap://127.0.0.1:${ports[0]}`
    this.ldaps = `ldaps://127.0.0.1:${ports[1]}`
    this.#process = process
  }

  static async start(t: Scope, hasTls = true): Promise<Slapd> {
    const folder = directory(t)
    const authority = new Authority(t, 'Directory')
    const { cert, key } = authority.issue({ subject: '/CN=directory', extensions: serverExtensions })
    for (const [name, text] of Object.entries({ ca: authority.cert, cert, key })) {
      writeFileSync(join(folder, `${name}.pem`), text)
    }
    writeFileSync(join(folder, 'slapd.conf'), configuration(folder, hasTls))
    writeFileSync(join(folder, 'content.ldif'), content)
    const ports = [await freePort(), await freePort()] as const
    const urls = `ldap://127.0.0.1:${ports[0]} ldaps://127.0.0.1:${ports[1]}`
    const words = ['-d', '0', '-f', join(folder, 'slapd.conf'), '-h', urls]
    const process = spawn('slapd', words, { stdio: ['ignore', 'ignore', 'inherit'] })
    t.teardown(() => process.kill('SIGKILL'))
    const slapd = new Slapd(authority, ports, process)
    await accepts(ports[1])
    const login = ['-x', '-D', manager.name, '-w', manager.password, '-H', slapd.ldap]
    execFileSync('ldapadd', [...login, '-f', join(folder, 'content.ldif')], { stdio: ['ignore', 'ignore', 'inherit'] })
    return slapd
  }

  /** It takes connections, and says nothing. */
  freeze(): Promise<void> {
    return freeze(this.#process)
  }

  thaw(): void {
    this.#process.kill('SIGCONT')
  }

  async stop(): Promise<void> {
    this.#process.kill('SIGKILL')
    await once(this.#process, 'exit')
  }

  /** The settings of AccountService.LDAP that find its users. */
  settings(address = this.ldaps) {
    return {
      ServiceEnabled: true,
      ServiceAddresses: [address],
      Authentication: { Username: manager.name, Password: manager.password },
      LDAPService: { SearchSettings: { BaseDistinguishedNames: [base] } },
      RemoteRoleMapping: [
        { RemoteUser: 'dave', LocalRole: 'ReadOnly' },
        { RemoteGroup: `CN=Admins, ${groups}`, LocalRole: 'Administrator' },
        { RemoteGroup: 'staff', LocalRole: 'Operator' }
      ]
    }
  }

  /** The settings for users who log in by their distinguished names, which a template makes. */
  templateSettings() {
    const Oem = { Vendor: { UserBindTemplate: `uid={user},${people}` } }
    return { ...this.settings(), Authentication: { Username: null, Password: null }, Oem }
  }
}

/** Waits until a port takes connections, for a minute at most. */
async function accepts(port: number): Promise<void> {
  for (let tries = 0; tries < 2400; tries++) {
    const socket = connect({ host: '127.0.0.1', port })
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.on('connect', () => resolve(true)).on('error', () => resolve(false))
    })
    socket.destroy()
    if (isOpen) return
    await pause(25)
  }
  throw new Error(`nothing listens at the port ${port}`)
}
