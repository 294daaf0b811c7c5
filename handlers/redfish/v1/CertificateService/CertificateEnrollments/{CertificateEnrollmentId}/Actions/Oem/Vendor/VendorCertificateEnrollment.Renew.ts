import { enrollmentOf, ownEnrollment } from '#data/enrollment'
import { beginTask } from '#data/tasks'
import { fail, notFound, object, type Post } from '#runtime/contract'

export const body = object({})

export const privileges = { POST: 'MgmtConfigPriv' } as const

/** Gets another certificate at once, as a task, whether or not the one in use is near its end. */
export const POST: Post<typeof body, 'CertificateEnrollmentId'> = (context) => {
  const { params, state, random } = context
  if (params.CertificateEnrollmentId !== ownEnrollment) notFound()
  const { server, task } = enrollmentOf(state)
  if (server === '') fail(409, 'Base.PropertyMissing', 'ServerURI')
  if (task !== '') fail(409, 'Mgmt.InvalidOperationForSystemState')
  const id = random(8)
  const work = { certificateEnrollment: { [ownEnrollment]: { task: id } } }
  return beginTask(context, id, { name: 'Renewal of the certificate of HTTPS' }, work)
}
