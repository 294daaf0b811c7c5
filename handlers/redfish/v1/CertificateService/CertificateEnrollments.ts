import { ownEnrollment } from '#data/enrollment'
import { collection } from '#data/resource'
import { type Get, members } from '#runtime/contract'

export const schema = collection('CertificateEnrollment')

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema> = ({ uri }) => ({
  Name: 'Certificate enrollments',
  ...members(uri, [ownEnrollment])
})
