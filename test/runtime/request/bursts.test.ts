import { randomBytes } from 'node:crypto'
import t from 'tap'
import type { Configuration } from '#data/configuration'
import { selfSigned } from '#runtime/service/certificates/self-signed.ts'
import { Authority } from '#test/host/authority.ts'
import { openFixture, password } from '../service.ts'

const v1 = '/redfish/v1'
const databases = `${v1}/Systems/1/SecureBoot/SecureBootDatabases`
const certificateLogin = `${v1}/Managers/1/SecurityService/CertificateAuthentication`
const hex = (bytes: number) => randomBytes(bytes).toString('hex')

/** A limited kind of resource: the URIs that create and list it, and the body that creates one. */
interface Limited {
  readonly most: number
  readonly collection: string
  readonly make?: string
  readonly body: (n: number) => object
  /** Of what is refused. */
  readonly status: number
}

const few = 2
const authorities = Array.from({ length: 10 * few }, (_, n) => new Authority(t, `Authority ${n}`).cert)
const signers = await Promise.all(
  Array.from({ length: 10 * few }, async (_, n) => {
    const altNames = { dns: [], ip: [] }
    return (await selfSigned({ commonName: `Signer ${n}`, altNames, now: new Date(), random: randomBytes })).cert
  })
)

const limited: Readonly<Record<string, Limited>> = {
  sessions: {
    most: 32,
    collection: `${v1}/SessionService/Sessions`,
    body: () => ({ UserName: 'admin', Password: password }),
    status: 503
  },
  accounts: {
    most: 16,
    collection: `${v1}/AccountService/Accounts`,
    body: () => ({ UserName: `u${hex(8)}`, Password: 'Green-Door-4', RoleId: 'ReadOnly' }),
    status: 409
  },
  subscriptions: {
    most: 20,
    collection: `${v1}/EventService/Subscriptions`,
    body: () => ({ Destination: 'https://127.0.0.1:1/', Protocol: 'Redfish' }),
    status: 409
  },
  'definitions of reports': {
    most: 32,
    collection: `${v1}/TelemetryService/MetricReportDefinitions`,
    body: () => ({ MetricReportDefinitionType: 'OnRequest', Metrics: [{ MetricId: 'FanSpeed' }] }),
    status: 409
  },
  tasks: {
    most: few,
    collection: `${v1}/TaskService/Tasks`,
    make: `${v1}/UpdateService/Actions/UpdateService.SimpleUpdate`,
    body: () => ({ ImageURI: 'https://127.0.0.1:1/file' }),
    status: 503
  },
  'certification authorities': {
    most: few,
    collection: `${certificateLogin}/Certificates`,
    make: `${certificateLogin}/Actions/VendorCertAuth.ImportCACertificate`,
    body: (n) => ({ Certificate: authorities[n] }),
    status: 409
  },
  'certificates of a database': {
    most: few,
    collection: `${databases}/db/Certificates`,
    body: (n) => ({ CertificateString: signers[n], CertificateType: 'PEM' }),
    status: 409
  },
  'signatures of a database': {
    most: 10,
    collection: `${databases}/db/Signatures`,
    body: () => ({ SignatureString: hex(32), SignatureType: 'EFI_CERT_SHA256_GUID' }),
    status: 409
  },
  volumes: {
    most: few,
    collection: `${v1}/Systems/1/Storage/slot3/Volumes`,
    body: () => ({ RAIDType: 'RAID0' }),
    status: 409
  },
  'certificates of a user': {
    most: 1,
    collection: `${v1}/AccountService/UserCertificateMapping`,
    body: (n) => ({ UserName: 'admin', Fingerprint: signers[n] }),
    status: 409
  }
}

function limits(configuration: Configuration): void {
  const { limits } = configuration
  // All passwords are checked: the limit is to be the only one that is reached.
  Object.assign(limits, {
    loginQueue: 1000,
    tasks: few,
    trustedCertificates: few,
    databaseCertificates: few,
    volumes: few
  })
}

for (const [name, { most, collection, make = collection, body, status }] of Object.entries(limited)) {
  t.test(`simultaneous requests for ${name} fill the limit exactly`, async (t) => {
    const { ask, close } = await openFixture(limits)
    t.teardown(close)
    const listed = async (): Promise<string[]> =>
      (await ask('GET', `${collection}/`)).json.Members.map((each: { '@odata.id': string }) => each['@odata.id'])
    const shipped = (await listed()).length
    const burst = async () => {
      const answers = await Promise.all(Array.from({ length: 10 * most }, (_, n) => ask('POST', make, body(n))))
      const made = answers.filter((answer) => answer.status < 300)
      const refused = new Set(answers.filter((each) => !made.includes(each)).map((answer) => answer.status))
      t.notOk(
        [...refused].find((each) => each !== status && each !== 503),
        [...refused].join()
      )
      t.ok((await listed()).length <= most, `there are ${(await listed()).length} of ${most}`)
      return made
    }
    const ended = async () => {
      for (const uri of await listed()) await ask('DELETE', uri)
    }
    const made = await burst()
    t.ok(name === 'tasks' || made.length === most - shipped, `${made.length} are made`)
    await ended()
    const kept = (await listed()).length
    for (let count = kept; count < most; count += 1) t.ok((await ask('POST', make, body(count))).status < 300)
    t.equal((await listed()).length, most)
    if (name !== 'tasks') t.equal((await ask('POST', make, body(most))).status, status, 'and no more')
  })
}
