import { findTrustedModule } from '#data/chassis'
import { references, resource, status, text } from '#data/resource'
import { systemUri } from '#data/system'
import { type Get, link, members, type Schema } from '#runtime/contract'

export const schema = {
  title: '#TrustedComponent.v1_4_0.TrustedComponent',
  description: 'A trusted platform module',
  type: 'object',
  required: [...resource.required, 'TrustedComponentType'],
  properties: {
    ...resource.properties,
    FirmwareVersion: text,
    Status: status,
    TrustedComponentType: { type: 'string', enum: ['Discrete'], readonly: true },
    Links: { type: 'object', properties: { ComponentIntegrity: references, ComponentsProtected: references } }
  }
} as const satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ChassisId' | 'TrustedComponentId'> = ({ params, machine }) => {
  const { system, module } = findTrustedModule(machine, params.ChassisId, params.TrustedComponentId)
  return {
    Name: 'Trusted platform module',
    FirmwareVersion: module.firmwareVersion,
    TrustedComponentType: 'Discrete',
    Links: {
      ComponentIntegrity: members('/redfish/v1/ComponentIntegrity', [params.TrustedComponentId]).Members,
      ComponentsProtected: [link(systemUri(system))]
    }
  }
}
