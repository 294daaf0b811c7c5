import { generateKeyPairSync } from 'node:crypto'
import t from 'tap'
import { certificateFrom, privateKeyIn } from '#data/certificates'
import { readPem } from '#runtime/base/pem.ts'
import { selfSigned } from '#runtime/service/certificates/self-signed.ts'
import { badRequest } from '#test/handlers/context.ts'

const rsa = (bits: number) =>
  generateKeyPairSync('rsa', { modulusLength: bits }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const ec = (namedCurve: string) =>
  generateKeyPairSync('ec', { namedCurve }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const read = (text: string) => privateKeyIn(readPem(text))
const refused = async (text: string) => (await badRequest(() => read(text))).flat().join(' ')

t.test('a text without a private key has none', async (t) => {
  t.equal(read(''), undefined)
})

t.test('keys that TLS can use are accepted, and fit the certificates of them', async (t) => {
  const { key, cert } = await selfSigned({
    ...{ commonName: 'bmc', altNames: { dns: ['bmc'], ip: [] }, now: new Date() },
    random: (length) => new Uint8Array(length).fill(7)
  })
  t.equal(read(key)?.fits(certificateFrom(cert)), true)
  for (const each of [rsa(2048), ec('P-256'), ec('P-384')]) {
    t.equal(read(each)?.pem, each)
    t.equal(read(each)?.fits(certificateFrom(cert)), false)
  }
})

t.test('other keys are refused with the reason', async (t) => {
  const key = ec('P-256')
  const ed25519 = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const encrypted = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-128-cbc', passphrase: 'x' })
    .toString()
  for (const [text, expected] of [
    [rsa(1024), /^Mgmt.PrivateKeyNotAccepted it is RSA with 1024 bits, and 2048 are needed$/],
    [ec('secp521r1'), /^Mgmt.PrivateKeyNotAccepted it is neither for P-256 or P-384 nor for RSA of 2048 to \d+ bits$/],
    [ed25519, /^Mgmt.PrivateKeyNotAccepted it is neither for P-256/],
    [`${key}${key}`, /^Mgmt.PrivateKeyNotAccepted there is more than one$/],
    [encrypted, /^Mgmt.PrivateKeyEncrypted/],
    [key.replace(/\n.{20}/, '\n'), /^Mgmt.PrivateKeyNotAccepted it cannot be read, or it is neither/]
  ] as const)
    t.match(await refused(text), expected)
})
