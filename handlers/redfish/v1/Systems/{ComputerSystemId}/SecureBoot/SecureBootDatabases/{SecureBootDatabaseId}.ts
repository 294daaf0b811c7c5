import { action, reference, resource } from '#data/resource'
import { resetDatabaseTypes, secureBootDatabase } from '#data/secure-boot'
import { type Get, link, notFound, object } from '#runtime/contract'

export const schema = resource('SecureBootDatabase.v1_0_3', 'Certificates and signatures of secure boot', {
  Certificates: reference,
  DatabaseId: { type: 'string', readonly: true },
  Signatures: reference,
  Actions: object({ '#SecureBootDatabase.ResetKeys': action('ResetKeysType') })
})

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ComputerSystemId' | 'SecureBootDatabaseId'> = ({ params, uri, machine }) => {
  machine.system(params.ComputerSystemId)
  const { id, name, factory } = secureBootDatabase(params.SecureBootDatabaseId) ?? notFound()
  return {
    Name: name,
    Description: factory ? 'Read-only; not used at run time' : 'In effect from the next start of the host on',
    Certificates: link(`${uri}/Certificates`),
    DatabaseId: id,
    Signatures: link(`${uri}/Signatures`),
    Actions: {
      '#SecureBootDatabase.ResetKeys': { 'ResetKeysType@Redfish.AllowableValues': resetDatabaseTypes }
    }
  }
}
