import { type Feature, table } from '#runtime/contract'

declare module '#runtime/contract' {
  interface Services {
    /** The content of a license key; undefined unless it is signed with the board's key. */
    readLicense(key: string): License | undefined
  }
  interface Tables {
    /** By manager id; absent while none is installed. */
    license: License
  }
}

table('license', { survives: ['restart', 'restStateReset'] })

/** The classes of licenses, and what each opens. */
export const licenseClasses = {
  Essentials: [],
  Advanced: ['CertificateLogin']
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
  /** When it was installed, in seconds since 1970. */
  installed?: number
  /** From when on it opens nothing, in seconds since 1970; `null` for never. */
  expires: number | null
  /** True when the event of its end was sent. */
  ended: boolean
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
