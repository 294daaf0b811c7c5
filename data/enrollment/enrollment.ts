import { certificatesFrom, hasAlternativeName, readCertificate } from '#data/certificates'
import { fqdnOf, hostNamesOf } from '#data/ethernet'
import { parseDestination } from '#data/events'
import { actions, oem, reference, resource, text } from '#data/resource'
import { type Context, fail, type Machine, mergeArray, object, type State, type Writes } from '#runtime/contract'
import type { Writable } from '#runtime/schema'
import { type Enrollment, ownEnrollment } from './records.ts'

const enrollmentsUri = '/redfish/v1/CertificateService/CertificateEnrollments'
export const enrollmentUri = `${enrollmentsUri}/${ownEnrollment}`

const date = { type: 'string', format: 'date-time', nullable: true, readonly: true } as const

const writable = (maxLength: number, pattern?: string) =>
  ({ type: 'string', maxLength, ...(pattern !== undefined && { pattern }), nullable: true, readonly: false }) as const

const name = { type: 'string', maxLength: 253, pattern: '^[A-Za-z0-9-]{1,63}(\\.[A-Za-z0-9-]{1,63})*$' } as const

export const enrollmentSchema = resource('CertificateEnrollment.v1_0_1', 'How the service gets its certificate', {
  ACME: object({
    ChallengeType: {
      type: 'string',
      enum: ['Dns01'],
      nullable: true,
      readonly: false,
      description: 'The proof that the names are those of the service; null: tls-alpn-01, for which there is no word'
    },
    EABKey: writable(512, '^[A-Za-z0-9+/_-]*={0,2}$'),
    EABKeyId: writable(256, '^[!-~]*$'),
    Email: writable(255, '^$|^[!-~]+@[!-~]+$')
  }),
  CSRParameters: object({ AlternativeNames: { type: 'array', items: name, maxItems: 16, readonly: false } }),
  Enabled: { type: 'boolean', readonly: false },
  EnrollmentState: object({
    LastOperation: { type: 'string', enum: ['Renew'], nullable: true, readonly: true },
    LastOperationStatus: { type: 'string', enum: ['Success', 'Failed', 'InProgress', 'Unknown'], readonly: true },
    LastOperationTime: date
  }),
  EnrollmentType: { type: 'string', enum: ['ACME'], readonly: true },
  Links: object({ EnrolledCertificate: reference }),
  RenewBeforeExpiryDays: { type: 'integer', minimum: 1, maximum: 3650, nullable: true, readonly: false },
  ServerURI: writable(512),
  VerifyCertificate: { type: 'boolean', readonly: true },
  Oem: oem('VendorCertificateEnrollment.v1_0_0', {
    Actions: actions({ 'VendorCertificateEnrollment.Renew': {} }),
    LastFailure: { ...text, description: 'Why the last attempt failed' },
    NextRenewalTime: { ...date, description: 'When the certificate in use is to be renewed' }
  })
})

/** The settings: what clients set, else the defaults. */
export function enrollmentOf(state: State): Enrollment {
  return {
    enabled: false,
    server: '',
    challenge: 'tls-alpn-01',
    email: '',
    keyId: '',
    macKey: '',
    names: [],
    renewBefore: 0,
    accountKey: '',
    task: '',
    state: 'Unknown',
    triedAt: 0,
    failures: 0,
    failure: '',
    ...state.get('certificateEnrollment', ownEnrollment)
  }
}

/** The names that the certificate is to be for, in lower case: at least one. */
export function enrolledNames({ names }: Enrollment, state: State, { managers }: Machine['board']): readonly string[] {
  const [id = '', manager] = Object.entries(managers)[0] ?? []
  const own = manager === undefined ? 'localhost' : fqdnOf(hostNamesOf(state, id, manager))
  return [...new Set((names.length > 0 ? names : [own]).map((each) => each.toLowerCase()))]
}

const oneDay = 86_400_000

/** When a certificate is to be renewed: at two thirds of its life, or so many days before its end, but in the second half. */
function renewalTime(certificate: Uint8Array, days: number): Date | undefined {
  const { notBefore, notAfter } = readCertificate(certificate) ?? {}
  if (notBefore === undefined || notAfter === undefined) return undefined
  const [begin, end] = [notBefore.getTime(), notAfter.getTime()]
  const life = end - begin
  return new Date(days > 0 ? Math.max(end - days * oneDay, begin + life / 2) : end - life / 3)
}

/**
 * Whether another certificate is to be had now: in place of one that the service made, that lacks a name, or that is
 * near its end. A clock that shows an earlier year than 2020 was never set, and says nothing.
 *
 * @param chain in use, PEM
 */
export function isRenewalDue(chain: string, names: readonly string[], days: number, now: Date): boolean {
  if (now.getUTCFullYear() < 2020) return false
  const [own] = certificatesFrom(chain)
  const end = renewalTime(own, days)
  const isOwnMaking = readCertificate(own)?.selfIssued !== false
  return isOwnMaking || end === undefined || now >= end || !hasAlternativeName(own, { dns: names, ip: [] })
}

/** As clients see it: without keys. */
export function showEnrollment({ state, ownCertificate }: Pick<Context, 'state' | 'ownCertificate'>) {
  const shown = enrollmentOf(state)
  const [own] = certificatesFrom(ownCertificate.chain)
  return {
    ACME: {
      ChallengeType: shown.challenge === 'dns-01' ? ('Dns01' as const) : null,
      EABKey: null,
      EABKeyId: null,
      Email: shown.email || null
    },
    CSRParameters: { AlternativeNames: shown.names },
    Enabled: shown.enabled,
    EnrollmentState: {
      LastOperation: shown.triedAt === 0 ? null : ('Renew' as const),
      LastOperationStatus: shown.state,
      LastOperationTime: shown.triedAt === 0 ? null : new Date(shown.triedAt).toISOString()
    },
    EnrollmentType: 'ACME' as const,
    RenewBeforeExpiryDays: shown.renewBefore || null,
    ServerURI: shown.server || null,
    VerifyCertificate: true,
    Oem: {
      Vendor: {
        LastFailure: shown.failure || null,
        NextRenewalTime: shown.enabled ? (renewalTime(own, shown.renewBefore)?.toISOString() ?? null) : null
      }
    }
  }
}

type Known = Pick<Context, 'state' | 'seal' | 'configuration'>

/**
 * The records that a PATCH changes. Whoever names another server, mail address or key gets another account there.
 *
 * @throws MessageError 400 for settings that no certificate can be had with
 */
export function changeEnrollment(
  { state, seal, configuration }: Known,
  body: Writable<typeof enrollmentSchema>
): Pick<Writes, 'certificateEnrollment'> {
  const before = enrollmentOf(state)
  const { ACME: acme = {}, CSRParameters: request, RenewBeforeExpiryDays: days } = body
  const { AlternativeNames: names } = request ?? {}
  const after = {
    enabled: body.Enabled ?? before.enabled,
    server: textAfter(before.server, body.ServerURI),
    challenge: acme.ChallengeType === undefined ? before.challenge : acme.ChallengeType ? 'dns-01' : 'tls-alpn-01',
    email: textAfter(before.email, acme.Email),
    keyId: textAfter(before.keyId, acme.EABKeyId),
    macKey: acme.EABKey ? seal(acme.EABKey) : textAfter(before.macKey, acme.EABKey),
    names: names === undefined ? before.names : mergeArray(before.names, names),
    renewBefore: days === undefined ? before.renewBefore : (days ?? 0)
  } as const
  if (after.server !== '' && parseDestination(after.server) === undefined)
    fail(400, 'Base.PropertyValueFormatError', after.server, 'ServerURI')
  if (after.enabled && after.server === '') fail(400, 'Base.PropertyValueConflict', 'Enabled', 'ServerURI')
  if (after.challenge === 'dns-01' && configuration.enrollment.dnsHook === '')
    fail(400, 'Base.PropertyValueNotInList', 'Dns01', 'ChallengeType')
  if ((after.keyId === '') !== (after.macKey === ''))
    fail(400, 'Base.PropertyMissing', after.keyId === '' ? 'EABKeyId' : 'EABKey')
  const same = (['server', 'email', 'keyId', 'macKey'] as const).every((each) => after[each] === before[each])
  return {
    certificateEnrollment: { [ownEnrollment]: { ...after, failures: 0, ...(!same && { accountKey: '' }) } }
  }
}

/** `null` clears a text. */
function textAfter(before: string, given: string | null | undefined): string {
  return given === undefined ? before : (given ?? '')
}
