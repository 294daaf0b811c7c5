import { table } from '#runtime/contract'

declare module '#runtime/contract' {
  interface Tables {
    /** By id: see `certificateId`. Authorities whose signature on a client's certificate is believed. */
    trustedCertificate: { pem: string }
    /** By the id of an account: the one certificate that its owner may log in with. */
    userCertificate: { pem: string }
    /** By manager id. */
    certificateLogin: { enabled: boolean }
  }
}

table('trustedCertificate', { survives: ['restart', 'restStateReset'] })
table('userCertificate', { survives: ['restart', 'restStateReset'], of: 'users' })
table('certificateLogin', { survives: ['restart', 'restStateReset'] })
