/** What only a license opens. */
export type Feature = 'CertificateLogin' | 'Kerberos'

/** The classes of licenses, and what each opens. */
export const licenseClasses = {
  Essentials: [],
  Advanced: ['CertificateLogin', 'Kerberos']
} as const satisfies Readonly<Record<string, readonly Feature[]>>

export type LicenseClass = keyof typeof licenseClasses

/** A license that was installed. */
export interface License {
  /** As it was given: see `readLicenseKey`. */
  key: string
  class: LicenseClass
  /** Of the license. */
  id: string
  /** The serial number of the one system that it is for; `null` for any. */
  serial: string | null
  /** Seconds since 1970. */
  issued: number
  /** From when on it opens nothing, in seconds since 1970; `null` for never. */
  expires: number | null
  /** Whether its end was told. */
  ended: boolean
}

/** Which key signs the licenses of a board: Ed25519 as a JSON Web Key (RFC 8037). */
export interface LicenseKey {
  readonly kty: 'OKP'
  readonly crv: 'Ed25519'
  readonly x: string
  /** The private half: the simulated machine has one, so that licenses can be made for it. */
  readonly d?: string
}

/** Whether a license has not ended. */
export function lasts({ expires }: Pick<License, 'expires'>, now: Date): boolean {
  return expires === null || now.getTime() < expires * 1000
}

/** Whether a license, if there is one, opens a feature. */
export function opens(license: License | undefined, feature: Feature, now: Date): boolean {
  if (license === undefined || !lasts(license, now)) return false
  return (licenseClasses[license.class] as readonly Feature[]).includes(feature)
}
