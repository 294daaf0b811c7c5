import { createServer, type Server as HttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { Authority, serverExtensions } from './authority.ts'
import { importAuthority } from './certificate-users.ts'
import type { Json, Scope, Server } from './server.ts'

/** The misbehaviour of an untrustworthy ACME server; `pending`: it never checks a proof. */
export type Lie = 'pending' | 'redirect' | 'stranger' | 'endless' | 'silent' | 'other name' | 'nonces' | 'no JSON'

/** An ACME server that gives no certificates. */
export class Liar {
  lie: Lie
  /** The bodies of requests, with what they have within: the public keys of accounts, the payloads. */
  readonly asked: { readonly path: string; readonly header: Json; readonly payload: Json }[] = []
  /** How many requests followed its references to another server. */
  strangers = 0
  readonly #server: HttpsServer
  readonly #stranger: HttpsServer
  readonly #authority: Authority

  private constructor(lie: Lie, authority: Authority) {
    this.lie = lie
    this.#authority = authority
    const options = authority.issue({ subject: '/CN=liar', extensions: serverExtensions })
    this.#stranger = createServer(options, (_, response) => {
      this.strangers += 1
      response.end('{}')
    })
    this.#server = createServer(options, (request, response) => {
      let body = ''
      request.on('data', (chunk) => {
        body += chunk
      })
      request.on('end', () => {
        const path = request.url ?? ''
        if (body !== '') this.asked.push({ path, ...read(body) })
        response.setHeader('Replay-Nonce', `nonce${this.asked.length}`)
        this.#answer(path, response)
      })
    })
  }

  static async start(t: Scope, lie: Lie): Promise<Liar> {
    const liar = new Liar(lie, new Authority(t, 'liar'))
    for (const server of [liar.#server, liar.#stranger]) {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      t.teardown(() => {
        server.closeAllConnections()
        server.close()
      })
    }
    return liar
  }

  async trustedBy(server: Server): Promise<void> {
    const body = { Action: 'VendorCertAuth.ImportCACertificate', Certificate: this.#authority.cert }
    const { status, text } = await server.post(importAuthority, body)
    if (status >= 300) throw new Error(text)
  }

  get directory(): string {
    return `${origin(this.#server)}/directory`
  }

  #answer(path: string, response: Json): unknown {
    const own = (name: string) => `${origin(this.#server)}/${name}`
    const other = `${origin(this.#stranger)}/order`
    const give = (status: number, headers: Json, body: Json) =>
      response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body))
    if (path === '/directory') {
      if (this.lie === 'redirect') return give(302, { Location: other }, '')
      if (this.lie === 'endless') return endless(response)
      if (this.lie === 'silent') return
      if (this.lie === 'no JSON') return give(200, {}, '"x"')
      const newOrder = this.lie === 'stranger' ? other : own('order')
      return give(200, {}, { newNonce: own('nonce'), newAccount: own('account'), newOrder })
    }
    if (path === '/nonce') return give(200, {}, '')
    if (this.lie === 'nonces') return give(400, {}, { type: 'urn:ietf:params:acme:error:badNonce', detail: 'again' })
    if (path === '/account') return give(201, { Location: own('account/1') }, {})
    const order = { status: 'pending', authorizations: [own('authorization')], finalize: own('finalize') }
    if (path === '/order') return give(201, { Location: own('order/1') }, order)
    if (path !== '/authorization') return give(200, {}, {})
    const value = this.lie === 'other name' ? 'www.example.com' : 'bmc-1.example.net'
    const types = ['http-01', 'dns-01', 'tls-alpn-01']
    const challenges = types.map((type) => ({ type, url: own('challenge'), token: 'token', status: 'pending' }))
    return give(200, {}, { status: 'pending', identifier: { type: 'dns', value }, challenges })
  }
}

const origin = (server: HttpsServer) => `https://127.0.0.1:${(server.address() as AddressInfo).port}`

function endless(response: Json): void {
  const more = () => {
    while (!response.destroyed && response.write('x'.repeat(16_384))) {}
  }
  response.writeHead(200)
  response.on('drain', more)
  more()
}

function read(body: string): { header: Json; payload: Json } {
  const { protected: header, payload } = JSON.parse(body)
  const plain = (text: string) => JSON.parse(Buffer.from(text, 'base64url').toString() || '""')
  return { header: plain(header), payload: plain(payload) }
}
