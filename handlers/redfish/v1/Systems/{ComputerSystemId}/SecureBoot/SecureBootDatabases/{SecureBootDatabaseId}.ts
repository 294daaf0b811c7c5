import { actions, child, resource } from '#data/resource'
import { secureBootDatabase } from '#data/secure-boot'
import { type Get, notFound } from '#runtime/contract'
import { body as resetKeys } from './{SecureBootDatabaseId}/Actions/SecureBootDatabase.ResetKeys.ts'

export const schema = resource('SecureBootDatabase.v1_0_3', 'Certificates and signatures of secure boot', {
  Certificates: child('Certificates'),
  DatabaseId: { type: 'string', readonly: true },
  Signatures: child('Signatures'),
  Actions: actions({ 'SecureBootDatabase.ResetKeys': resetKeys })
})

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ComputerSystemId' | 'SecureBootDatabaseId'> = ({ params, machine }) => {
  machine.system(params.ComputerSystemId)
  const { id, name, factory } = secureBootDatabase(params.SecureBootDatabaseId) ?? notFound()
  return {
    Name: name,
    Description: factory ? 'Read-only; not used at run time' : 'In effect from the next start of the host on',
    DatabaseId: id
  }
}
