import { flag, references, resource, status } from '#data/resource'
import { systemUri } from '#data/system'
import { type Get, link, notFound, object } from '#runtime/contract'

export const schema = resource(
  'ComponentIntegrity.v1_3_0',
  'How far the integrity of a part is known',
  ['ComponentIntegrityType', 'ComponentIntegrityTypeVersion', 'TargetComponentURI'],
  {
    ComponentIntegrityEnabled: flag,
    ComponentIntegrityType: { type: 'string', enum: ['TPM'], readonly: true },
    ComponentIntegrityTypeVersion: { type: 'string', readonly: true },
    Status: status,
    TargetComponentURI: { type: 'string', readonly: true },
    Links: object({ ComponentsProtected: references })
  }
)

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ComponentIntegrityId'> = ({ params, machine }) => {
  const [, id = ''] = /^TPM-(.+)$/.exec(params.ComponentIntegrityId) ?? []
  const system = machine.system(id)
  if (system.trustedModule === undefined) notFound()
  return {
    Name: 'Trusted platform module',
    ComponentIntegrityEnabled: true,
    ComponentIntegrityType: 'TPM',
    ComponentIntegrityTypeVersion: '2.0',
    TargetComponentURI: `${systemUri(id)}/`,
    Links: { ComponentsProtected: [link(systemUri(id))] }
  }
}
