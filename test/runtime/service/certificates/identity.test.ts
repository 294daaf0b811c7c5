import { createPrivateKey, X509Certificate } from 'node:crypto'
import { statSync } from 'node:fs'
import t, { type Test } from 'tap'
import { certificatesFrom } from '#data/certificates'
import type { Certs } from '#hal/certs.ts'
import { HalError } from '#hal/errors.ts'
import { fileCerts } from '#hal/file/certs.ts'
import { fileCalls } from '#runtime/base/files.ts'
import type { Reader } from '#runtime/contract'
import { Identity } from '#runtime/service/certificates/identity.ts'
import { Secrets } from '#runtime/store/secrets.ts'
import { Authority, serverExtensions } from '#test/host/authority.ts'
import { debugLines } from '#test/runtime/log.ts'

const wish = { subject: { commonName: 'bmc-1' }, alternativeNames: [], kind: 'EC' } as const

async function open(t: Test, certs = (place: string): Certs => fileCerts(place)) {
  const directory = t.testdir()
  const secrets = Secrets.open(`${directory}/keys`, false)
  const identity = await Identity.open(certs(`${directory}/tls`), secrets, new Date(), false)
  return { directory, secrets, identity }
}

/** A request that was kept, and the certificate that an authority makes of it. */
async function requested(t: Test, identity: Identity) {
  const made = await identity.makeRequest(wish)
  await identity.perform({ kind: 'keepSigningRequest', ...made })
  const cert = new Authority(t, 'Servers').sign(made.request, { extensions: serverExtensions })
  return { ...made, chain: certificatesFrom(cert) }
}

t.test('a first start makes a pair, and the next one has the same', async (t) => {
  const { directory, secrets, identity } = await open(t)
  const { key, cert } = identity.pair
  t.ok(new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)))
  t.equal(statSync(`${directory}/tls/server.pem`).mode & 0o777, 0o600)
  const again = await Identity.open(fileCerts(`${directory}/tls`), secrets, new Date(), false)
  t.same(again.pair, identity.pair)
})

t.test('an answer with the certificate or the request depends on their state', async (t) => {
  const { identity } = await open(t)
  const tracked: string[] = []
  const { ownCertificate } = identity.members({ track: (path: string) => void tracked.push(path) } as Reader)
  const of = (read: () => unknown) => {
    read()
    return tracked.splice(0)
  }
  t.same(tracked, [])
  t.same(
    of(() => ownCertificate.chain),
    ['certs/server']
  )
  t.same(
    of(() => ownCertificate.request),
    ['certs/request']
  )
  const own = new X509Certificate(identity.chain).raw
  t.same(
    of(() => t.ok(ownCertificate.fits(own))),
    ['certs/server', 'certs/request']
  )
})

t.test('a certificate names the machine, and is made again for other names', async (t) => {
  const { directory, secrets } = await open(t)
  const at = (...dns: string[]) =>
    Identity.open(fileCerts(`${directory}/named`), secrets, new Date(), false, () => ({ dns, ip: [] }))
  const one = await at('bmc-1.lab.example', 'bmc-1')
  t.match(new X509Certificate(one.chain), {
    subject: 'CN=bmc-1.lab.example',
    subjectAltName: 'DNS:bmc-1.lab.example, DNS:bmc-1'
  })
  t.equal(await one.renew(new Date()), undefined)
  t.equal(await (await at('bmc-1.lab.example')).renew(new Date()), undefined)
  const two = await at('bmc-2.lab.example')
  t.equal(two.chain, one.chain)
  t.equal(await two.renew(new Date()), 'CN=bmc-2.lab.example')
  t.equal(new X509Certificate(two.chain).subjectAltName, 'DNS:bmc-2.lab.example')
})

t.test('a certificate is made again once it has no address that others could reach the machine by', async (t) => {
  const { directory, secrets } = await open(t)
  const own = ['127.0.0.1', '::1', 'fe80::1']
  const at = (...ip: string[]) =>
    Identity.open(fileCerts(`${directory}/addressed`), secrets, new Date(), false, () => ({ dns: ['bmc-1'], ip }))
  const one = await at(...own, '192.0.2.1', '2001:db8::1')
  for (const ip of [
    [...own, '192.0.2.1', '192.0.2.2'],
    [...own, '2001:db8::1'],
    [...own, 'fe80::2']
  ]) {
    t.equal(await (await at(...ip)).renew(new Date()), undefined, ip.join(' '))
  }
  const moved = await at(...own, '192.0.2.2')
  t.equal(moved.chain, one.chain)
  t.equal(await moved.renew(new Date()), 'CN=bmc-1')
  t.match(new X509Certificate(moved.chain).subjectAltName, /IP Address:192\.0\.2\.2$/)
})

t.test('an own pair of key and certificate is served, in any order in the file', async (t) => {
  const { directory, secrets, identity } = await open(t)
  const { key, cert } = identity.pair
  const certs = fileCerts(`${directory}/tls`)
  await certs.set('server', cert + key)
  t.same((await Identity.open(certs, secrets, new Date(), false)).pair, identity.pair)
})

t.test('a key and a certificate that do not match are set aside for a new pair, and logged', async (t) => {
  const { directory, secrets, identity } = await open(t)
  const { key, cert } = identity.pair
  const other = (await open(t)).identity.pair
  const certs = fileCerts(`${directory}/tls`)
  for (const text of ['', key, cert, key + other.cert, key.replace(/^[A-Za-z0-9]/m, '!') + cert]) {
    await certs.set('server', text)
    const made = await Identity.open(certs, secrets, new Date(), false)
    t.match(made.loss, { cause: /server\.pem does not hold a key and its certificate/, source: 'New' })
    t.equal(certs.get('damaged'), text)
    t.not(made.pair.key, key)
    t.ok(new X509Certificate(made.pair.cert).checkPrivateKey(createPrivateKey(made.pair.key)))
    const again = await Identity.open(certs, secrets, new Date(), false)
    t.same(again.pair, made.pair)
    t.equal(again.loss, undefined)
  }
})

t.test('a certificate of the service is renewed before it expires, or if its expiry is unknown', async (t) => {
  const { directory, secrets, identity } = await open(t)
  const day = 86_400_000
  const made = new X509Certificate(identity.pair.cert)
  const end = Date.parse(made.validTo)
  t.ok(end - Date.parse(made.validFrom) <= 825 * day)
  t.equal(await identity.renew(new Date()), undefined)
  t.equal(await identity.renew(new Date()), undefined)
  t.equal(await identity.renew(new Date(end - 31 * day)), undefined)
  t.equal(new X509Certificate(identity.pair.cert).fingerprint256, made.fingerprint256)
  const served: string[] = []
  identity.on(({ cert }) => void served.push(cert))
  t.type(await identity.renew(new Date(end - 29 * day)), 'string')
  t.same(served, [identity.pair.cert], 'new connections get the new one')
  t.ok(Date.parse(new X509Certificate(identity.pair.cert).validTo) > end + 700 * day)
  const again = await Identity.open(fileCerts(`${directory}/tls`), secrets, new Date(), false)
  t.same(again.pair, identity.pair)
  const certs = fileCerts(`${directory}/clockless`)
  const clockless = await Identity.open(certs, secrets, new Date(0), false)
  t.equal(await clockless.renew(new Date(60_000)), undefined)
  t.type(await clockless.renew(new Date()), 'string')
})

t.test('a certificate that a clock which was ahead has made is renewed once the clock is right', async (t) => {
  const directory = t.testdir()
  const secrets = Secrets.open(`${directory}/keys`, false)
  const [then, now] = [new Date('2036-01-01T00:00:00Z'), new Date('2026-01-01T00:00:00Z')]
  const identity = await Identity.open(fileCerts(`${directory}/tls`), secrets, then, false)
  t.type(await identity.renew(now), 'string')
  t.ok(Date.parse(new X509Certificate(identity.pair.cert).validFrom) < now.getTime())
  t.equal(await identity.renew(now), undefined)
})

t.test('whether a certificate is due is looked at once an hour, by a clock that may be set back', async (t) => {
  const secrets = Secrets.open(`${t.testdir()}/keys`, false)
  let asked = 0
  const names = () => {
    asked += 1
    return { dns: ['bmc-1'], ip: [] }
  }
  const start = Date.now()
  const identity = await Identity.open(fileCerts(`${t.testdir()}/tls`), secrets, new Date(start), false, names)
  asked = 0
  const hour = 3_600_000
  for (const [time, expected] of [
    [0, 1],
    [hour - 1, 1],
    [hour, 2],
    [1, 2],
    [0, 3],
    [0, 3]
  ] as const) {
    t.equal(await identity.renew(new Date(start + time)), undefined)
    t.equal(asked, expected, `${time}`)
  }
})

t.test('a simulated certificate has its fault, and only one without a fault is renewed', async (t) => {
  const { identity } = await open(t)
  const day = 86_400_000
  const now = new Date(Math.floor(Date.now() / 1000) * 1000)
  const own = new X509Certificate(identity.chain)
  const at = (days: number) => new Date(now.getTime() + days * day)
  for (const [fault, from, until, subject] of [
    ['expired', -826, -1, own.subject],
    ['notYetValid', 1, 826, own.subject],
    ['wrongName', -1, 824, 'CN=other.example'],
    [undefined, -1, 824, own.subject]
  ] as const) {
    await identity.remake(now, fault)
    const made = new X509Certificate(identity.chain)
    t.same(
      [new Date(made.validFrom), new Date(made.validTo), made.subject],
      [at(from), at(until), subject],
      String(fault)
    )
    t.equal(made.subjectAltName, fault === 'wrongName' ? 'DNS:other.example' : own.subjectAltName)
    t.type(await identity.renew(at(824)), fault === undefined ? 'string' : 'undefined', String(fault))
  }
})

t.test('a new pair that the disk refuses is served all the same, except at a first start', async (t) => {
  const { secrets, directory } = await open(t)
  const certs = fileCerts(`${directory}/full`)
  t.capture(certs, 'set', async () => {
    throw new HalError('ENOSPC', 'the disk is full')
  })
  const lines = debugLines(t)
  await t.rejects(Identity.open(certs, secrets, new Date(), false), { code: 'ENOSPC' })
  t.same(lines(), [])
  const { loss, pair } = await Identity.open(certs, secrets, new Date(), true)
  t.match(loss, { cause: /is not there$/, source: 'New' })
  t.ok(new X509Certificate(pair.cert).checkPrivateKey(createPrivateKey(pair.key)))
  t.match(lines(), [{ level: 'warning', message: 'a key was not stored', cause: 'the disk is full' }])
})

t.test('a certificate of another maker is not renewed', async (t) => {
  const { directory, secrets, identity } = await open(t)
  const certs = fileCerts(`${directory}/tls`)
  await certs.set('server', identity.pair.key + identity.pair.cert)
  const own = await Identity.open(certs, secrets, new Date(), false)
  t.equal(await own.renew(new Date('2999-01-01T00:00:00Z')), undefined)
})

t.test('a pair that another program keeps is served with, and one is made when none is kept any more', async (t) => {
  const { directory, secrets, identity } = await open(t)
  const other = (await open(t, () => fileCerts(`${directory}/other`))).identity.pair
  const certs = fileCerts(`${directory}/tls`)
  const shared = await Identity.open(certs, secrets, new Date(), false)
  const served: string[] = []
  shared.on(({ cert }) => void served.push(cert))
  t.equal(await shared.take(new Date()), undefined, 'it is the same')
  await certs.set('server', other.key + other.cert)
  t.match(await shared.take(new Date()), /^CN=/)
  t.same([shared.pair, served], [other, [other.cert]])
  const longer = { key: other.key, cert: other.cert + identity.pair.cert }
  await certs.set('server', longer.key + longer.cert)
  t.match(await shared.take(new Date()), /^CN=/, 'another chain for the same key')
  t.same(shared.pair, longer)
  await certs.set('server', 'damaged')
  t.equal(await shared.take(new Date()), undefined)
  t.same(shared.pair, longer)
  await certs.delete('server')
  t.match(await shared.take(new Date()), /^CN=/)
  t.notSame(shared.pair, other)
  t.notSame(shared.pair, identity.pair)
})

t.test('a letter that is another one is noticed wherever it is in the pair', async (t) => {
  const { directory, secrets } = await open(t)
  const certs = fileCerts(`${directory}/tls`)
  const text = certs.get('server') ?? ''
  for (const line of text.split('\n').filter((each) => each !== '' && !/^(-|SHA|The service)/.test(each))) {
    const other = line.replace(/^./, (letter) => (letter === 'A' ? 'B' : 'A'))
    await certs.set('server', text.replace(line, other))
    t.equal((await Identity.open(certs, secrets, new Date(), true)).loss?.source, 'New', line)
  }
})

t.test('a missing pair is a loss, except at a first start', async (t) => {
  const { directory, secrets, identity } = await open(t)
  t.equal(identity.loss, undefined)
  const certs = fileCerts(`${directory}/tls`)
  await certs.delete('server')
  const made = await Identity.open(certs, secrets, new Date(), true)
  t.match(made.loss, { cause: /server\.pem is not there/, source: 'New' })
  t.equal(certs.get('damaged'), undefined)
})

t.test('the key of a request is stored sealed, and used once its certificate is installed', async (t) => {
  const { identity } = await open(t)
  const served: string[] = []
  identity.on(({ key, cert }) => {
    t.ok(new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)))
    served.push(cert)
  })
  const { request, key, chain } = await requested(t, identity)
  t.notMatch(key, /PRIVATE/)
  t.match(key, /^[0-9a-f]+$/)
  t.equal(identity.request, request)
  t.same(served, [])
  t.ok(identity.fits(chain[0]))
  await identity.perform({ kind: 'replaceCertificate', chain })
  t.equal(served.length, 1)
  t.equal(identity.request, undefined)
  t.ok(identity.fits(chain[0]), 'the key is that of the pair now')
})

t.test('a certificate for the key in use leaves the request as it is', async (t) => {
  const { identity } = await open(t)
  const { request } = await requested(t, identity)
  await identity.perform({ kind: 'replaceCertificate', chain: certificatesFrom(identity.chain) })
  t.equal(identity.request, request)
})

t.test('a certificate with its own key replaces both of the service', async (t) => {
  const { directory, secrets, identity } = await open(t)
  const { request } = await requested(t, identity)
  const { cert, key } = new Authority(t, 'Servers').issue({ extensions: serverExtensions })
  const chain = certificatesFrom(cert)
  t.notOk(identity.fits(chain[0]))
  await identity.perform({ kind: 'replaceCertificate', chain, key: secrets.seal(key) })
  t.same(identity.pair, { cert, key })
  t.equal(statSync(`${directory}/tls/server.pem`).mode & 0o777, 0o600)
  t.equal(identity.request, request, 'the request is still awaited')
  const again = await Identity.open(fileCerts(`${directory}/tls`), secrets, new Date(), true)
  t.same(again.pair, { cert, key })
  t.equal(await again.renew(new Date(Date.now() + 90 * 86_400_000)), undefined, 'and its owner renews it')
})

t.test('if TLS or the disk refuses a certificate, the old one stays', async (t) => {
  let full = false
  const calls = {
    ...fileCalls,
    create(file: string, content: string) {
      if (full) throw Object.assign(new Error('full'), { code: 'ENOSPC' })
      fileCalls.create(file, content)
    }
  }
  const { identity } = await open(t, (place) => fileCerts(place, calls))
  const { chain } = await requested(t, identity)
  const before = identity.pair
  const served = [before.cert]
  const stop = identity.on(() => {
    throw new Error('ee key too small')
  })
  const lines = debugLines(t)
  await t.rejects(identity.perform({ kind: 'replaceCertificate', chain }), {
    status: 400,
    message: /TLS cannot use it/
  })
  t.match(lines(), [{ message: 'a certificate cannot be used for TLS', cause: 'ee key too small' }])
  t.same(identity.pair, before)
  stop()
  identity.on(({ cert }) => served.push(cert))
  full = true
  await t.rejects(identity.perform({ kind: 'replaceCertificate', chain }), { name: 'HalError', code: 'ENOSPC' })
  t.same(identity.pair, before)
  t.equal(served.at(-1), before.cert, 'and is served')
  full = false
  await identity.perform({ kind: 'replaceCertificate', chain })
  t.not(identity.chain, before.cert)
  t.equal(served.at(-1), identity.chain)
})

t.test('a certificate of another key is refused', async (t) => {
  const { identity } = await open(t)
  const chain = certificatesFrom(new Authority(t, 'Servers').issue().cert)
  t.notOk(identity.fits(chain[0]))
  await t.rejects(identity.perform({ kind: 'replaceCertificate', chain }), {
    status: 400,
    message: /replaced meanwhile/
  })
})

t.test('a listener follows the pair of a challenge from the present one on', async (t) => {
  const { identity } = await open(t)
  const [first, second] = [identity.pair, (await open(t)).identity.pair]
  const shown: unknown[] = []
  const follow = (name: string) => identity.onChallenge((pair) => void shown.push([name, pair]))
  const ends = [follow('early')]
  t.same(shown.splice(0), [], 'there is no challenge')
  identity.challenge = first
  t.same(shown.splice(0), [['early', first]])
  ends.push(follow('late'))
  t.same(shown.splice(0), [['late', first]])
  identity.challenge = second
  identity.challenge = undefined
  const both = (pair: unknown) => ['early', 'late'].map((name) => [name, pair])
  t.same(shown.splice(0), [...both(second), ...both(undefined)])
  for (const end of ends) end()
  identity.challenge = first
  t.same(shown, [])
})
