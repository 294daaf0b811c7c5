import type { Test } from 'tap'
import { configuration } from '#data/configuration'
import { AcmeClient } from '#runtime/service/acme/client.ts'
import { makeAccountKey } from '#runtime/service/acme/jws.ts'
import { serveHttps } from '#test/runtime/service/https-server.ts'

type Json = Readonly<Record<string, unknown>>

/** An answer: a status, a body as text or as JSON, and headers. */
export type Answer = readonly [status: number, body?: string | Json | null, headers?: Readonly<Record<string, string>>]

export interface Asked {
  readonly method: string
  readonly path: string
  readonly type: string | undefined
  /** The header and the payload of what was signed; undefined where nothing was. */
  readonly header?: Json
  readonly payload?: Json | ''
}

const read = (text: string) => (text === '' ? '' : JSON.parse(Buffer.from(text, 'base64url').toString()))

/** An ACME server that answers as a test says, and a client of it. `nonce-1` is its first nonce, and so on. */
export async function acmeServer(t: Test, answer: (asked: Asked, origin: string) => Answer | undefined) {
  const asked: Asked[] = []
  let nonces = 0
  const { origin, cert } = await serveHttps(t, async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { method = '', url: path = '', headers } = request
    const own: Asked = { method, path, type: headers['content-type'] }
    const signed = body === '' ? undefined : JSON.parse(body)
    const one = signed === undefined ? own : { ...own, header: read(signed.protected), payload: read(signed.payload) }
    asked.push(one)
    const usual: Answer =
      path === '/directory'
        ? [200, { newNonce: `${origin}/nonce`, newAccount: `${origin}/account`, newOrder: `${origin}/order` }]
        : path === '/account'
          ? [201, {}, { location: `${origin}/account/1` }]
          : [200, {}]
    const [status, content = '', more = {}] = answer(one, origin) ?? usual
    const text = typeof content === 'string' ? content : JSON.stringify(content)
    nonces += 1
    response.writeHead(status, { 'replay-nonce': `nonce-${nonces}`, ...more }).end(method === 'HEAD' ? '' : text)
  })
  const key = await makeAccountKey()
  const settings = { ...configuration.enrollment, answerTime: 10, answerBytes: 4096 }
  const client = new AcmeClient(`${origin}/directory`, key, [cert], settings)
  t.teardown(() => client.close())
  return { asked, origin, key, client, cert, settings }
}
