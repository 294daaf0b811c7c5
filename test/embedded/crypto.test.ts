import * as node from 'node:crypto'
import { rootCertificates } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { fromBase64 } from '#runtime/base/bytes.ts'
import { certificates, facts, type Holder, keys, relations } from '#test/embedded/fixtures/facts.ts'
import lms from '#test/embedded/fixtures/lms.json' with { type: 'json' }
import { clientCertificate, kinds } from './client-certificates.ts'
import { dropIn, passesUnderSanitizers, sanitized, skip } from './dropIn.ts'
import { binaries, output } from './program.ts'

const embedded: typeof node = skip ? node : await dropIn('crypto', 'crypto')
const test = (title: string, body: (t: Test) => void | Promise<void>) => t.test(title, { skip }, async (t) => body(t))
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')

test('hashes give the known answers of FIPS 180-4', (t) => {
  const answers = {
    sha1: 'a9993e364706816aba3e25717850c26c9cd0d89d',
    sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    sha384: 'cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7',
    sha512:
      'ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a' +
      '2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f'
  }
  for (const [algorithm, answer] of Object.entries(answers)) {
    t.equal(embedded.createHash(algorithm).update('abc').digest('hex'), answer, algorithm)
  }
  const million = embedded.createHash('sha256')
  for (let i = 0; i < 1000; i++) million.update(new Uint8Array(1000).fill(0x61))
  t.equal(million.digest('hex'), 'cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0', 'a million a')
})

test('HMAC gives the known answers of RFC 2202 and RFC 4231', (t) => {
  const answers = {
    sha1: 'effcdf6ae5eb2fa2d27416d5f184df9c259a7c79',
    sha256: '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843'
  }
  for (const [algorithm, answer] of Object.entries(answers)) {
    const code = embedded.createHmac(algorithm, 'Jefe').update('what do ya want for nothing?').digest()
    t.equal(hex(code), answer, algorithm)
  }
})

test('PBKDF2 gives the known answer of RFC 7914', async (t) => {
  const key = await promisify(embedded.pbkdf2)('passwd', 'salt', 1, 64, 'sha256')
  t.equal(
    hex(key),
    '55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc' +
      '49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783'
  )
})

test('PBKDF2 leaves the event loop free', async (t) => {
  let turns = 0
  let done = false
  const turn = () => {
    turns++
    if (!done) setImmediate(turn)
  }
  turn()
  await promisify(embedded.pbkdf2)('password', 'salt', 100_000, 32, 'sha256')
  done = true
  t.ok(turns > 2, `${turns} turns went by`)
})

test('ECDSA gives the known answer of RFC 6979, from either form of the key', (t) => {
  const answer =
    '3046022100efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716' +
    '022100f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8'
  for (const key of Object.values(keys)) t.equal(hex(embedded.sign('sha256', Buffer.from('sample'), key)), answer)
})

test('an RSA key signs with PKCS#1 v1.5', (t) => {
  const { privateKey, publicKey } = node.generateKeyPairSync('rsa', { modulusLength: 2048 })
  for (const type of ['pkcs1', 'pkcs8'] as const) {
    const signature = embedded.sign('sha256', Buffer.from('data'), privateKey.export({ type, format: 'pem' }))
    t.ok(node.verify('sha256', Buffer.from('data'), publicKey, signature), type)
  }
})

test('a signature of HSS/LMS by Botan is verified, and each change of it or of its message is seen', (t) => {
  const [data, key, signature] = [Buffer.from(lms.message), fromBase64(lms.key), fromBase64(lms.signature)]
  const verify = (signature: Uint8Array, message: Uint8Array = data, spki = key) =>
    embedded.verify(null, message, { key: spki as Buffer, format: 'der', type: 'spki' }, signature)
  const changed = (bytes: Uint8Array, at: number) =>
    Uint8Array.from(bytes, (byte, index) => byte ^ Number(index === at))
  t.equal(verify(signature), true)
  for (let at = 0; at < signature.length; at += 1) if (verify(changed(signature, at))) t.fail(`byte ${at}`)
  for (const length of [0, 3, 4, 8, 1452, 1455]) t.equal(verify(signature.subarray(0, length)), false, `${length}`)
  t.equal(verify(Buffer.concat([signature, Buffer.alloc(1)])), false)
  t.equal(verify(signature, changed(data, 3)), false)
  t.equal(verify(signature, data, changed(key, 79)), false, 'another root')
  // The kind of key, its number of levels, its parameters, its length.
  for (const at of [1, 10, 23, 27, 31])
    t.throws(() => verify(signature, data, changed(key, at)), { code: 'ERR_OSSL_UNSUPPORTED' }, `byte ${at}`)
  t.throws(() => verify(signature, data, key.subarray(0, 79)), { code: 'ERR_OSSL_UNSUPPORTED' })
  t.end()
})

test('a generated key is a P-256 key that Node.js takes', async (t) => {
  const options = {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'sec1', format: 'pem' }
  } as const
  const [publicKey, privateKey] = await new Promise<[Uint8Array, string]>((resolve, reject) =>
    embedded.generateKeyPair('ec', options, (error, publicKey, privateKey) =>
      error ? reject(error) : resolve([publicKey, privateKey])
    )
  )
  t.match(privateKey, /^-----BEGIN EC PRIVATE KEY-----\n[\s\S]+\n-----END EC PRIVATE KEY-----\n$/)
  const known = node.createPrivateKey(privateKey)
  t.equal(known.asymmetricKeyDetails?.namedCurve, 'prime256v1')
  t.equal(hex(publicKey), hex(node.createPublicKey(known).export({ type: 'spki', format: 'der' })))
})

test('the module answers as node:crypto does', async (t) => {
  t.same(await facts(embedded), await facts(node))
})

test('the root certificates that Node.js carries are read as Node.js reads them', (t) => {
  const read = ({ X509Certificate }: typeof node) => rootCertificates.map((pem) => hex(new X509Certificate(pem).raw))
  t.ok(rootCertificates.length > 100)
  t.same(read(embedded), read(node))
})

/** An issuer of each kind, what it signed, and one that only has its name. */
function holders(t: Test): Record<string, Holder> {
  const ca = { extensions: ['basicConstraints=critical,CA:TRUE', 'keyUsage=keyCertSign'] }
  const named = ['P-256', 'P-384', 'RSA'] as const
  const issuers = named.map((kind) => clientCertificate(t, { ...ca, newkey: kinds[kind], subject: `/CN=ca ${kind}` }))
  const issued = issuers.map((issuer, index) =>
    clientCertificate(t, { issuer, newkey: kinds[named[(index + 1) % 3]!], subject: `/CN=issued ${index}` })
  )
  const [first] = issuers
  const others = {
    namesake: clientCertificate(t, { ...ca, subject: '/CN=ca P-256' }),
    'namesake with its key, that signs no certificates': clientCertificate(t, {
      key: first!.files.key,
      extensions: ['keyUsage=digitalSignature'],
      subject: '/CN=ca P-256'
    }),
    'its key by another name': clientCertificate(t, { ...ca, key: first!.files.key, subject: '/CN=other' }),
    pss: clientCertificate(t, {
      issuer: issuers[2]!,
      signing: ['-sigopt', 'rsa_padding_mode:pss'],
      subject: '/CN=pss'
    }),
    'sha-1': clientCertificate(t, { issuer: issuers[2]!, signing: ['-sha1'], subject: '/CN=sha1' })
  }
  return Object.fromEntries([
    ...issuers.map(({ cert, key }, index) => [`ca ${named[index]}`, { cert, key }]),
    ...issued.map(({ cert, key }, index) => [`issued ${index}`, { cert, key }]),
    ...Object.entries(others).map(([name, { cert, key }]) => [name, { cert, key }])
  ])
}

test('certificates and keys belong together as they do for Node.js', (t) => {
  const all = holders(t)
  const expected = relations(node, all)
  t.same(relations(embedded, all), expected)
  const text = JSON.stringify(expected)
  for (const fact of ['verify', 'fits']) {
    for (const value of [true, false]) t.ok(text.includes(`"${fact}":${value}`), `${fact} ${value} occurs`)
  }
})

test('a certificate whose signature is broken is not verified', (t) => {
  const { cert } = clientCertificate(t)
  const whole = new node.X509Certificate(cert)
  const bytes = Uint8Array.from(whole.raw)
  t.ok(new embedded.X509Certificate(bytes).verify(new embedded.X509Certificate(cert).publicKey))
  bytes[bytes.length - 1]! ^= 1
  t.notOk(new embedded.X509Certificate(bytes).verify(new embedded.X509Certificate(cert).publicKey))
})

test('keys of other kinds are ERR_OSSL_UNSUPPORTED, as unknown kinds are in Node.js', (t) => {
  const refused = { code: 'ERR_OSSL_UNSUPPORTED' }
  for (const newkey of [kinds['P-521'], kinds.Ed25519, ['ec', '-pkeyopt', 'ec_paramgen_curve:secp256k1']]) {
    const { key } = clientCertificate(t, { newkey })
    t.throws(() => embedded.createPrivateKey(key), refused, newkey.join(' '))
  }
  const { cert } = clientCertificate(t, { newkey: kinds['P-521'] })
  t.throws(() => new embedded.X509Certificate(cert).publicKey, refused)
})

test('keys are made for RSA as PKCS#1 and for P-256 as SEC 1, and in no other form', async (t) => {
  const make = (type: string, options: object, form: string) =>
    new Promise<[Uint8Array, string]>((resolve, reject) =>
      embedded.generateKeyPair(
        type as 'rsa',
        {
          ...options,
          publicKeyEncoding: { type: 'spki', format: 'der' },
          privateKeyEncoding: { type: form, format: 'pem' }
        } as never,
        (error: Error | null, publicKey: unknown, privateKey: unknown) =>
          error ? reject(error) : resolve([publicKey as Uint8Array, privateKey as string])
      )
    )
  for (const modulusLength of [2048, 3072]) {
    const [publicKey, privateKey] = await make('rsa', { modulusLength }, 'pkcs1')
    const known = node.createPrivateKey(privateKey)
    t.match(known.asymmetricKeyDetails, { modulusLength, publicExponent: 65537n })
    t.equal(hex(publicKey), hex(node.createPublicKey(known).export({ type: 'spki', format: 'der' })))
  }
  for (const [type, options, form] of [
    ['rsa', { modulusLength: 1024 }, 'pkcs1'],
    ['rsa', { modulusLength: 2048 }, 'pkcs8'],
    ['ec', { namedCurve: 'P-256' }, 'pkcs8'],
    ['ec', { namedCurve: 'P-384' }, 'sec1'],
    ['ed25519', {}, 'pkcs8']
  ] as const) {
    await t.rejects(make(type, options, form), { code: 'ERR_INVALID_ARG_VALUE' })
  }
})

test('an input that is not a certificate is ERR_INVALID_ARG_VALUE', (t) => {
  const refused = { code: 'ERR_INVALID_ARG_VALUE' }
  const whole = certificates.odd
  for (const input of [
    '',
    'x',
    new Uint8Array(0),
    new Uint8Array(70_000),
    keys.sec1,
    '-----BEGIN CERTIFICATE-----\nAAAA\n'
  ]) {
    t.throws(() => new embedded.X509Certificate(input), refused)
  }
  for (let size = 0; size < whole.length; size++) {
    if (!throws(() => new embedded.X509Certificate(whole.slice(0, size)), refused.code))
      t.fail(`the first ${size} bytes`)
  }
  t.doesNotThrow(() => new embedded.X509Certificate(whole))
})

test('a certificate with any byte changed is read or refused, and nothing else', (t) => {
  const outcomes = { read: 0, refused: 0 }
  for (const whole of Object.values(certificates)) {
    for (let at = 0; at < whole.length; at++) {
      for (const change of [0x01, 0x80, 0xff]) {
        const bytes = Uint8Array.from(whole)
        bytes[at]! ^= change
        if (throws(() => new embedded.X509Certificate(bytes), 'ERR_INVALID_ARG_VALUE')) outcomes.refused++
        else outcomes.read++
      }
    }
  }
  t.ok(outcomes.read > 0 && outcomes.refused > 0, JSON.stringify(outcomes))
})

test('a certificate with any byte changed is not verified, and its key is read or refused', (t) => {
  const extensions = ['basicConstraints=critical,CA:TRUE', 'keyUsage=keyCertSign']
  const { cert } = clientCertificate(t, { extensions })
  const whole = new embedded.X509Certificate(cert)
  const { raw, publicKey } = whole
  const verified: number[] = []
  for (let at = 0; at < raw.length; at++) {
    for (const change of [0x01, 0x20, 0x80, 0xff]) {
      const bytes = Uint8Array.from(raw)
      bytes[at]! ^= change
      if (throws(() => new embedded.X509Certificate(bytes), 'ERR_INVALID_ARG_VALUE')) continue
      const read = new embedded.X509Certificate(bytes)
      if (read.verify(publicKey)) verified.push(at)
      try {
        t.ok(read.publicKey)
      } catch (error) {
        t.match(error, { code: /^ERR_(OSSL_UNSUPPORTED|INVALID_ARG_VALUE)$/ })
      }
    }
  }
  t.same(verified, [], 'no change goes unnoticed')
})

test('an input that is not a private key is ERR_INVALID_ARG_VALUE', (t) => {
  const refused = { code: 'ERR_INVALID_ARG_VALUE' }
  for (const text of [
    '',
    'x',
    '-----BEGIN EC PRIVATE KEY-----\n',
    keys.sec1.slice(0, -60),
    keys.sec1.replace('MHc', 'MHd')
  ]) {
    t.throws(() => embedded.createPrivateKey(text), refused)
    t.throws(() => embedded.sign('sha256', Buffer.from('x'), text), refused)
  }
})

const labels: Record<string, RegExp> = {
  sec1: /^-----BEGIN EC PRIVATE KEY-----\n/,
  pkcs1: /^-----BEGIN RSA PRIVATE KEY-----\n/
}

function details({ namedCurve, modulusLength }: { namedCurve?: string; modulusLength?: number }) {
  return namedCurve ? { namedCurve: 'prime256v1' } : { modulusLength }
}

function throws(call: () => unknown, code: string): boolean {
  try {
    call()
    return false
  } catch (error) {
    if ((error as { code?: string }).code !== code) throw error
    return true
  }
}

if (!sanitized) {
  for (const program of binaries) {
    t.test(`the ${program.host} answers as Node.js does`, { skip: program.skip }, async (t) => {
      const all = holders(t)
      process.env.CERTIFICATE_HOLDERS = JSON.stringify(all)
      const binary = JSON.parse(await output(await program.build('crypto')))
      t.same(binary.relations, JSON.parse(JSON.stringify(relations(node, all))))
      for (const { options, type, publicKey, privateKey } of binary.pairs) {
        const title = `${JSON.stringify(options)} as ${type}`
        const key = node.createPrivateKey(privateKey)
        t.match(key.asymmetricKeyDetails, details(options), title)
        t.match(privateKey, labels[type], title)
        const spki = node.createPublicKey(key).export({ type: 'spki', format: 'der' })
        t.equal(hex(Uint8Array.from(publicKey)), hex(spki), title)
      }
      t.same(binary.facts, await facts(node))
      t.match(binary.signature, /^3046022100efd48b2a.+4dc4ab2f843acda8$/)

      const certificate = new node.X509Certificate(binary.made.cert)
      t.equal(certificate.subjectAltName, 'DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1')
      t.ok(certificate.verify(certificate.publicKey), 'its certificate is signed by its own key')
      t.ok(certificate.checkPrivateKey(node.createPrivateKey(binary.made.key)), 'and the key belongs to it')
      t.same([binary.belongs, binary.foreign], [true, false], 'as it says itself, and no other')
    })
  }

  test('and with AddressSanitizer and UBSan', (t) =>
    passesUnderSanitizers(
      t,
      fileURLToPath(import.meta.url),
      /ok \d+ - an input that is not a private key is ERR_INVALID_ARG_VALUE/
    ))
}
