import { ownCertificateUri } from '#data/certificates'
import { changeEnrollment, enrollmentSchema, ownEnrollment, showEnrollment } from '#data/enrollment'
import { changed, type Get, link, notFound, type Patch, type Schema } from '#runtime/contract'

export const schema = enrollmentSchema satisfies Schema

export const privileges = { GET: 'LoginPriv', PATCH: 'MgmtConfigPriv' } as const

export const GET: Get<typeof schema, 'CertificateEnrollmentId'> = (context) => {
  if (context.params.CertificateEnrollmentId !== ownEnrollment) notFound()
  const [manager = ''] = Object.keys(context.machine.board.managers)
  return {
    Name: 'Enrollment of the certificate of HTTPS',
    Links: { EnrolledCertificate: link(ownCertificateUri(manager)) },
    ...showEnrollment(context)
  }
}

export const PATCH: Patch<typeof schema, 'CertificateEnrollmentId'> = (context) => {
  if (context.params.CertificateEnrollmentId !== ownEnrollment) notFound()
  return changed(changeEnrollment(context, context.body))
}
