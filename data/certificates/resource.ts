import { pem } from '#runtime/base/pem.ts'
import { keyPurposes } from './schemas.ts'
import { displayName, fingerprint, type Name, readCertificate } from './x509.ts'

const named = new Set(Object.values(keyPurposes))

/**
 * The properties of a certificate resource (DSP2046, Certificate). A field that cannot be parsed is null.
 *
 * @param chain the DER of the certificate, and of those of its issuers that are given with it
 */
export function certificateResource(chain: readonly [Uint8Array, ...Uint8Array[]]) {
  const [own] = chain
  const read = readCertificate(own)
  const purposes = read?.purposes?.filter((each) => named.has(each)) ?? []
  return {
    Name: 'Certificate',
    CertificateString: chain.map((each) => pem('CERTIFICATE', each)).join(''),
    CertificateType: chain.length > 1 ? ('PEMchain' as const) : ('PEM' as const),
    Fingerprint: fingerprint(own),
    FingerprintHashAlgorithm: 'TPM_ALG_SHA256',
    Issuer: read === undefined ? null : identify(read.issuer),
    KeyUsage: [...(read?.usage ?? []), ...purposes],
    SerialNumber: read?.serialNumber ?? null,
    Subject: read === undefined ? null : identify(read.subject),
    ValidNotAfter: read?.notAfter?.toISOString() ?? null,
    ValidNotBefore: read?.notBefore?.toISOString() ?? null
  }
}

function identify(name: Name) {
  const all = (type: string) => name.filter((each) => each.type === type).map((each) => each.value)
  const first = (type: string) => all(type)[0]
  return {
    City: first('L'),
    CommonName: first('CN'),
    Country: first('C'),
    DisplayString: displayName(name),
    DomainComponents: all('DC').length > 0 ? all('DC') : undefined,
    Email: first('emailAddress'),
    Organization: first('O'),
    OrganizationalUnit: first('OU'),
    State: first('ST')
  }
}
