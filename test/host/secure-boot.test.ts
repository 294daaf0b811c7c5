import { createHash, randomBytes, X509Certificate } from 'node:crypto'
import t from 'tap'
import { selfSigned } from '#runtime/service/certificates/self-signed.ts'
import { makeSigner } from './certificates.ts'
import { onEveryHost } from './every-host.ts'
import { messagesOf } from './messages-of.ts'
import { type Response, type Server, start } from './server.ts'

const secureBoot = '/redfish/v1/Systems/1/SecureBoot/'
const databases = `${secureBoot}SecureBootDatabases/`
const names = ['PK', 'KEK', 'db', 'dbx', 'dbt', 'dbr']
const defaults = names.map((each) => `${each}Default`)
const emptyHash = createHash('sha256').digest('hex').toUpperCase()

const rsa = makeSigner(t, { subject: '/C=AT/ST=Wien/L=Wien/O=Example/OU=Boot/CN=Platform key', newkey: ['rsa:2048'] })
const ecdsa = makeSigner(t, { subject: '/CN=Image signing' })
const more = Array.from({ length: 16 }, (_, index) => makeSigner(t, { subject: `/CN=Signer ${index}` }).certificate)

const enrolment = (certificate: string) => ({ CertificateString: certificate, CertificateType: 'PEM' })

onEveryHost(async (t, host) => {
  const server = await start(t, host)
  const enrol = (database: string, certificate: string) =>
    server.post(`${databases}${database}/Certificates/`, enrolment(certificate))
  const sign = (database: string, SignatureString: string) =>
    server.post(`${databases}${database}/Signatures/`, { SignatureString, SignatureType: 'EFI_CERT_SHA256_GUID' })
  const list = async (database: string, kind = 'Certificates'): Promise<string[]> =>
    (await server.get(`${databases}${database}/${kind}/`)).json.Members.map(
      (each: { '@odata.id': string }) => each['@odata.id']
    )
  const resetKeys = (ResetKeysType: string) =>
    server.post(`${secureBoot}Actions/SecureBoot.ResetKeys/`, { ResetKeysType })
  const resetDatabase = (database: string, ResetKeysType: string) =>
    server.post(`${databases}${database}/Actions/SecureBootDatabase.ResetKeys/`, { ResetKeysType })
  const state = async () => {
    const { SecureBootCurrentBoot, SecureBootEnable, SecureBootMode } = (await server.get(secureBoot)).json
    return { SecureBootCurrentBoot, SecureBootEnable, SecureBootMode }
  }
  const setup = { SecureBootEnable: false, SecureBootMode: 'SetupMode' }

  t.test('a system links its secure boot, which begins in setup mode', async (t) => {
    t.equal((await server.get('/redfish/v1/Systems/1/')).json.SecureBoot['@odata.id'], secureBoot)
    t.same(await state(), { SecureBootCurrentBoot: 'Disabled', ...setup })
  })

  t.test('there are twelve databases, with certificates and signatures', async (t) => {
    const { json } = await server.get(databases)
    t.match(json['@odata.type'], '#SecureBootDatabaseCollection.')
    t.equal(json['Members@odata.count'], 12)
    for (const [index, id] of [...names, ...defaults].entries()) {
      t.equal(json.Members[index]['@odata.id'], `${databases}${id}/`)
      const database = (await server.get(`${databases}${id}/`)).json
      t.match(database, { Id: id, DatabaseId: id, Name: String, Description: String })
      const action = database.Actions['#SecureBootDatabase.ResetKeys']
      t.same(action['ResetKeysType@Redfish.AllowableValues'], ['ResetAllKeysToDefault', 'DeleteAllKeys'])
      for (const kind of ['Certificates', 'Signatures']) {
        t.equal((await server.get(database[kind]['@odata.id'])).status, 200, `${kind} of ${id}`)
      }
    }
  })

  t.test('without a platform key secure boot cannot be enabled', async (t) => {
    const answer = await server.patch(secureBoot, { SecureBootEnable: true })
    t.same([answer.status, messagesOf(answer)], [409, ['Mgmt.PlatformKeyRequired()']])
    t.match(await state(), setup)
  })

  t.test('a certificate is enrolled in each database that is not a default, and removed again', async (t) => {
    for (const id of names) {
      const answer = await enrol(id, ecdsa.certificate)
      t.same([answer.status, messagesOf(answer)], [201, ['Base.Created()']], id)
      t.same(await list(id), [answer.headers.location], id)
      const { json } = await server.get(String(answer.headers.location))
      t.equal(json.CertificateString, ecdsa.certificate, id)
      t.same(messagesOf(await server.delete(String(answer.headers.location))), ['Mgmt.SystemResetRequired()'], id)
      t.same(await list(id), [], id)
      t.equal((await server.get(String(answer.headers.location))).status, 404)
    }
  })

  t.test('authorities for HTTPS boot are added and removed, and outlive a restart', async (t) => {
    const authorities = '/redfish/v1/Systems/1/Boot/Certificates/'
    const before = await start(t, host)
    const { status, headers } = await before.post(authorities, enrolment(ecdsa.certificate))
    t.equal(status, 201)
    const again = await before.post(authorities, enrolment(ecdsa.certificate))
    t.equal(again.status, 409)
    await before.kill()
    const after = await start(t, host, { data: before.data })
    t.equal((await after.get(String(headers.location))).json.CertificateString, ecdsa.certificate)
    t.same(messagesOf(await after.delete(String(headers.location))), ['Mgmt.SystemResetRequired()'])
    t.equal((await after.get(authorities)).json['Members@odata.count'], 0)
  })

  t.test('a certificate shows the same fields as openssl', async (t) => {
    const extensions = ['keyUsage=critical,digitalSignature,keyCertSign', 'extendedKeyUsage=codeSigning']
    const { certificate } = makeSigner(t, { subject: '/DC=example/O=Größe, \\+ Co/CN=a=b', extensions })
    for (const pem of [rsa.certificate, certificate]) {
      const known = new X509Certificate(pem)
      const { location } = (await enrol('db', pem)).headers
      const { json } = await server.get(String(location))
      t.equal(json.Fingerprint, known.fingerprint256)
      t.equal(json.SerialNumber.replaceAll(':', ''), known.serialNumber)
      t.equal(Date.parse(json.ValidNotBefore), Date.parse(known.validFrom))
      t.equal(Date.parse(json.ValidNotAfter), Date.parse(known.validTo))
      t.match(json.UefiSignatureOwner, /^[0-9a-f-]{36}$/)
      t.equal(json.CertificateType, 'PEM')
      t.equal(json.CertificateString, pem)
      t.same(json.Issuer, json.Subject)
      await server.delete(String(location))
      if (pem === certificate) {
        t.match(json.Subject, { DomainComponents: ['example'], Organization: 'Größe, + Co', CommonName: 'a=b' })
        t.same(json.KeyUsage, ['DigitalSignature', 'KeyCertSign', 'CodeSigning'])
      } else {
        const { DisplayString, ...subject } = json.Subject
        const parts = {
          Country: 'AT',
          State: 'Wien',
          City: 'Wien',
          Organization: 'Example',
          OrganizationalUnit: 'Boot'
        }
        t.same(subject, { ...parts, CommonName: 'Platform key' })
        t.equal(DisplayString, 'C=AT, ST=Wien, L=Wien, O=Example, OU=Boot, CN=Platform key')
      }
    }
  })

  t.test('line breaks of PEM are real, escaped, those of Windows, or spaces', async (t) => {
    const forms = [
      ecdsa.certificate.replaceAll('\n', '\\n'),
      ecdsa.certificate.replaceAll('\n', '\r\n'),
      ecdsa.certificate.replaceAll('\n', '\\r\\n'),
      ecdsa.certificate.replaceAll('\n', ' '),
      `subject=CN = Image signing\n${ecdsa.certificate}`
    ]
    for (const form of forms) {
      const { status, headers } = await enrol('KEK', form)
      t.equal(status, 201, JSON.stringify(form.slice(0, 40)))
      t.equal((await server.get(String(headers.location))).json.CertificateString, ecdsa.certificate)
      await server.delete(String(headers.location))
    }
  })

  t.test('an expired certificate can be enrolled, since firmware has no trusted clock', async (t) => {
    const names = { commonName: 'old', altNames: { dns: [], ip: [] } }
    const { cert } = await selfSigned({ ...names, days: 1, now: new Date('2021-01-02'), random: randomBytes })
    const { status, headers } = await enrol('db', cert)
    t.equal(status, 201)
    await server.delete(String(headers.location))
  })

  t.test('extensions that the service does not know do not matter, critical or not', async (t) => {
    const extensions = [
      'nameConstraints=critical,permitted;DNS:example.com',
      '1.2.3.4=critical,ASN1:NULL',
      '1.2.3.5=ASN1:NULL'
    ]
    const { certificate } = makeSigner(t, { subject: '/CN=Odd', extensions })
    const { status, headers, text } = await enrol('db', certificate)
    t.equal(status, 201, text)
    await server.delete(String(headers.location))
  })

  t.test('the owner of an entry can be named', async (t) => {
    const UefiSignatureOwner = '77FA9ABD-0359-4D32-BD60-28F4E78F784B'
    const { headers } = await server.post(`${databases}db/Certificates/Members`, {
      ...enrolment(ecdsa.certificate),
      UefiSignatureOwner
    })
    t.equal((await server.get(String(headers.location))).json.UefiSignatureOwner, UefiSignatureOwner.toLowerCase())
    t.equal((await server.delete(String(headers.location))).status, 200)
  })

  t.test('a text that is not a certificate is refused with the reason, and not repeated', async (t) => {
    const [head = '', ...body] = ecdsa.certificate.trimEnd().split('\n')
    const block = (lines: readonly string[]) => [head, ...lines, '-----END CERTIFICATE-----', ''].join('\n')
    const inner = body.slice(0, -1)
    const der = Buffer.from(inner.join(''), 'base64')
    const base64 = (bytes: Uint8Array) => block([Buffer.from(bytes).toString('base64')])
    const { certificate: ed25519 } = makeSigner(t, { subject: '/CN=Ed', newkey: ['ed25519'] })
    const cases: [string, RegExp][] = [
      ['', /not PEM/],
      ['garbage', /not PEM/],
      [inner.join(''), /not PEM/],
      [ecdsa.key, /private key/],
      [ecdsa.certificate + ecdsa.key, /private key/],
      [ecdsa.certificate + rsa.certificate, /2 objects/],
      [ecdsa.certificate.replaceAll('CERTIFICATE', 'CERTIFICATE REQUEST'), /something else/],
      [[head, ...inner].join('\n'), /cut short/],
      [block([]), /damaged/],
      [block(['!!!!', ...inner]), /damaged/],
      [block(inner.slice(0, -1)), /not an X\.509|damaged/],
      [base64(der.subarray(0, der.length - 1)), /not an X\.509/],
      [base64(Buffer.concat([der, Buffer.of(0)])), /not an X\.509/],
      [base64(Buffer.from('plain text')), /not an X\.509/],
      [base64(new Uint8Array(3000)), /not an X\.509/],
      [ed25519, /RSA or elliptic curve/]
    ]
    for (const [CertificateString, reason] of cases) {
      const answer = await enrol('db', CertificateString)
      t.equal(answer.status, 400, CertificateString.slice(0, 40))
      t.equal(answer.headers.location, undefined)
      t.match(messagesOf(answer), [/^Mgmt\.CertificateNotAccepted\(.*\)$/])
      t.match(messagesOf(answer)[0], reason)
      t.notOk(answer.text.includes(inner[0]!), 'nothing of it is in the answer')
    }
    t.same(await list('db'), [])
  })

  t.test('a body of the wrong shape or size is refused', async (t) => {
    const long = ecdsa.certificate.padEnd(70_000)
    const cases: [object, string][] = [
      [{ CertificateString: ecdsa.certificate }, 'Base.PropertyMissing(CertificateType)'],
      [{ CertificateType: 'PEM' }, 'Base.PropertyMissing(CertificateString)'],
      [{ CertificateString: 5, CertificateType: 'PEM' }, 'Base.PropertyValueTypeError(5, CertificateString)'],
      [{ CertificateString: null, CertificateType: 'PEM' }, 'Base.PropertyValueTypeError(null, CertificateString)'],
      [{ CertificateString: 'x', CertificateType: 'PKCS7' }, 'Base.PropertyValueNotInList(PKCS7, CertificateType)'],
      [{ ...enrolment('x'), Owner: 'me' }, 'Base.PropertyUnknown(Owner)'],
      [{ ...enrolment('x'), UefiSignatureOwner: 'me' }, 'Base.PropertyValueFormatError(me, UefiSignatureOwner)']
    ]
    for (const [body, message] of cases) {
      const answer = await server.post(`${databases}db/Certificates/`, body)
      t.same([answer.status, messagesOf(answer)], [400, [message]])
    }
    const answer = await enrol('db', long)
    t.equal(answer.status, 400)
    t.match(messagesOf(answer), [/^Base\.StringValueTooLong\(.*, 65536\)$/s])
    t.equal((await enrol('db', ecdsa.certificate.repeat(7000))).status, 413, '5 MB')
    t.equal((await server.get(secureBoot)).status, 200, 'and the service runs on')
  })

  t.test('a certificate is enrolled once, and PK holds one at most', async (t) => {
    const { headers } = await enrol('PK', rsa.certificate)
    for (const [database, certificate, message] of [
      [
        'PK',
        rsa.certificate,
        /^Base\.ResourceAlreadyExists\(Certificate, Fingerprint, ([0-9A-F]{2}:){31}[0-9A-F]{2}\)$/
      ],
      ['PK', ecdsa.certificate, /^Base\.CreateLimitReachedForResource\(\)$/]
    ] as const) {
      const answer = await enrol(database, certificate)
      t.equal(answer.status, 409)
      t.match(messagesOf(answer), [message])
    }
    t.same(await list('PK'), [headers.location])
    await server.delete(String(headers.location))
  })

  t.test('a database accepts 16 certificates and 10 signatures, and ids stay when others are deleted', async (t) => {
    for (const certificate of more) t.equal((await enrol('db', certificate)).status, 201)
    t.same(messagesOf(await enrol('db', rsa.certificate)), ['Base.CreateLimitReachedForResource()'])
    const hashes = Array.from({ length: 10 }, (_, index) => createHash('sha256').update(`${index}`).digest('hex'))
    for (const hash of hashes) t.equal((await sign('dbx', hash)).status, 201)
    t.same(messagesOf(await sign('dbx', emptyHash)), ['Base.CreateLimitReachedForResource()'])
    for (const [database, kind] of [
      ['db', 'Certificates'],
      ['dbx', 'Signatures']
    ] as const) {
      const all = await list(database, kind)
      const kept = (await server.get(all[5]!)).json
      t.equal((await server.delete(all[0]!)).status, 200)
      t.equal((await server.delete(all[3]!)).status, 200)
      t.same(await list(database, kind), [all[1], all[2], ...all.slice(4)])
      const { '@odata.etag': _, ...rest } = kept
      t.match((await server.get(all[5]!)).json, rest)
    }
    t.equal((await resetDatabase('db', 'DeleteAllKeys')).status, 200)
    t.equal((await resetDatabase('dbx', 'DeleteAllKeys')).status, 200)
    t.same([await list('db'), await list('dbx', 'Signatures')], [[], []])
  })

  t.test('signatures are hashes as hex, in the four databases that may hold them', async (t) => {
    for (const id of ['db', 'dbx', 'dbt', 'dbr']) {
      const { status, headers } = await sign(id, emptyHash.toLowerCase())
      t.equal(status, 201, id)
      t.match((await server.get(String(headers.location))).json, {
        SignatureString: emptyHash,
        SignatureType: 'EFI_CERT_SHA256_GUID',
        SignatureTypeRegistry: 'UEFI',
        UefiSignatureOwner: /^[0-9a-f-]{36}$/
      })
      t.match(messagesOf(await sign(id, emptyHash)), [/^Base\.ResourceAlreadyExists\(Signature, SignatureString, /])
      t.equal((await server.delete(String(headers.location))).status, 200)
    }
    for (const id of ['PK', 'KEK']) {
      const answer = await sign(id, emptyHash)
      t.same([answer.status, answer.headers.allow], [405, 'GET, HEAD'], id)
    }
    for (const bad of ['', 'xyz', emptyHash.slice(2), `${emptyHash}00`, `0x${emptyHash.slice(2)}`, 'ab'.repeat(100)]) {
      t.equal((await sign('db', bad)).status, 400, bad)
    }
    t.same(await list('db', 'Signatures'), [])
  })

  t.test("the default databases have the factory's keys, and are read-only", async (t) => {
    const [platformKey] = await list('PKDefault')
    t.match((await server.get(platformKey!)).json.Subject, { CommonName: 'RS220 platform key' })
    t.equal((await list('KEKDefault')).length, 1)
    t.equal((await list('dbDefault')).length, 1)
    const [forbidden] = await list('dbxDefault', 'Signatures')
    t.equal((await server.get(forbidden!)).json.SignatureString, emptyHash)
    const before = await Promise.all(defaults.map(async (id) => [await list(id), await list(id, 'Signatures')]))
    for (const id of defaults) {
      const answers: [Response, string][] = [
        [await enrol(id, ecdsa.certificate), 'GET, HEAD'],
        [await server.post(`${databases}${id}/Certificates/Members/`, enrolment(ecdsa.certificate)), ''],
        [await sign(id, emptyHash), 'GET, HEAD']
      ]
      for (const [answer, allow] of answers) {
        t.same([answer.status, messagesOf(answer)], [405, ['Base.OperationNotAllowed()']], id)
        if (allow !== '') t.equal(answer.headers.allow, allow, id)
      }
      const reset = await resetDatabase(id, 'DeleteAllKeys')
      t.same([reset.status, messagesOf(reset)], [409, [`Mgmt.KeyDatabaseReadOnly(${id})`]], id)
      t.equal((await server.get(`${databases}${id}/Certificates/`)).headers.allow, 'GET, HEAD')
    }
    for (const member of [platformKey!, forbidden!]) {
      t.equal((await server.delete(member)).status, 405)
      t.equal((await server.get(member)).headers.allow, 'GET, HEAD')
    }
    const after = await Promise.all(defaults.map(async (id) => [await list(id), await list(id, 'Signatures')]))
    t.same(after, before)
  })

  t.test('one database is reset to its default, and the others stay', async (t) => {
    t.same(messagesOf(await resetDatabase('db', 'ResetAllKeysToDefault')), ['Mgmt.SystemResetRequired()'])
    t.same((await list('db')).map(last), (await list('dbDefault')).map(last))
    t.same(await list('KEK'), [])
    t.equal((await resetDatabase('db', 'DeleteAllKeys')).status, 200)
    t.same(await list('db'), [])
    const answer = await resetDatabase('db', 'DeletePK')
    t.match(messagesOf(answer), [/^Base\.ActionParameterValueNotInList\(DeletePK, ResetKeysType, /])
    t.match(messagesOf(await server.post(`${databases}db/Actions/SecureBootDatabase.ResetKeys/`, {})), [
      /^Base\.ActionParameterMissing\(/
    ])
  })

  t.test('all keys are reset to their defaults, the platform key is deleted, and then all', async (t) => {
    t.same(messagesOf(await resetKeys('ResetAllKeysToDefault')), ['Mgmt.SystemResetRequired()'])
    for (const id of names) {
      t.same((await list(id)).map(last), (await list(`${id}Default`)).map(last), id)
      t.same((await list(id, 'Signatures')).map(last), (await list(`${id}Default`, 'Signatures')).map(last), id)
    }
    t.match(await state(), { SecureBootEnable: false, SecureBootMode: 'UserMode' })
    t.equal((await server.patch(secureBoot, { SecureBootEnable: true })).status, 200)
    t.equal((await resetKeys('DeletePK')).status, 200)
    t.match(await state(), setup)
    t.same([(await list('PK')).length, (await list('KEK')).length, (await list('db')).length], [0, 1, 1])
    t.equal((await resetKeys('DeleteAllKeys')).status, 200)
    for (const id of names) t.same([await list(id), await list(id, 'Signatures')], [[], []], id)
    t.equal((await resetKeys('Everything')).status, 400)
  })

  t.test('secure boot is enabled from the next boot on, and off when the platform key is deleted', async (t) => {
    const { headers } = await enrol('PK', rsa.certificate)
    t.match(await state(), { SecureBootEnable: false, SecureBootMode: 'UserMode' })
    const answer = await server.patch(secureBoot, { SecureBootEnable: true })
    t.same([answer.status, messagesOf(answer)], [200, ['Mgmt.SystemResetRequired()']])
    t.same(await state(), { SecureBootCurrentBoot: 'Disabled', SecureBootEnable: true, SecureBootMode: 'UserMode' })
    await boot(server, 'Enabled')
    t.same(await state(), { SecureBootCurrentBoot: 'Enabled', SecureBootEnable: true, SecureBootMode: 'UserMode' })
    t.equal((await server.delete(String(headers.location))).status, 200)
    t.same(await state(), { SecureBootCurrentBoot: 'Enabled', ...setup })
    await enrol('PK', rsa.certificate)
    t.match(await state(), { SecureBootEnable: false, SecureBootMode: 'UserMode' }, 'a new key does not enable it')
    await boot(server, 'Disabled')
    t.equal((await resetKeys('DeleteAllKeys')).status, 200)
  })

  t.test('only who may configure the BIOS changes keys', async (t) => {
    await server.post('/redfish/v1/AccountService/Accounts', {
      UserName: 'eve',
      Password: 'Grey-Goose-9',
      RoleId: 'ReadOnly'
    })
    const { token } = await server.login('eve', 'Grey-Goose-9')
    t.equal((await server.get(`${databases}PK/Certificates/`, token)).status, 200)
    for (const answer of [
      await server.post(`${databases}PK/Certificates/`, enrolment(rsa.certificate), token),
      await server.patch(secureBoot, { SecureBootEnable: false }, token),
      await server.post(`${secureBoot}Actions/SecureBoot.ResetKeys/`, { ResetKeysType: 'DeletePK' }, token)
    ]) {
      t.equal(answer.status, 403)
    }
  })

  t.test('an unknown path is 404', async (t) => {
    for (const path of [
      `${databases}PKI/`,
      `${databases}pk/`,
      `${databases}constructor/Certificates/`,
      `${databases}db/Certificates/1/`,
      `${databases}db/Signatures/1/`,
      '/redfish/v1/Systems/2/SecureBoot/'
    ]) {
      t.equal((await server.get(path)).status, 404, path)
      const method = path.endsWith('/1/') ? 'DELETE' : 'POST'
      if (/Certificates|Signatures/.test(path)) {
        const body = method === 'POST' ? enrolment(rsa.certificate) : undefined
        t.equal((await server.request(method, path, undefined, body)).status, 404, path)
      }
    }
  })

  t.test('keys outlive the service', async (t) => {
    const first = await start(t, host)
    await first.post(`${databases}KEK/Certificates/`, enrolment(rsa.certificate))
    const { Members } = (await first.get(`${databases}KEK/Certificates/`)).json
    t.equal(Members.length, 1)
    await first.kill()
    const second = await start(t, host, { data: first.data })
    t.same((await second.get(`${databases}KEK/Certificates/`)).json.Members, Members)
  })
})

const last = (uri: string) => uri.split('/').at(-2)

/** Resets the host and waits until what it boots with is as expected. */
async function boot(server: Server, expected: string): Promise<void> {
  await server.post('/redfish/v1/Systems/1/Actions/ComputerSystem.Reset/', { ResetType: 'ForceRestart' })
  await server.until(
    () => server.get(secureBoot),
    ({ json }) => json.SecureBootCurrentBoot === expected
  )
}
