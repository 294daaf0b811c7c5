// needs: pebble, pebble-challtestsrv, curl
import { spawn } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '#test/conformance/free-port.ts'
import { Authority, serverExtensions } from './authority.ts'
import { importAuthority } from './certificate-users.ts'
import { directory, type Scope, type Server } from './server.ts'

/** An account that pebble knows from elsewhere. */
export const external = { id: 'kid-1', key: 'zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG44nMEtx3MUAsUDkMTQ12W' }

/** The names of all services in these tests have this address. */
const address = '127.0.0.1'

/** The DNS of pebble, to which others may add records. It has an own process, that of Let's Encrypt's tests. */
export class TestDns {
  readonly port: number
  readonly #management: number
  readonly #files: string

  private constructor(port: number, management: number, files: string) {
    this.port = port
    this.#management = management
    this.#files = files
  }

  static async start(t: Scope): Promise<TestDns> {
    const [port, management] = [await freePort(), await freePort()]
    const unused = ['-http01', '-https01', '-tlsalpn01'].flatMap((each) => [each, ''])
    const dns = ['-dns01', `${address}:${port}`, '-defaultIPv4', address, '-defaultIPv6', '']
    await run(t, 'pebble-challtestsrv', [...unused, ...dns, '-management', `${address}:${management}`], {}, management)
    return new TestDns(port, management, directory(t))
  }

  /** A program that adds and removes records, and notes how it was called. */
  hook(): { readonly program: string; readonly calls: string } {
    const [program, calls] = [join(this.#files, 'hook'), join(this.#files, 'calls')]
    const ask = (path: string, body: string) => `curl -sf -d '${body}' http://${address}:${this.#management}/${path}`
    const text = `#!/bin/sh
echo "$# $*" >> ${calls}
case $1 in
add) ${ask('set-txt', `{"host": "'"$2"'.", "value": "'"$3"'"}`)} ;;
remove) ${ask('clear-txt', `{"host": "'"$2"'."}`)} ;;
esac
`
    writeFileSync(program, text)
    chmodSync(program, 0o700)
    return { program, calls }
  }
}

interface Wish {
  readonly dns: TestDns
  /** Of the service that has a certificate made. */
  readonly tlsPort: number
  /** Whether only accounts that it knows get a certificate. */
  readonly external?: boolean
  /** Seconds. */
  readonly validity?: number
}

/** Let's Encrypt's ACME server for tests: it checks challenges as a real one does. */
export class Pebble {
  readonly directory: string
  readonly #authority: Authority

  private constructor(directory: string, authority: Authority) {
    this.directory = directory
    this.#authority = authority
  }

  static async start(t: Scope, { dns, tlsPort, external: asks = false, validity = 86_400 }: Wish): Promise<Pebble> {
    const [port, management, folder] = [await freePort(), await freePort(), directory(t)]
    const authority = new Authority(t, 'pebble')
    const { cert, key } = authority.issue({ subject: '/CN=pebble', extensions: serverExtensions })
    writeFileSync(join(folder, 'cert.pem'), cert)
    writeFileSync(join(folder, 'key.pem'), key)
    const pebble = {
      listenAddress: `${address}:${port}`,
      managementListenAddress: `${address}:${management}`,
      certificate: join(folder, 'cert.pem'),
      privateKey: join(folder, 'key.pem'),
      httpPort: 1,
      tlsPort,
      ocspResponderURL: '',
      externalAccountBindingRequired: asks,
      externalAccountMACKeys: { [external.id]: external.key },
      certificateValidityPeriod: validity
    }
    writeFileSync(join(folder, 'pebble.json'), JSON.stringify({ pebble }))
    const args = ['-config', join(folder, 'pebble.json'), '-dnsserver', `${address}:${dns.port}`, '-strict=false']
    const env = { PEBBLE_VA_NOSLEEP: '1', PEBBLE_WFE_NONCEREJECT: '0', PEBBLE_AUTHZREUSE: '0' }
    await run(t, 'pebble', args, env, port)
    return new Pebble(`https://${address}:${port}/dir`, authority)
  }

  /** Has a service trust its listener. */
  async trustedBy(server: Server): Promise<void> {
    const body = { Action: 'VendorCertAuth.ImportCACertificate', Certificate: this.#authority.cert }
    const { status, text } = await server.post(importAuthority, body)
    if (status >= 300) throw new Error(text)
  }

  get authority(): string {
    return this.#authority.cert
  }
}

/** Runs a program until the test ends, once it listens on a port. */
async function run(t: Scope, program: string, args: readonly string[], env: object, port: number): Promise<void> {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'], env: { PATH: process.env.PATH, ...env } })
  t.teardown(() => child.kill('SIGKILL'))
  let said = ''
  child.stdout.on('data', (text) => {
    said += text
  })
  child.stderr.on('data', (text) => {
    said += text
  })
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${program} ended: ${said}`)
    if (await listens(port)) return
    await pause(25)
  }
}

const listens = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, address, () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })
