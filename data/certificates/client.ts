import { reference } from '#data/resource'
import { link, type Machine, object, type State } from '#runtime/contract'
import { trustedCertificatesUri } from './uris.ts'

/** `MultiFactorAuth.ClientCertificate` of the account service: the login that `CertificateAuthentication` switches on. */
export const clientCertificate = object({
  CertificateMappingAttribute: { type: 'string', enum: ['Whole'], readonly: true },
  Certificates: reference,
  Enabled: { type: 'boolean', readonly: true },
  RespondToUnauthenticatedClients: { type: 'boolean', readonly: true }
})

/** Every manager trusts the same authorities; the first one stands for all. */
export function showClientCertificate(machine: Pick<Machine, 'board'>, state: State) {
  const [manager = ''] = Object.keys(machine.board.managers)
  return {
    CertificateMappingAttribute: 'Whole' as const,
    Certificates: link(trustedCertificatesUri(manager)),
    Enabled: state.keys('certificateLogin').some((id) => state.get('certificateLogin', id)?.enabled),
    RespondToUnauthenticatedClients: true
  }
}
