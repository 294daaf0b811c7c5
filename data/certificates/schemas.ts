import { resource, text } from '#data/resource'
import { list, object } from '#runtime/schema'

/** By bit of the extension KeyUsage, as Redfish names them (RFC 5280, section 4.2.1.3). */
export const keyUsages = [
  'DigitalSignature',
  'NonRepudiation',
  'KeyEncipherment',
  'DataEncipherment',
  'KeyAgreement',
  'KeyCertSign',
  'CRLSigning',
  'EncipherOnly',
  'DecipherOnly'
] as const

/** By identifier in the extension ExtendedKeyUsage, as Redfish names them (RFC 5280, section 4.2.1.12). */
export const keyPurposes: Readonly<Record<string, string>> = {
  '1.3.6.1.5.5.7.3.1': 'ServerAuthentication',
  '1.3.6.1.5.5.7.3.2': 'ClientAuthentication',
  '1.3.6.1.5.5.7.3.3': 'CodeSigning',
  '1.3.6.1.5.5.7.3.4': 'EmailProtection',
  '1.3.6.1.5.5.7.3.8': 'Timestamping',
  '1.3.6.1.5.5.7.3.9': 'OCSPSigning'
}

/** The purposes of the service's own certificate: events may go to subscribers who ask for one. */
export const ownPurposes = ['ServerAuthentication', 'ClientAuthentication'] as const

/** The kinds of keys that the service makes for its own certificate. */
export type KeyKind = 'EC' | 'RSA'

/** `KeyPairAlgorithm`, as the TCG's registry of algorithms names them; the first is the default. */
export const keyPairAlgorithms: Readonly<Record<string, KeyKind>> = {
  TPM_ALG_ECDH: 'EC',
  TPM_ALG_ECDSA: 'EC',
  TPM_ALG_RSA: 'RSA'
}

/** `KeyCurveId` of an elliptic curve key. */
export const keyCurves = ['TPM_ECC_NIST_P256'] as const

/** `KeyBitLength` of an RSA key; the first is the default. */
export const rsaBits = [2048, 3072, 4096] as const

/** The longest text of certificates in a request, in characters. */
export const longestCertificate = 65_536

/** The body with which a client adds a trusted certificate. */
export const pemCertificate = object(['CertificateString', 'CertificateType'], {
  CertificateString: { type: 'string', maxLength: longestCertificate },
  CertificateType: { type: 'string', enum: ['PEM'] }
})

/** The most certificates of a chain that the service serves with: clients follow no longer one. */
export const longestChain = 10

/** The most bytes of DER in it: all of them go in one message of TLS, for which Mbed TLS has 16 KiB. */
export const largestChain = 15_360

const date = { type: 'string', format: 'date-time', nullable: true, readonly: true } as const

const identifier = {
  type: 'object',
  nullable: true,
  properties: {
    City: text,
    CommonName: text,
    Country: text,
    DisplayString: text,
    DomainComponents: list({ type: 'string' }),
    Email: text,
    Organization: text,
    OrganizationalUnit: text,
    State: text
  }
} as const

/** The resource that every certificate of the service is (DSP2046). */
export const certificate = resource('Certificate.v1_9_0', 'An X.509 certificate', {
  CertificateString: text,
  CertificateType: { type: 'string', enum: ['PEM', 'PEMchain'], nullable: true, readonly: true },
  Fingerprint: { type: 'string', readonly: true },
  FingerprintHashAlgorithm: { type: 'string', readonly: true },
  Issuer: identifier,
  KeyUsage: list({ type: 'string', enum: [...keyUsages, ...Object.values(keyPurposes)] }),
  SerialNumber: text,
  Subject: identifier,
  UefiSignatureOwner: { type: 'string', format: 'uuid', nullable: true, readonly: true },
  ValidNotAfter: date,
  ValidNotBefore: date
})

/** The parameters of a request for a certificate, besides those that only one of the two actions has. */
export const distinguishedName = {
  City: { type: 'string', minLength: 1, maxLength: 128 },
  CommonName: { type: 'string', minLength: 1, maxLength: 64 },
  Country: { type: 'string', pattern: '^[A-Za-z]{2}$' },
  State: { type: 'string', minLength: 1, maxLength: 128 }
} as const
