import { randomBytes } from 'node:crypto'
import t from 'tap'
import { certificatesFrom } from '#data/certificates'
import { POST } from '#handlers/redfish/v1/CertificateService/Actions/CertificateService.ReplaceCertificate.ts'
import { selfSigned } from '#runtime/service/certificates/self-signed.ts'
import { badRequest, context } from '#test/handlers/context.ts'
import { certificate as authority } from '#test/handlers/keys.ts'

const uri = '/redfish/v1/Managers/1/NetworkProtocol/HTTPS/Certificates/1'
const now = '2026-12-01T00:00:00Z'
const make = (commonName: string) =>
  selfSigned({ commonName, altNames: { dns: [], ip: [] }, days: 30, now: new Date(now), random: randomBytes })
const own = await make('bmc-1')
const other = await make('bmc-2')
const [der] = certificatesFrom(own.cert)

const of = (CertificateString: string) => ({
  CertificateString,
  CertificateType: 'PEM' as const,
  CertificateUri: { '@odata.id': `${uri}/` }
})
const fits = (bytes: Uint8Array) => Buffer.from(bytes).equals(der)
const refused = async (text: string, given: object = {}) =>
  await badRequest(() => POST(context({ body: of(text), now, fits, ...given })))
const because = (reason: string) => [['Mgmt.CertificateNotAccepted', reason]]

t.test('a certificate for a key of the service replaces its own, and sends an event', async (t) => {
  const outcome = await POST(context({ body: of(own.cert), now, fits }))
  t.match(outcome, {
    status: 200,
    commands: [{ kind: 'replaceCertificate', chain: [der] }],
    events: [{ message: { key: 'MgmtEvents.ServerCertificateReplaced', args: ['CN=bmc-1'] }, origin: uri }]
  })
  t.notOk('key' in outcome.commands![0]!)
})

t.test('a private key sent with its certificate is only in the sealed command', async (t) => {
  for (const text of [own.key + own.cert, own.cert + own.key]) {
    const outcome = await POST(context({ body: of(text), now, fits: () => false }))
    t.match(outcome.commands, [{ kind: 'replaceCertificate', chain: [der], key: `sealed ${own.key}` }])
    t.notOk(JSON.stringify({ ...outcome, commands: [] }).includes(own.key.slice(40, 80)))
  }
})

t.test('a certificate that does not fit or is out of date is refused', async (t) => {
  const key = 'it is neither for the key in use nor for that of the signing request, and no private key is with it'
  t.same(await refused(own.cert, { fits: () => false }), because(key))
  t.same(await refused(own.cert, { now: '2026-11-01T00:00:00Z' }), because('it is not valid yet'))
  t.same(await refused(own.cert, { now: '2027-01-15T00:00:00Z' }), because('it has expired'))
  t.same(await refused(own.key), because('it is not PEM'))
  const elsewhere = { ...of(own.cert), CertificateUri: { '@odata.id': `${uri}1` } }
  t.same(await refused('', { body: elsewhere }), [
    ['Base.ActionParameterValueError', 'CertificateUri', 'CertificateService.ReplaceCertificate']
  ])
})

t.test('the certificate of an authority is not that of a server', async (t) => {
  t.same(await refused(authority), [['Mgmt.ServerCertificateRequired']])
  t.same(await refused(authority, { fits: () => true }), [['Mgmt.ServerCertificateRequired']])
})

t.test('a certificate that leads nowhere is named', async (t) => {
  t.same(await refused(other.cert + own.cert), [['Mgmt.CertificateChainBroken', 'CN=bmc-2']])
  t.match(await POST(context({ body: of(own.cert + own.cert), now, fits })), { commands: [{ chain: [der] }] })
  const others = await Promise.all(Array.from({ length: 10 }, (_, index) => make(`bmc-${index}`)))
  const many = others.map(({ cert }) => cert).join('')
  t.same(await refused(own.cert + many), because('the chain has 11 certificates, and the limit is 10'))
})

t.test('a private key is refused that is another’s, encrypted, damaged, one of two', async (t) => {
  t.same(await refused(other.key + own.cert), [['Mgmt.PrivateKeyMismatch']])
  for (const encrypted of [
    own.key.replaceAll('EC PRIVATE', 'ENCRYPTED PRIVATE'),
    own.key.replace('KEY-----\n', 'KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,00\n\n')
  ]) {
    t.same(await refused(encrypted + own.cert), [['Mgmt.PrivateKeyEncrypted']])
  }
  const keys: [string, RegExp][] = [
    [own.key + other.key, /more than one/],
    [own.key.slice(0, 100), /damaged or cut/],
    [own.key.replaceAll('EC PRIVATE', 'RSA PRIVATE'), /cannot be read/],
    [own.key.replaceAll('EC PRIVATE', 'OPENSSH PRIVATE'), /neither for P-256/]
  ]
  for (const [text, reason] of keys) {
    const [refusal = []] = await refused(own.cert + text)
    t.equal(refusal[0], 'Mgmt.PrivateKeyNotAccepted')
    t.match(refusal[1], reason)
  }
})

t.test('a clock that was never set refuses nothing', async (t) => {
  t.match(await POST(context({ body: of(own.cert), now: '1970-01-01T00:01:00Z', fits })), { status: 200 })
})
