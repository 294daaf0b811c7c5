import { findTrustedModule } from '#data/chassis'
import { references, resource, status, text } from '#data/resource'
import { systemUri } from '#data/system'
import { type Get, link, members, object } from '#runtime/contract'

export const schema = resource('TrustedComponent.v1_4_0', 'A trusted platform module', ['TrustedComponentType'], {
  FirmwareVersion: text,
  Status: status,
  TrustedComponentType: { type: 'string', enum: ['Discrete'], readonly: true },
  Links: object({ ComponentIntegrity: references, ComponentsProtected: references })
})

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
