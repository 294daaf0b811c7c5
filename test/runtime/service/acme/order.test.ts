import { createPrivateKey, X509Certificate } from 'node:crypto'
import t, { type Test } from 'tap'
import { pem } from '#runtime/base/pem.ts'
import { thumbprint } from '#runtime/service/acme/jws.ts'
import { obtain } from '#runtime/service/acme/order.ts'
import { Authority, serverExtensions } from '#test/host/authority.ts'
import { type Answer, acmeServer } from './acme-server.ts'

type Json = Readonly<Record<string, unknown>>

const challenge = (origin: string, more: Json = {}) => ({
  ...{ type: 'dns-01', url: `${origin}/challenge`, token: 'token', ...more }
})

/** Orders a certificate from a server that answers by path; the last answer of a path is repeated. */
async function order(
  t: Test,
  names: readonly string[],
  answers: (origin: string) => Record<string, (Json | string)[]>
) {
  const authority = new Authority(t, 'Issuer')
  let told: Record<string, (Json | string)[]> = {}
  let certificate = ''
  const { asked, origin, client, key } = await acmeServer(t, ({ path, payload }, origin): Answer | undefined => {
    if (path === '/finalize' && payload) {
      const request = pem('CERTIFICATE REQUEST', Buffer.from(String(payload.csr), 'base64url'))
      certificate = authority.sign(request, { extensions: serverExtensions })
    }
    if (path === '/certificate') return [200, certificate + authority.cert]
    const known = told[path]
    const next = known && (known.length > 1 ? known.shift() : known[0])
    if (path === '/order')
      return [
        201,
        { finalize: `${origin}/finalize`, authorizations: [`${origin}/a`], ...(next as Json) },
        { location: `${origin}/order/1` }
      ]
    return next === undefined ? undefined : [200, next]
  })
  told = answers(origin)
  await client.open(`${origin}/directory`)
  await client.register(() => ({}))
  const done: string[] = []
  const solver = {
    type: 'dns-01',
    present: async (name: string, authorization: string) => {
      t.equal(authorization, `token.${thumbprint(key)}`)
      done.push(`present ${name}`)
    },
    withdraw: async () => void done.push('withdraw')
  }
  const wait = async () => void done.push('wait')
  const before = asked.length
  const issued = await obtain(client, key, names, solver, wait).catch((error: Error) => error.message)
  return { issued, done, paths: asked.slice(before).map(({ path }) => path), asked }
}

const valid = { status: 'valid' }

t.test('each name is proved, and the certificate is fetched once the server has made it', async (t) => {
  const { issued, done, paths, asked } = await order(t, ['bmc-1', 'bmc-2'], (origin) => {
    const pending = (value: string) => ({
      ...{ status: 'pending', identifier: { type: 'dns', value } },
      challenges: [challenge(origin, { type: 'http-01', url: `${origin}/other` }), challenge(origin)]
    })
    return {
      '/order': [{ authorizations: [`${origin}/a`, `${origin}/b`, `${origin}/c`] }],
      '/a': [pending('BMC-1'), pending('BMC-1'), valid],
      '/b': [{ ...valid, identifier: { type: 'dns', value: 'bmc-2' } }],
      '/c': [pending('bmc-2'), valid],
      '/order/1': [
        { status: 'pending' },
        { status: 'ready' },
        { status: 'ready' },
        { status: 'processing' },
        { status: 'valid', certificate: `${origin}/certificate` }
      ]
    }
  })
  if (typeof issued === 'string') throw new Error(issued)
  const own = new X509Certificate(issued.chain)
  t.ok(own.checkPrivateKey(createPrivateKey(issued.key)))
  t.equal(own.subject, 'CN=bmc-1')
  t.equal(issued.chain.split('BEGIN CERTIFICATE').length, 3, 'with its authority')
  t.same(done, ['present bmc-1', 'wait', 'withdraw', 'present bmc-2', 'withdraw', ...Array(3).fill('wait')])
  t.same(paths, [
    ...['/order', '/a', '/challenge', '/a', '/a', '/b', '/c', '/challenge', '/c'],
    ...['/order/1', '/order/1', '/finalize', '/order/1', '/order/1', '/order/1', '/certificate']
  ])
  const [identifiers] = asked.filter(({ path }) => path === '/order').map(({ payload }) => payload)
  t.same(identifiers, {
    identifiers: [
      { type: 'dns', value: 'bmc-1' },
      { type: 'dns', value: 'bmc-2' }
    ]
  })
})

t.test('an order that comes to nothing says why, and what was shown for its proof is removed', async (t) => {
  const identifier = { type: 'dns', value: 'bmc-1' }
  const shown = ['present bmc-1', 'withdraw']
  const cases: [string, (origin: string) => Record<string, (Json | string)[]>, string[]][] = [
    [
      'the server wants a proof of a name that was not asked for',
      () => ({ '/a': [{ ...valid, identifier: null }] }),
      []
    ],
    [
      'the server does not offer dns-01 for bmc-1',
      (origin) => ({
        '/a': [{ status: 'pending', identifier, challenges: [null, challenge(origin, { type: 'http-01' })] }]
      }),
      []
    ],
    ['the answer has no challenges', () => ({ '/a': [{ status: 'pending', identifier }] }), []],
    [
      'the server refuses: unauthorized no record',
      (origin) => ({
        '/a': [
          { status: 'pending', identifier, challenges: [challenge(origin)] },
          { status: 'invalid', challenges: [{}, { error: { type: 'unauthorized', detail: 'no record' } }] }
        ]
      }),
      shown
    ],
    [
      'the server refuses: invalid',
      (origin) => ({
        '/a': [{ status: 'pending', identifier, challenges: [challenge(origin)] }, { status: 'invalid' }]
      }),
      shown
    ],
    [
      'the server refuses: rejected',
      () => ({ '/a': [{ ...valid, identifier }], '/order/1': [{ status: 'invalid', error: { type: 'rejected' } }] }),
      []
    ],
    ['the answer has no authorizations', () => ({ '/order': [{ authorizations: 'all' }] }), []],
    [
      'the answer has no finalize',
      () => ({ '/order': [{ finalize: 7 }], '/a': [{ ...valid, identifier }], '/order/1': [{ status: 'ready' }] }),
      []
    ],
    ['the answer has no certificate', () => ({ '/a': [{ ...valid, identifier }], '/order/1': [valid] }), []]
  ]
  for (const [expected, answers, steps] of cases) {
    const { issued, done } = await order(t, ['bmc-1'], answers)
    t.same([issued, done], [expected, steps])
  }
})
