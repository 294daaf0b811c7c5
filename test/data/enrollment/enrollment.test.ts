import { randomBytes } from 'node:crypto'
import t from 'tap'
import { isRenewalDue } from '#data/enrollment'
import { selfSigned } from '#runtime/service/certificates/self-signed.ts'
import { Authority } from '#test/host/authority.ts'

const day = 86_400_000
const now = Date.now()
const at = (days: number) => new Date(now + days * day)
const names = ['bmc.example.net']
const extensions = ['subjectAltName=DNS:bmc.example.net,DNS:localhost']

t.test('a certificate is renewed at two thirds of its life, or so many days before its end', async (t) => {
  const { cert } = new Authority(t, 'authority').issue({ from: -10, until: 80, extensions })
  t.notOk(isRenewalDue(cert, names, 0, at(49)))
  t.ok(isRenewalDue(cert, names, 0, at(51)))
  t.notOk(isRenewalDue(cert, names, 10, at(69)))
  t.ok(isRenewalDue(cert, names, 10, at(71)))
  t.notOk(isRenewalDue(cert, names, 300, at(34)), 'not in the first half of its life')
  t.ok(isRenewalDue(cert, names, 300, at(36)))
  t.ok(isRenewalDue(cert, names, 0, at(1000)), 'one that has expired')
  t.notOk(isRenewalDue(cert, names, 0, new Date('1970-01-02T00:00:00Z')), 'a clock that was never set says nothing')
})

t.test('a certificate that signed itself, or lacks a name, is replaced at once', async (t) => {
  const { cert } = new Authority(t, 'authority').issue({ from: -1, until: 80, extensions })
  t.notOk(isRenewalDue(cert, ['localhost', ...names], 0, at(0)))
  t.ok(isRenewalDue(cert, [...names, 'other.example.net'], 0, at(0)))
  const altNames = { dns: names, ip: [] }
  const own = await selfSigned({ commonName: 'bmc', altNames, now: at(0), random: randomBytes })
  t.ok(isRenewalDue(own.cert, names, 0, at(0)))
})
