import { certificatesFrom, readCertificate } from '#data/certificates'
import { isLicensed } from '#data/license'
import { actions, child, resource } from '#data/resource'
import {
  type Context,
  changed,
  event,
  type Get,
  type Message,
  MessageError,
  message,
  type Patch
} from '#runtime/contract'
import { body as authority } from './CertificateAuthentication/Actions/VendorCertAuth.ImportCACertificate.ts'

export const schema = resource('VendorCertAuth.v1_0_0', 'Login with client certificates', {
  Actions: actions({ 'VendorCertAuth.ImportCACertificate': authority }),
  CertificateLoginEnabled: { type: 'boolean', readonly: false },
  Certificates: child('Certificates')
})

export const privileges = { GET: 'LoginPriv', PATCH: 'MgmtConfigPriv' } as const

export const GET: Get<typeof schema, 'ManagerId'> = ({ params, machine, state }) => {
  machine.manager(params.ManagerId)
  return {
    Name: 'Certificate authentication',
    CertificateLoginEnabled: state.get('certificateLogin', params.ManagerId)?.enabled ?? false
  }
}

/** The prerequisites of login with a certificate are checked once, when it is enabled. */
export const PATCH: Patch<typeof schema, 'ManagerId'> = (context) => {
  const { params, body, uri, machine, state } = context
  machine.manager(params.ManagerId)
  const before = state.get('certificateLogin', params.ManagerId)?.enabled ?? false
  const { CertificateLoginEnabled: enabled = before } = body
  if (enabled && !before) checkPrerequisites(context)
  const happened = enabled ? 'MgmtEvents.CertificateLoginEnabled' : 'MgmtEvents.CertificateLoginDisabled'
  return {
    ...changed({ certificateLogin: { [params.ManagerId]: { enabled } } }),
    events: enabled === before ? [] : [event(happened, uri)]
  }
}

/** @throws MessageError 403 without a license, else 409; it names everything that is missing */
function checkPrerequisites({ params, state, ownCertificate, now }: Context<'ManagerId', unknown>): void {
  const licensed = isLicensed(state, 'CertificateLogin', now())
  const timed = (state.get('clock', params.ManagerId)?.timeServers ?? []).length > 0
  const [own] = certificatesFrom(ownCertificate.chain)
  const signed = readCertificate(own)?.selfIssued === false
  const mapped = state.keys('userCertificate').some((user) => state.get('account', user)?.enabled)
  const trusting = state.keys('trustedCertificate').length > 0
  const needs = (met: boolean, reason: string): Message[] =>
    met ? [] : [message('Mgmt.CertificateLoginRequires', reason)]
  const missing = [
    ...(licensed ? [] : [message('Mgmt.LicenseKeyRequired')]),
    ...needs(timed, 'no time server is configured'),
    ...needs(signed, 'the certificate of the service is signed by itself'),
    ...needs(mapped, 'no certificate is mapped to a user who can log in'),
    ...needs(trusting, 'no certificate of a certification authority was imported')
  ]
  if (missing.length > 0) throw new MessageError(licensed ? 409 : 403, missing)
}
