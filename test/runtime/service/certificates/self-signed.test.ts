import { spawnSync } from 'node:child_process'
import { createPrivateKey, randomBytes, X509Certificate } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import t from 'tap'
import { selfSigned } from '#runtime/service/certificates/self-signed.ts'

const now = new Date('2026-01-02T03:04:05Z')
const wish = {
  commonName: 'bmc-1',
  altNames: {
    dns: ['localhost', 'bmc-1.example.com'],
    ip: ['127.0.0.1', '::1', 'fe80::1:2%eth0', '2001:db8::', '::ffff:192.0.2.1', '1:2:3:4:5:6:7:8']
  },
  now,
  random: (size: number) => randomBytes(size)
}

t.test('every field can be read back', async (t) => {
  const { key, cert } = await selfSigned(wish)
  const read = new X509Certificate(cert)
  t.equal(read.subject, 'CN=bmc-1')
  t.equal(read.issuer, 'CN=bmc-1')
  t.equal(
    read.subjectAltName,
    'DNS:localhost, DNS:bmc-1.example.com, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, ' +
      'IP Address:FE80:0:0:0:0:0:1:2, IP Address:2001:DB8:0:0:0:0:0:0, IP Address:0:0:0:0:0:FFFF:C000:201, ' +
      'IP Address:1:2:3:4:5:6:7:8'
  )
  t.equal(read.validFrom, 'Jan  1 03:04:05 2026 GMT')
  t.equal(read.validTo, 'Apr  5 03:04:05 2028 GMT', '825 days, the longest that clients accept')
  t.equal(read.ca, false)
  t.same(read.keyUsage, ['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2'], 'the extended key usage: TLS server and client')
  t.match(read.serialNumber, /^[4-7][0-9A-F]{31}$/)
  t.same(read.publicKey.asymmetricKeyDetails, { namedCurve: 'prime256v1' })
  t.ok(read.verify(read.publicKey))
  t.ok(read.checkPrivateKey(createPrivateKey(key)))
  t.match(key, /^-----BEGIN EC PRIVATE KEY-----\n/)
  t.equal(read.checkHost('bmc-1.example.com'), 'bmc-1.example.com')
  t.equal(read.checkIP('2001:db8::'), '2001:db8::')
})

const openssl = spawnSync('openssl', ['version']).error === undefined
const skip = !openssl && process.env.CI !== 'true' && 'it needs openssl (apt-get install openssl)'

t.test('openssl verifies it and prints its extensions', { skip }, async (t) => {
  const { cert } = await selfSigned({ ...wish, now: new Date() })
  const file = `${t.testdir()}/cert.pem`
  writeFileSync(file, cert)
  const verified = spawnSync('openssl', ['verify', '-x509_strict', '-purpose', 'sslserver', '-CAfile', file, file], {
    encoding: 'utf8'
  })
  t.equal(verified.stdout, `${file}: OK\n`, verified.stderr)
  const { stdout } = spawnSync('openssl', ['x509', '-in', file, '-noout', '-text'], { encoding: 'utf8' })
  const lines = stdout.replace(/\s+/g, ' ')
  for (const extension of [
    'Version: 3 (0x2)',
    'Signature Algorithm: ecdsa-with-SHA256',
    'X509v3 Basic Constraints: critical CA:FALSE',
    'X509v3 Key Usage: critical Digital Signature X509v3 Extended Key Usage: TLS Web Server Authentication, TLS Web Client Authentication X509v3',
    'X509v3 Subject Alternative Name: DNS:localhost, DNS:bmc-1.example.com, IP Address:127.0.0.1'
  ]) {
    t.ok(lines.includes(extension), extension)
  }
  t.match(lines, /X509v3 Subject Key Identifier: ([0-9A-F]{2}:){19}[0-9A-F]{2} /)
})

t.test('a clock that was never set gives a certificate without an end', async (t) => {
  const { cert } = await selfSigned({ ...wish, now: new Date(12_345) })
  const read = new X509Certificate(cert)
  t.same([read.validFrom, read.validTo], ['Jan  1 00:00:00 2020 GMT', 'Dec 31 23:59:59 9999 GMT'])
})

t.test('validity can end after 2049, with the other encoding', async (t) => {
  for (const [days, end] of [
    [8765, 'Dec 31 03:04:05 2049 GMT'],
    [8766, 'Jan  1 03:04:05 2050 GMT']
  ] as const) {
    t.equal(new X509Certificate((await selfSigned({ ...wish, days })).cert).validTo, end)
  }
})

t.test('the serial number is positive and 16 bytes long for all random bytes', async (t) => {
  for (const [byte, serial] of [
    [0x00, `40${'00'.repeat(15)}`],
    [0xff, `7F${'FF'.repeat(15)}`]
  ] as const) {
    const { cert } = await selfSigned({ ...wish, random: (size) => new Uint8Array(size).fill(byte) })
    t.equal(new X509Certificate(cert).serialNumber, serial)
  }
})

t.test('no names, no subjectAltName', async (t) => {
  const read = new X509Certificate((await selfSigned({ ...wish, altNames: { dns: [], ip: [] } })).cert)
  t.equal(read.subjectAltName, undefined)
})

t.test('names and addresses each are enough for a subjectAltName', async (t) => {
  const [dns, ip] = [['bmc-1'], ['192.0.2.1']]
  for (const [altNames, text] of [
    [{ dns, ip }, 'DNS:bmc-1, IP Address:192.0.2.1'],
    [{ dns, ip: [] }, 'DNS:bmc-1'],
    [{ dns: [], ip }, 'IP Address:192.0.2.1']
  ] as const) {
    t.equal(new X509Certificate((await selfSigned({ ...wish, altNames })).cert).subjectAltName, text)
  }
})

t.test('more names than a short length can count', async (t) => {
  const dns = Array.from({ length: 30 }, (_, index) => `host-${index}.example.com`)
  const read = new X509Certificate((await selfSigned({ ...wish, altNames: { dns, ip: [] } })).cert)
  t.equal(read.subjectAltName, dns.map((name) => `DNS:${name}`).join(', '))
})

t.test('a name that a certificate cannot hold is refused', async (t) => {
  const ips = [
    '',
    '1.2.3',
    '1.2.3.256',
    '1.2.3.4.5',
    'a.b.c.d',
    ':',
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4:5:6:7:8::',
    'g::',
    '12345::',
    '1.2.3.4::',
    '::1.2.3'
  ]
  for (const ip of ips)
    await t.rejects(selfSigned({ ...wish, altNames: { dns: [], ip: [ip] } }), RangeError, `address ${ip}`)
  for (const dns of ['', 'bücher.example', 'two words', 'x'.repeat(254)]) {
    await t.rejects(selfSigned({ ...wish, altNames: { dns: [dns], ip: [] } }), RangeError, `name ${dns}`)
  }
  for (const commonName of ['', 'x'.repeat(65)]) await t.rejects(selfSigned({ ...wish, commonName }), RangeError)
})
