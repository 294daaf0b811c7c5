import { createHash, createHmac, createPublicKey, verify } from 'node:crypto'
import t from 'tap'
import { base64url, externalBinding, jwk, makeAccountKey, signed, thumbprint } from '#runtime/service/acme/jws.ts'

const decoded = (text: string) => JSON.parse(Buffer.from(text, 'base64url').toString())

t.test('bytes are written without padding, and with letters that need no quotes in URLs', async (t) => {
  t.equal(base64url(Uint8Array.of(0xfb, 0xff, 0xfe)), '-__-')
  t.equal(base64url(Uint8Array.of(0xfb, 0xff, 0xfe, 0xfb, 0xff, 0xfe, 1)), '-__--__-AQ')
  t.equal(base64url('ab'), 'YWI')
})

t.test(
  'what an account signs is proved by its public key, however short the numbers of the signature are',
  async (t) => {
    const key = await makeAccountKey()
    const publicKey = createPublicKey({ key: jwk(key), format: 'jwk' })
    // One number in 256 has a byte less than the others.
    for (let nonce = 0; nonce < 1000; nonce += 1) {
      const { protected: header, payload, signature } = JSON.parse(signed(key, { nonce }, { a: 1 }))
      const bytes = Buffer.from(signature, 'base64url')
      const isProved = verify(
        'sha256',
        Buffer.from(`${header}.${payload}`),
        { key: publicKey, dsaEncoding: 'ieee-p1363' },
        bytes
      )
      if (!isProved || bytes.length !== 64) t.fail(`${nonce}: ${signature}`)
      if (nonce === 0) t.same([decoded(header), decoded(payload)], [{ alg: 'ES256', nonce: 0 }, { a: 1 }])
    }
    t.equal(JSON.parse(signed(key, {}, '')).payload, '', 'POST-as-GET')
    const { x, y } = key
    const text = `{"crv":"P-256","kty":"EC","x":"${x}","y":"${y}"}`
    t.equal(thumbprint(key), createHash('sha256').update(text).digest('base64url'))
  }
)

t.test('the proof of another account has the MAC of its key, in either way to write it', async (t) => {
  const key = await makeAccountKey()
  const secret = Buffer.from('fbfffefbfffe0102', 'hex')
  for (const macKey of [secret.toString('base64url'), secret.toString('base64')]) {
    const proof = externalBinding(key, 'https://acme/account', 'kid-1', macKey) as Record<string, string>
    const { protected: header = '', payload = '', signature } = proof
    t.same(decoded(header), { alg: 'HS256', kid: 'kid-1', url: 'https://acme/account' })
    t.same(decoded(payload), jwk(key))
    t.equal(signature, createHmac('sha256', secret).update(`${header}.${payload}`).digest('base64url'))
  }
})
