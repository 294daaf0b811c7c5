import { table } from '#runtime/contract'

declare module '#runtime/contract' {
  interface Tables {
    /** The image in a virtual drive: by `<manager>/<drive>`; absent while the drive is empty. */
    virtualMedia: VirtualMedia
  }
}

table('virtualMedia', { survives: ['restart', 'restStateReset'] })

export interface VirtualMedia {
  /** A URI: see `parseImage`; where no host sees the drive, of http or https. Empty for a file of a client. */
  image: string
  /** The file of a client, who alone may give it again after an interruption. */
  client?: { readonly name: string; readonly size: number; readonly account: string }
  /** Of a drive that a host sees: false while the image is on its way. */
  inserted: boolean
  writeProtected: boolean
  /** As a client asked for; absent: `Upload`. */
  transferMethod?: 'Stream' | 'Upload'
  /** Whether the certificate of the image's server must be of an authority that the service trusts. */
  verifyCertificate: boolean
}
