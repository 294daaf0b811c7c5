import t, { type Test } from 'tap'
import { configuration } from '#data/configuration'
import { toBase64 } from '#runtime/base/bytes.ts'
import { MessageError } from '#runtime/contract'
import { importKeytab } from '#runtime/service/accounts/keytab-import.ts'
import { Store } from '#runtime/store/store.ts'
import { serveHttps } from '#test/runtime/service/https-server.ts'

const keytab = Uint8Array.of(5, 2, 0, 0, 0, 3, 1, 2, 3)
const time = '2025-06-01T12:00:00.000Z'

/** A server of keytabs, and a store that trusts its certificate. */
async function open(t: Test, isTrusted = true) {
  const { origin, cert } = await serveHttps(t, ({ url }, response) => {
    if (url === '/bmc.keytab?host=7') response.end(keytab)
    else if (url === '/text') response.end('no keytab')
    else if (url === '/longer') response.end(Uint8Array.of(...keytab, 0))
    else if (url === '/moved') response.writeHead(302, { location: '/bmc.keytab?host=7' }).end()
    else if (url === '/other') response.writeHead(203).end(keytab)
    else response.writeHead(404).end(keytab)
  })
  const store = await Store.open(`${t.testdir()}/store`, configuration.store)
  t.teardown(() => store.close())
  if (isTrusted) await store.commit({ trustedCertificate: { 1: { pem: cert } } })
  const parts = {
    store,
    secrets: { seal: (text: string) => `sealed ${text}` },
    configuration: { ...configuration, limits: { ...configuration.limits, keytab: keytab.length } },
    now: () => new Date(time)
  }
  return {
    origin,
    stored: () => store.get('kerberos', 'keytab'),
    /** @returns the message for the client; what is no `MessageError` fails the test */
    fetch: (path: string) =>
      importKeytab(`${origin}${path}`, parts).then(
        () => 'stored',
        (error: unknown) => {
          if (!(error instanceof MessageError)) throw error
          const [{ key, args } = { key: '', args: [] }] = error.messages
          return [error.status, key, ...args]
        }
      ),
    parts
  }
}

t.test('a keytab that a trusted server has is stored sealed, with the time', async (t) => {
  const { fetch, stored } = await open(t)
  t.equal(await fetch('/bmc.keytab?host=7'), 'stored')
  t.same(stored(), { keytab: `sealed ${toBase64(keytab)}`, importedAt: time })
})

t.test('an answer that is no keytab of the size allowed is refused, and nothing is stored', async (t) => {
  const { origin, fetch, stored } = await open(t)
  const refused = [400, 'Base.CouldNotEstablishConnection', origin]
  for (const [path, expected] of [
    ['/missing', refused],
    ['/moved', refused],
    ['/other', refused],
    ['/longer', refused],
    ['/text', [400, 'Base.ActionParameterValueError', 'ImportUri', 'VendorAccountService.ImportKerberosKeytab']]
  ] as const)
    t.same(await fetch(path), expected, path)
  t.equal(stored(), undefined)
})

t.test('the connection ends with the import, also one that the server would keep', async (t) => {
  let ended: Promise<unknown> | undefined
  const { origin, cert } = await serveHttps(t, ({ socket }, response) => {
    ended = new Promise((resolve) => socket.on('close', resolve))
    response.writeHead(200, { 'keep-alive': 'timeout=600' }).end(keytab)
  })
  const { parts } = await open(t)
  await parts.store.commit({ trustedCertificate: { 2: { pem: cert } } })
  await importKeytab(`${origin}/bmc.keytab`, parts)
  await ended
  t.ok(ended)
})

t.test('a server whose answer never ends is left after the time limit', async (t) => {
  const { origin, cert } = await serveHttps(t, (_, response) => {
    const timer = setInterval(() => response.write('x'), 5)
    response.on('close', () => clearInterval(timer))
  })
  const { parts } = await open(t)
  await parts.store.commit({ trustedCertificate: { 2: { pem: cert } } })
  const limits = { ...configuration.limits, keytab: 1_000_000 }
  const slow = { ...parts, configuration: { ...configuration, limits, keytabTime: 0.1 } }
  t.match(await importKeytab(`${origin}/bmc.keytab`, slow).catch((error: unknown) => error), { status: 400 })
})

t.test('a server without a trusted certificate is not asked', async (t) => {
  const { origin, fetch, stored } = await open(t, false)
  t.same(await fetch('/bmc.keytab?host=7'), [400, 'Base.CouldNotEstablishConnection', origin])
  t.equal(stored(), undefined)
})

t.test('a URI of another scheme is a bug of the caller', async (t) => {
  const { parts } = await open(t)
  await t.rejects(importKeytab('http://127.0.0.1/bmc.keytab', parts), RangeError)
})
