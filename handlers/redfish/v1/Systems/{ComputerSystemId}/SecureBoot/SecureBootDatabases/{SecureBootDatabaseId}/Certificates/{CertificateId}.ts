import { resource, secureBootDatabase, signatureListBytes, text, withoutSignature } from '#data'
import {
  changed,
  type Delete,
  fingerprint,
  type Get,
  keyUsageNames,
  type Methods,
  type Name,
  notFound,
  openDatabase,
  openDatabaseToChange,
  pem,
  readCertificate,
  type Schema,
  setDatabases
} from '#runtime'

const date = { type: 'string', format: 'date-time', nullable: true, readonly: true } as const

const identifier = {
  type: 'object',
  nullable: true,
  properties: {
    City: text,
    CommonName: text,
    Country: text,
    DisplayString: text,
    DomainComponents: { type: 'array', items: { type: 'string' }, readonly: true },
    Email: text,
    Organization: text,
    OrganizationalUnit: text,
    State: text
  }
} as const

export const schema = {
  title: '#Certificate.v1_9_0.Certificate',
  type: 'object',
  required: resource.required,
  properties: {
    ...resource.properties,
    CertificateString: text,
    CertificateType: { type: 'string', enum: ['PEM'], nullable: true, readonly: true },
    Fingerprint: { type: 'string', readonly: true },
    FingerprintHashAlgorithm: { type: 'string', readonly: true },
    Issuer: identifier,
    KeyUsage: { type: 'array', items: { type: 'string', enum: keyUsageNames }, readonly: true },
    SerialNumber: text,
    Subject: identifier,
    UefiSignatureOwner: { type: 'string', format: 'uuid', nullable: true, readonly: true },
    ValidNotAfter: date,
    ValidNotBefore: date
  }
} as const satisfies Schema

export const methods: Methods = ({ SecureBootDatabaseId = '' }) =>
  secureBootDatabase(SecureBootDatabaseId)?.factory ? ['GET'] : ['GET', 'DELETE']

export const privileges = { GET: 'LoginPriv', DELETE: 'HostBIOSConfigPriv' } as const

type Params = 'ComputerSystemId' | 'SecureBootDatabaseId' | 'CertificateId'

/** What cannot be read in a certificate that firmware accepted is null. */
export const GET: Get<typeof schema, Params> = (context) => {
  const { owner, data } = openDatabase(context).certificates.get(context.params.CertificateId) ?? notFound()
  const read = readCertificate(data)
  return {
    Name: 'Certificate',
    CertificateString: pem('CERTIFICATE', data),
    CertificateType: 'PEM',
    Fingerprint: fingerprint(data),
    FingerprintHashAlgorithm: 'TPM_ALG_SHA256',
    Issuer: read === undefined ? null : identify(read.issuer),
    KeyUsage: read?.keyUsage ?? [],
    SerialNumber: read?.serialNumber ?? null,
    Subject: read === undefined ? null : identify(read.subject),
    UefiSignatureOwner: owner,
    ValidNotAfter: read?.notAfter?.toISOString() ?? null,
    ValidNotBefore: read?.notBefore?.toISOString() ?? null
  }
}

/** Without its platform key a host is in setup mode, and secure boot is off. */
export const DELETE: Delete<Params> = (context) => {
  const { params, machine } = context
  const { database, lists, certificates } = openDatabaseToChange(context)
  const certificate = certificates.get(params.CertificateId) ?? notFound()
  const content = signatureListBytes(withoutSignature(lists, certificate))
  return changed(setDatabases(machine, params.ComputerSystemId, { [database.id]: content }))
}

function identify(name: Name) {
  const all = (type: string) => name.filter((each) => each.type === type).map((each) => each.value)
  const first = (type: string) => all(type)[0]
  return {
    City: first('L'),
    CommonName: first('CN'),
    Country: first('C'),
    DisplayString: name.map(({ type, value }) => `${type}=${value}`).join(', '),
    DomainComponents: all('DC').length > 0 ? all('DC') : undefined,
    Email: first('emailAddress'),
    Organization: first('O'),
    OrganizationalUnit: first('OU'),
    State: first('ST')
  }
}
