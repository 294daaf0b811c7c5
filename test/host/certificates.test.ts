import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { connect, type TLSSocket } from 'node:tls'
import { Authority, authorityExtensions, ec, rewritten, serverExtensions, verifyRequest } from './authority.ts'
import { makeSigner } from './certificates.ts'
import { onBothHosts } from './every-host.ts'
import { anonymous, type Json, type Response, type Server, start } from './server.ts'

const service = '/redfish/v1/CertificateService'
const collection = '/redfish/v1/Managers/1/NetworkProtocol/HTTPS/Certificates'
const httpsCert = '/redfish/v1/Managers/1/SecurityService/HttpsCert'

const names = {
  CertificateCollection: { '@odata.id': `${collection}/` },
  CommonName: 'bmc-1.example.net',
  Country: 'CH',
  State: 'Bern',
  City: 'Köniz',
  Organization: 'Lab',
  OrganizationalUnit: 'Racks'
}

const generate = (server: Server, more: Json = {}) =>
  server.post(`${service}/Actions/CertificateService.GenerateCSR`, { ...names, ...more })

const replace = (server: Server, text: string, more: Json = {}) =>
  server.post(`${service}/Actions/CertificateService.ReplaceCertificate`, {
    CertificateString: text,
    CertificateType: 'PEM',
    CertificateUri: { '@odata.id': `${collection}/1/` },
    ...more
  })

const outcome = ({ status, json }: Response) => [
  status,
  ...json.error['@Message.ExtendedInfo'].map((each: Json) => each.MessageId.split('.').at(-1))
]

const reason = ({ json }: Response): string => json.error['@Message.ExtendedInfo'][0].MessageArgs[0]

/** A TLS connection; who does not trust what is served fails here. */
function handshake(port: number, ca?: string, version?: 'TLSv1.2' | 'TLSv1.3'): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const trust = ca === undefined ? { rejectUnauthorized: false } : { ca, servername: 'localhost' }
    const versions = version && { minVersion: version, maxVersion: version }
    const socket = connect({ port, host: '127.0.0.1', ...trust, ...versions })
    socket.on('error', reject)
    socket.on('secureConnect', () => resolve(socket))
  })
}

async function served(port: number, ca?: string, version?: 'TLSv1.2' | 'TLSv1.3'): Promise<string> {
  const socket = await handshake(port, ca, version)
  const { fingerprint256 } = socket.getPeerCertificate()
  socket.destroy()
  return fingerprint256
}

onBothHosts(async (t, host) => {
  t.test('a request that openssl signs becomes the certificate of new connections at once', async (t) => {
    const server = await start(t, host)
    const authority = new Authority(t, 'Servers')
    const before = await served(server.port)
    const open = await server.connect()
    const wish = { AlternativeNames: ['bmc-1', '192.0.2.7', '2001:db8::7'], Email: 'lab@example.net' }
    const made = await generate(server, wish)
    t.equal(made.status, 200, made.text)
    t.same(made.json.CertificateCollection, { '@odata.id': `${collection}/` })
    const text = verifyRequest(t, made.json.CSRString)
    t.match(text, /CN=bmc-1\.example\.net,OU=Racks,O=Lab,L=K.*niz,ST=Bern,C=CH/)
    t.match(text, /emailAddress=lab@example\.net/)
    t.match(
      text,
      /Subject Alternative Name:\s+DNS:bmc-1\.example\.net, DNS:bmc-1, IP Address:192\.0\.2\.7, IP Address:2001:DB8/
    )
    t.match(text, /Key Usage: critical\s+Digital Signature\s/)
    const both = /Extended Key Usage:\s+TLS Web Server Authentication, TLS Web Client Authentication\s/
    t.match(text, both, 'for subscribers who ask for a certificate')
    t.equal((await server.get(`${httpsCert}/`)).json.CertificateSigningRequest, made.json.CSRString)
    t.equal(await served(server.port), before, 'the old key stays in use meanwhile')

    const cert = authority.sign(made.json.CSRString, { extensions: serverExtensions })
    t.same(outcome(await replace(server, cert.replaceAll('\n', '\\r\\n'))), [200, 'Success'])
    const after = await served(server.port, authority.cert)
    t.not(after, before)
    const { json } = await server.get(`${collection}/1/`)
    t.same([json.Fingerprint, json.Subject.CommonName, json.Issuer.CommonName], [after, 'bmc-1.example.net', 'Servers'])
    t.equal((await server.get(`${httpsCert}/`)).json.CertificateSigningRequest, null)
    open.write('GET /redfish HTTP/1.1\r\nHost: bmc\r\n\r\n')
    t.equal((await open.response())?.status, 200, 'a connection from before goes on')

    await server.stop()
    const again = await start(t, host, { data: server.data })
    t.equal(await served(again.port, authority.cert), after, 'and it is there after a restart')
  })

  t.test('a request has the purposes that are asked for, and that of a server', async (t) => {
    const server = await start(t, host)
    for (const [KeyUsage, purposes] of [
      [['DigitalSignature', 'ServerAuthentication'], 'TLS Web Server Authentication'],
      [['ClientAuthentication'], 'TLS Web Server Authentication, TLS Web Client Authentication']
    ] as const) {
      const { json } = await generate(server, { KeyUsage })
      t.match(verifyRequest(t, json.CSRString), new RegExp(`Extended Key Usage:\\s+${purposes}\\s`))
    }
  })

  t.test('a chain is served as it is given', async (t) => {
    const server = await start(t, host)
    const root = new Authority(t, 'Root')
    const { json } = await server.post(`${httpsCert}/Actions/VendorHttpsCert.GenerateCSR`, {
      ...{ CommonName: 'bmc-1', OrgName: 'Lab', City: 'Bern', State: 'BE', Country: 'CH', IncludeIP: true }
    })
    t.match(verifyRequest(t, json.CSRString), /DNS:bmc-1, IP Address:192\.0\.2\.16/)
    const middle = new Authority(t, 'Middle', authorityExtensions, root)
    const cert = middle.sign(json.CSRString, { extensions: serverExtensions })
    const broken = await replace(server, cert + root.cert, { CertificateType: 'PEMchain' })
    t.same([...outcome(broken), reason(broken)], [400, 'CertificateChainBroken', 'CN=Root'])
    const Certificate = middle.cert + cert
    const put = await server.post(`${httpsCert}/Actions/VendorHttpsCert.ImportCertificate`, { Certificate })
    t.same(outcome(put), [200, 'Success'])
    t.ok(await served(server.port, root.cert), 'who trusts the root alone connects')
    const { json: shown } = await server.get(`${collection}/1/`)
    t.same([shown.CertificateType, shown.CertificateString], ['PEMchain', cert + middle.cert])
  })

  t.test('a chain as large as can be is served, and a larger one is refused', async (t) => {
    const server = await start(t, host)
    const authority = new Authority(t, 'Servers')
    const issue = (comment: number) =>
      authority.issue({ extensions: [...serverExtensions, `nsComment=${'x'.repeat(comment)}`] })
    const sized = (comment: number) => {
      const { cert, key } = issue(comment)
      return { text: key + cert, bytes: new X509Certificate(cert).raw.length }
    }
    // A signature has between 68 and 72 bytes.
    const fits = 14_700 + 15_356 - sized(14_700).bytes
    t.same(outcome(await replace(server, sized(fits).text)), [200, 'Success'])
    t.ok(await served(server.port, authority.cert))
    const large = await replace(server, sized(fits + 100).text)
    t.same(outcome(large), [400, 'CertificateNotAccepted'])
    t.match(reason(large), /bytes with its issuers/)
  })

  t.test('a private key is accepted with its certificate in every usual form, and cannot be read', async (t) => {
    let server = await start(t, host, { configuration: { log: 'debug' } })
    const authority = new Authority(t, 'Servers')
    const middle = new Authority(t, 'Middle', authorityExtensions, authority)
    const parameters = execFileSync('openssl', ['ecparam', '-name', 'prime256v1'], { encoding: 'utf8' })
    const secrets: string[] = []
    const forms: [form: string, newkey: readonly string[], label: string, options: string[]][] = [
      ['P-256 in PKCS #8', ec('P-256'), 'BEGIN PRIVATE KEY', []],
      ['P-256 in SEC 1', ec('P-256'), 'BEGIN EC PRIVATE KEY', ['-traditional']],
      ['P-384 in PKCS #8', ec('P-384'), 'BEGIN PRIVATE KEY', []],
      ['P-384 in SEC 1', ec('P-384'), 'BEGIN EC PRIVATE KEY', ['-traditional']],
      ['RSA in PKCS #8', ['rsa:2048'], 'BEGIN PRIVATE KEY', []],
      ['RSA in PKCS #1', ['rsa:3072'], 'BEGIN RSA PRIVATE KEY', ['-traditional']]
    ]
    for (const [form, newkey, label, options] of forms) {
      const { cert, key } = middle.issue({ extensions: serverExtensions, newkey })
      const written = rewritten(key, ...options)
      t.match(written, label, form)
      // Lines without the public half, which is in the certificate as well.
      const lines = written.trim().split('\n')
      secrets.push(...(form.includes('RSA') ? lines.slice(-5, -2) : lines.slice(1, 3)))
      const parts = label.includes('EC') ? [parameters, written, cert, middle.cert] : [middle.cert, cert, written]
      const put = await replace(server, parts.join(''), { CertificateType: 'PEMchain' })
      t.same(outcome(put), [200, 'Success'], put.text)
      const fingerprint = new X509Certificate(cert).fingerprint256
      for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
        t.equal(await served(server.port, authority.cert, version), fingerprint, `${form} over ${version}`)
      }
      const { json } = await server.get(`${collection}/1/`)
      t.same([json.Fingerprint, json.CertificateString], [fingerprint, cert + middle.cert])
    }
    const file = join(server.data, 'tls', 'server.pem')
    t.equal(statSync(file).mode & 0o777, 0o600)
    const kept = readFileSync(file, 'utf8')
    t.match(kept, secrets.at(-1), 'the key is where that of the service is')

    const collected = await server.post(
      '/redfish/v1/Managers/1/LogServices/Log/Actions/LogService.CollectDiagnosticData',
      {
        DiagnosticDataType: 'Manager'
      }
    )
    const refused = [await replace(server, '', { CertificateType: kept }), await replace(server, kept.repeat(20))]
    for (const each of refused) t.equal(each.status, 400)
    const pages = [collected, ...refused]
    for (const uri of ['/redfish/v1/Managers/1/LogServices/Log/Entries/', `${httpsCert}/`, `${collection}/1/`]) {
      pages.push(await server.get(uri))
    }
    await server.stop()
    const said = pages.map(({ text }) => text).join('') + server.process.stderr.join('')
    const stored = readdirSync(server.data, { recursive: true, withFileTypes: true })
      .filter((each) => each.isFile() && each.parentPath !== join(server.data, 'tls'))
      .map((each) => readFileSync(join(each.parentPath, each.name), 'latin1'))
    for (const secret of secrets) t.notOk([said, ...stored].some((text) => text.includes(secret)))

    server = await start(t, host, { data: server.data })
    t.ok(await served(server.port, authority.cert), 'and it is served after a restart')
  })

  t.test('an unusable private key has its own message', async (t) => {
    const server = await start(t, host)
    const authority = new Authority(t, 'Servers')
    const before = await served(server.port)
    const issue = (...newkey: string[]) =>
      authority.issue({ extensions: serverExtensions, ...(newkey.length > 0 && { newkey }) })
    const { cert, key } = issue()
    const small = issue('rsa:1024')
    const curve = issue(...ec('secp521r1'))
    const signer = makeSigner(t, { subject: '/CN=bmc-1' })
    const bad: [what: string, text: string, message: string][] = [
      ['of another certificate', issue().key + cert, 'PrivateKeyMismatch'],
      ['encrypted', rewritten(key, '-aes256', '-passout', 'pass:Tin-Whistle-7') + cert, 'PrivateKeyEncrypted'],
      [
        'encrypted as of old',
        cert + rewritten(key, '-traditional', '-aes256', '-passout', 'pass:Tin-Whistle-7'),
        'PrivateKeyEncrypted'
      ],
      ['of an authority', signer.key + signer.certificate, 'ServerCertificateRequired'],
      ['without a certificate', key, 'CertificateNotAccepted'],
      ['twice', key + cert + key, 'PrivateKeyNotAccepted'],
      ['cut', cert + key.slice(0, 90), 'PrivateKeyNotAccepted'],
      ['damaged', cert + key.replace(/\n.{8}/, '\nAAAAAAAA'), 'PrivateKeyNotAccepted'],
      ['too small', small.key + small.cert, 'PrivateKeyNotAccepted'],
      ['of another curve', curve.key + curve.cert, 'PrivateKeyNotAccepted']
    ]
    for (const [what, text, message] of bad) {
      const answer = await replace(server, text)
      t.same(outcome(answer), [400, message], `${what}: ${answer.text}`)
    }
    t.equal(await served(server.port), before)
    const imported = await server.post(
      '/redfish/v1/Managers/1/SecurityService/CertificateAuthentication/Actions/VendorCertAuth.ImportCACertificate',
      { Certificate: signer.certificate + signer.key }
    )
    t.same(outcome(imported), [400, 'CertificateNotAccepted'])
    t.match(reason(imported), /private key/)
  })

  t.test('a certificate that does not fit is refused, and nothing changes', async (t) => {
    const server = await start(t, host)
    const authority = new Authority(t, 'Servers')
    const before = await served(server.port)
    const { CSRString } = (await generate(server)).json
    const sign = (wish: Json) => authority.sign(CSRString, { extensions: serverExtensions, ...wish })
    const bad: [string, string, RegExp][] = [
      ['of another key', authority.issue({ extensions: serverExtensions }).cert, /neither for the key/],
      ['expired', sign({ from: -9, until: -1 }), /has expired/],
      ['not yet valid', sign({ from: 1 }), /not valid yet/],
      ['for clients', sign({ extensions: ['extendedKeyUsage=clientAuth'] }), /not for servers/],
      ['for signing certificates', sign({ extensions: ['keyUsage=keyCertSign'] }), /not for signatures/],
      ['cut', sign({}).slice(0, 300), /damaged or cut/],
      ['a request', CSRString, /something else/],
      ['nothing', 'nothing', /not PEM/]
    ]
    for (const [what, text, why] of bad) {
      const answer = await replace(server, text)
      t.same(outcome(answer), [400, 'CertificateNotAccepted'], what)
      t.match(reason(answer), why)
    }
    t.equal(await served(server.port), before)
    t.equal((await server.get(`${collection}/1/`)).json.Fingerprint, before)
    t.same(outcome(await replace(server, sign({}))), [200, 'Success'])
  })

  t.test('the parameters are checked', async (t) => {
    const server = await start(t, host)
    const faults: [Json, Json][] = [
      [{ CommonName: undefined, Country: undefined }, ['ActionParameterMissing', 'ActionParameterMissing']],
      [{ Country: 'Switzerland' }, ['ActionParameterValueFormatError']],
      [{ AlternativeNames: ['1:2'] }, ['ActionParameterValueError']],
      [{ AlternativeNames: ['two words'] }, ['ActionParameterValueFormatError']],
      [
        { CertificateCollection: { '@odata.id': '/redfish/v1/Managers/9/NetworkProtocol/HTTPS/Certificates' } },
        ['ActionParameterValueError']
      ],
      [{ KeyPairAlgorithm: 'TPM_ALG_SM2' }, ['ActionParameterValueNotInList']],
      [{ KeyPairAlgorithm: 'TPM_ALG_RSA', KeyBitLength: 512 }, ['ActionParameterValueNotInList']],
      [{ KeyCurveId: 'TPM_ECC_SM2_P256' }, ['ActionParameterValueNotInList']],
      [{ Surname: 'Smith' }, ['ActionParameterUnknown']]
    ]
    for (const [more, expected] of faults) {
      t.same(outcome(await generate(server, more)), [400, ...expected], JSON.stringify(more))
    }
    const elsewhere = { CertificateUri: { '@odata.id': `${collection}/2` } }
    t.same(outcome(await replace(server, 'x', elsewhere)), [400, 'ActionParameterValueError'])
    t.equal(
      (await server.request('POST', `${service}/Actions/CertificateService.GenerateCSR`, anonymous, names)).status,
      401
    )
  })

  t.test('an RSA key is made on request', async (t) => {
    const server = await start(t, host)
    const authority = new Authority(t, 'Servers')
    const made = await generate(server, { KeyPairAlgorithm: 'TPM_ALG_RSA', KeyBitLength: 2048 })
    t.equal(made.status, 200, made.text)
    t.match(verifyRequest(t, made.json.CSRString), /Public-Key: \(2048 bit\)[\s\S]*Digital Signature, Key Encipherment/)
    const extensions = serverExtensions.map((each) =>
      each.replace('digitalSignature', 'digitalSignature,keyEncipherment')
    )
    t.same(outcome(await replace(server, authority.sign(made.json.CSRString, { extensions }))), [200, 'Success'])
    t.ok(await served(server.port, authority.cert))
  })

  t.test('private keys stay in their files, which are their owner’s alone', async (t) => {
    const server = await start(t, host, { configuration: { log: 'debug' } })
    const authority = new Authority(t, 'Servers')
    const made = await generate(server)
    const tls = join(server.data, 'tls')
    const pending = readFileSync(join(tls, 'request.pem'), 'utf8')
    for (const file of ['server.pem', 'request.pem']) t.equal(statSync(join(tls, file)).mode & 0o777, 0o600, file)
    t.equal(statSync(tls).mode & 0o777, 0o700)
    const cert = authority.sign(made.json.CSRString, { extensions: serverExtensions })
    const put = await replace(server, cert)
    const kept = readFileSync(join(tls, 'server.pem'), 'utf8')
    t.equal(
      kept.replace(cert, '').replace(/^SHA-256: .*\n/m, ''),
      pending.replace(made.json.CSRString, ''),
      'the key of the request is that of the pair now'
    )
    const secret = kept.split('\n')[1] ?? ''
    t.ok(secret.length > 40)
    await server.stop()
    const answers = made.text + put.text
    t.notOk(answers.includes(secret) || server.process.stderr.join('').includes(secret))
  })
})
