import t from 'tap'
import { AcmeClient } from '#runtime/service/acme/client.ts'
import { makeAccountKey } from '#runtime/service/acme/jws.ts'
import { type Answer, acmeServer } from './acme-server.ts'

const badNonce = { type: 'urn:ietf:params:acme:error:badNonce', detail: 'again' }

t.test(
  'requests are signed by the key until the account is known, each with the nonce of the answer before',
  async (t) => {
    const { asked, origin, client } = await acmeServer(t, ({ path }) =>
      path === '/order' ? [201, { status: 'pending' }, { location: '/order/1' }] : undefined
    )
    await client.open(`${origin}/directory`)
    await client.register((url) => ({ contact: [`mailto:${url}`] }))
    const made = await client.order([{ type: 'dns', value: 'bmc' }])
    t.same(made, { url: '/order/1', order: { status: 'pending' } })
    t.same(await client.read(`${origin}/order/1`), {})
    await client.register(() => ({}))
    const types = asked.map(({ method, type, path }) => `${method} ${path} ${type ?? ''}`.trim())
    t.same(types, [
      'GET /directory',
      'POST /account application/jose+json',
      'POST /order application/jose+json',
      'POST /order/1 application/jose+json',
      'POST /account application/jose+json'
    ])
    t.same(
      asked.map(({ header }) => header?.nonce),
      [undefined, 'nonce-1', 'nonce-2', 'nonce-3', 'nonce-4']
    )
    const kid = `${origin}/account/1`
    const who = asked.slice(1).map(({ header }) => header?.kid ?? header?.jwk ?? '')
    t.match(who, [{ kty: 'EC' }, kid, kid, { kty: 'EC' }])
    t.same(
      asked.slice(1).map(({ payload }) => payload),
      [
        { termsOfServiceAgreed: true, contact: [`mailto:${origin}/account`] },
        { identifiers: [{ type: 'dns', value: 'bmc' }] },
        '',
        { termsOfServiceAgreed: true }
      ]
    )
  }
)

t.test('a nonce is asked for where no answer brought one', async (t) => {
  let gives = true
  const { asked, origin, client } = await acmeServer(t, ({ path }) => {
    if (path === '/directory')
      return [200, { newNonce: `${origin}/nonce`, newAccount: `${origin}/account` }, { 'replay-nonce': [] as never }]
    if (path === '/account') return [201, {}, { 'replay-nonce': [] as never }]
    return path === '/nonce' && !gives ? [200, '', { 'replay-nonce': [] as never }] : undefined
  })
  await client.open(`${origin}/directory`)
  gives = false
  await t.rejects(
    client.register(() => ({})),
    { message: 'the server gives no nonce' }
  )
  gives = true
  for (let time = 0; time < 2; time += 1) await client.register(() => ({}))
  t.same(
    asked.slice(1).map(({ method, path }) => `${method} ${path}`),
    ['HEAD /nonce', ...Array(2).fill(['HEAD /nonce', 'POST /account']).flat()]
  )
})

t.test('a nonce that the server refuses is replaced twice; any other refusal is final', async (t) => {
  let refusals: Answer[] = []
  const { asked, origin, client } = await acmeServer(t, ({ path }) =>
    path === '/account' ? refusals.shift() : undefined
  )
  await client.open(`${origin}/directory`)
  const tries = async (...answers: Answer[]) => {
    refusals = answers
    const before = asked.length
    const outcome = await client
      .register(() => ({}))
      .then(
        () => 'registered',
        (error: Error) => error.message
      )
    return [outcome, asked.length - before]
  }
  t.same(await tries([400, badNonce], [400, badNonce]), ['registered', 3])
  t.same(await tries([400, badNonce], [400, badNonce], [400, badNonce]), [
    'HTTP status 400 urn:ietf:params:acme:error:badNonce again',
    3
  ])
  t.same(await tries([403, { type: 'refused', detail: `n\u00f6\n${'x'.repeat(300)}` }]), [
    `HTTP status 403 refused n??${'x'.repeat(200 - 'refused n??'.length)}`,
    1
  ])
  t.same(await tries([500, 'gone']), ['HTTP status 500', 1])
  t.same(await tries([500, {}]), ['HTTP status 500', 1])
})

t.test('the failure names the mistake in an answer', async (t) => {
  let directory: Answer = [200, {}]
  const { asked, origin, client } = await acmeServer(t, ({ path }) => (path === '/directory' ? directory : undefined))
  const outcome = async (...answer: Answer) => {
    directory = answer
    return client
      .open(`${origin}/directory`)
      .then(() => client.register(() => ({})))
      .then(
        () => 'registered',
        (error: Error) => error.message
      )
  }
  const all = (newAccount: unknown) => ({ newNonce: `${origin}/nonce`, newAccount })
  t.equal(await outcome(200, {}), 'the answer has no newAccount')
  t.equal(await outcome(200, all(7)), 'the answer has no newAccount')
  t.equal(await outcome(200, null), 'the answer is no JSON object')
  t.equal(await outcome(200, '{'), 'the answer is no JSON object')
  t.equal(await outcome(404, {}), 'HTTP status 404')
  t.equal(await outcome(300, {}), 'the server redirects: HTTP status 300')
  t.equal(await outcome(200, all('http://other/account')), 'the server names no https URL: http://other/account')
  const other = 'https://127.0.0.1:1/account'
  t.equal(await outcome(200, all(other)), `the server names a URL of another server: ${other}`)
  const before = asked.length
  t.match(await outcome(200, 'x'.repeat(4097)), /size/i, 'longer than `enrollment.answerBytes`')
  t.equal(asked.length, before + 1)
  t.equal(await outcome(200, all(`${origin}/account`)), 'registered')
})

t.test('a server without https, or of an unknown authority, is not spoken to', async (t) => {
  const { origin, settings, asked } = await acmeServer(t, () => undefined)
  const key = await makeAccountKey()
  t.throws(() => new AcmeClient('http://127.0.0.1/directory', key, [], settings), {
    message: 'the URL of the server does not begin with https'
  })
  const stranger = new AcmeClient(origin, key, [], settings)
  t.teardown(() => stranger.close())
  await t.rejects(stranger.open(`${origin}/directory`), { code: /CERT/ })
  t.same(asked, [])
})
