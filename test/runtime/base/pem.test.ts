import t from 'tap'
import { pem, readPem } from '#runtime/base/pem.ts'

const bytes = Uint8Array.from({ length: 100 }, (_, index) => index)

t.test('bytes of any length are written in lines of 64 characters and read back', async (t) => {
  for (const size of [1, 2, 3, 47, 48, 49, 40_000]) {
    const some = Uint8Array.from({ length: size }, (_, index) => index * 7)
    const text = pem('CERTIFICATE', some)
    t.ok(text.split('\n').every((line) => line.length <= 64))
    t.same(readPem(text), [{ label: 'CERTIFICATE', bytes: some, isEncrypted: false }])
  }
})

t.test('every block is found between explanatory text', async (t) => {
  const text = `Issuer: me - you\n${pem('CERTIFICATE', bytes)}\nBag Attributes\n${pem('EC PRIVATE KEY', bytes)}`
  t.same(
    readPem(text).map(({ label }) => label),
    ['CERTIFICATE', 'EC PRIVATE KEY']
  )
  t.same(readPem('nothing of the kind'), [])
})

t.test('a block without its end, or with something else than base64, has no bytes', async (t) => {
  const whole = pem('CERTIFICATE', bytes)
  for (const damaged of [
    whole.replace('-----END CERTIFICATE-----', ''),
    whole.replace('END CERTIFICATE', 'END KEY'),
    whole.replace('AAEC', 'AA*C'),
    whole.replace('AAEC', 'AAE'),
    whole.replace('AAEC', 'A=EC'),
    '-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----'
  ]) {
    t.same(readPem(damaged), [{ label: 'CERTIFICATE', bytes: undefined, isEncrypted: false }])
  }
})

t.test('a block whose header says so is encrypted', async (t) => {
  const header = 'Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,0011\n\n'
  const text = pem('RSA PRIVATE KEY', bytes).replace('-----\n', `-----\n${header}`)
  for (const each of [text, text.replaceAll('\n', '\r\n'), text.replaceAll('\n', '\\n')]) {
    t.match(readPem(each + pem('CERTIFICATE', bytes)), [
      { label: 'RSA PRIVATE KEY', bytes: undefined, isEncrypted: true },
      { label: 'CERTIFICATE', bytes, isEncrypted: false }
    ])
  }
})
