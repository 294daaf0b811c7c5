import { generateKeyPairSync, randomBytes, X509Certificate } from 'node:crypto'
import { rootCertificates } from 'node:tls'
import t from 'tap'
import { certificateFrom, fingerprint, readCertificate } from '#data/certificates'
import { pem } from '#runtime/base/pem.ts'
import { MessageError } from '#runtime/contract'
import { selfSigned } from '#runtime/service/certificates/self-signed.ts'

const names = { commonName: 'bmc-1', altNames: { dns: ['localhost'], ip: [] } }
const wish = { ...names, now: new Date('2026-01-02T03:04:05Z'), random: randomBytes }

t.test('the root certificates that Node.js carries are read as Node.js reads them', async (t) => {
  t.ok(rootCertificates.length > 100)
  for (const text of rootCertificates) {
    const known = new X509Certificate(text)
    const read = readCertificate(certificateFrom(text))!
    t.equal(fingerprint(known.raw), known.fingerprint256)
    t.equal(read.serialNumber.replaceAll(':', ''), known.serialNumber.padStart(2, '0'), known.subject)
    t.equal(read.notBefore?.getTime(), Date.parse(known.validFrom))
    t.equal(read.notAfter?.getTime(), Date.parse(known.validTo))
    const subject = known.subject.split('\n').filter((line) => /^(C|ST|L|O|OU|CN)=/.test(line))
    const plain = subject.map((line) => line.replace(/\\(.)/g, '$1'))
    const shown = read.subject.filter(({ type }) => ['C', 'ST', 'L', 'O', 'OU', 'CN'].includes(type))
    t.same(
      shown.map(({ type, value }) => `${type}=${value}`),
      plain
    )
  }
})

t.test('the uses of the key are those of both extensions', async (t) => {
  const { cert } = await selfSigned(wish)
  t.match(readCertificate(certificateFrom(cert)), { usage: ['DigitalSignature'], purposes: ['ServerAuthentication'] })
})

t.test('a certificate with any byte changed is read or refused, and nothing else', async (t) => {
  const { cert } = await selfSigned(wish)
  const whole = certificateFrom(cert)
  for (let at = 0; at < whole.length; at += 1) {
    for (const change of [0x01, 0x80, 0xff]) {
      const bytes = whole.slice()
      bytes[at]! ^= change
      readCertificate(bytes)
      try {
        certificateFrom(pem('CERTIFICATE', bytes))
      } catch (error) {
        if (!(error instanceof MessageError)) throw error
      }
    }
  }
  for (let size = 0; size < whole.length; size += 1) {
    if (readCertificate(whole.slice(0, size)) !== undefined) t.fail(`${size} bytes are a certificate`)
  }
  t.ok(readCertificate(whole))
})

t.test('a private key is refused, whatever else the text contains', async (t) => {
  const { cert, key } = await selfSigned(wish)
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  for (const text of [key, cert + key, key + cert, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()]) {
    t.throws(() => certificateFrom(text), { status: 400, message: /private key/ })
  }
})
