import {
  readSignatureLists,
  type Signature,
  signatureListBytes,
  signaturesOf,
  withSignature,
  x509Type
} from '#hal/uefi/signature-list.ts'

export const global = '8be4df61-93ca-11d2-aa0d-00e098032b8c'
export const security = 'd719b2cb-3d3a-4596-a3bc-dad00e67656f'
export const enable = 'f0a30bc7-af08-4556-99c4-001009c93a44/SecureBootEnable'
export const owner = '77fa9abd-0359-4d32-bd60-28f4e78f784b'

/** A certificate of openssl's making: EC P-256, CN=Image signing. */
export const certificate = `-----BEGIN CERTIFICATE-----
MIIBhjCCAS2gAwIBAgIUKRwJXAHsVnodIe0QjbBvPdwAcFswCgYIKoZIzj0EAwIw
GDEWMBQGA1UEAwwNSW1hZ2Ugc2lnbmluZzAgFw0yNjExMjAyMjUxMDdaGA8yMDUx
MDcxMjIyNTEwN1owGDEWMBQGA1UEAwwNSW1hZ2Ugc2lnbmluZzBZMBMGByqGSM49
AgEGCCqGSM49AwEHA0IABIyELJxlKQXpxDf/QPLit0JLODwaZLjuJ+rWIvqdIscw
15Qxb4p+Pmpf/o3JTp6102ffrhHHRcuiBsQYUxptRP2jUzBRMB0GA1UdDgQWBBSx
A31bDCwMxpjTyZ7HscnJOyVpqTAfBgNVHSMEGDAWgBSxA31bDCwMxpjTyZ7HscnJ
OyVpqTAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0cAMEQCIB3+Ro/YstCL
iBTDFknSMLMM7IKNCTfzXkuGc5VeZdoIAiBjNRQTEWPmn6r/rE6T/Zdbm6KmTqA1
WOPZ2vyQirULTQ==
-----END CERTIFICATE-----
`

export const der = Uint8Array.from(Buffer.from(certificate.replace(/-----.*-----|\s/g, ''), 'base64'))
/** Its SHA-256, as far as ids have it. */
export const certificateId = '796E0ECE6A143EE590160220B12861BD'

/** An entry with that content; its bytes need not be a certificate. */
export const x509 = (data: Uint8Array = der): Signature => ({ type: x509Type, owner, data })
export const sha256 = (fill: number): Signature => ({
  type: 'c1c41626-504c-4092-aca9-41f936934328',
  owner,
  data: new Uint8Array(32).fill(fill)
})

/** A variable with these entries. */
export function variable(...entries: Signature[]) {
  const data = signatureListBytes(entries.reduce(withSignature, [] as ReturnType<typeof withSignature>))
  return { attributes: 0x27, data }
}

/** The entries that a write of a variable leaves: the owner and the data as hex. */
export function written(hex: string | null | undefined): string[][] {
  const { lists } = readSignatureLists(Buffer.from(hex ?? '', 'hex'))
  return signaturesOf(lists).map(({ owner, data }) => [owner, Buffer.from(data).toString('hex')])
}
