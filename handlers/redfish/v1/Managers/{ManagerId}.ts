import { action, entry, managerResetTypes, references, resource, status, text } from '#data'
import { type Get, link, notFound, type Schema } from '#runtime'

export const schema = {
  title: '#Manager.v1_19_1.Manager',
  type: 'object',
  required: resource.required,
  properties: {
    ...resource.properties,
    DateTime: { type: 'string', format: 'date-time', nullable: true, readonly: true },
    DateTimeLocalOffset: text,
    FirmwareVersion: text,
    ManagerType: { type: 'string', enum: ['BMC'], readonly: true },
    Model: text,
    PowerState: { type: 'string', enum: ['On'], nullable: true, readonly: true },
    ServiceEntryPointUUID: { type: 'string', format: 'uuid', nullable: true, readonly: true },
    Status: status,
    UUID: { type: 'string', format: 'uuid', nullable: true, readonly: true },
    Links: { type: 'object', properties: { ManagerForChassis: references, ManagerForServers: references } },
    Actions: { type: 'object', properties: { '#Manager.Reset': action('ResetType') } }
  }
} as const satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ManagerId'> = ({ params, uri, machine, now }) => {
  const manager = entry(machine.board.managers, params.ManagerId) ?? notFound()
  return {
    Name: manager.name,
    DateTime: now().toISOString(),
    DateTimeLocalOffset: '+00:00',
    FirmwareVersion: manager.firmwareVersion,
    ManagerType: 'BMC',
    Model: manager.model,
    PowerState: 'On',
    ServiceEntryPointUUID: manager.serviceEntryPointUuid,
    Status: { State: 'Enabled', Health: 'OK' },
    UUID: manager.uuid,
    Links: {
      ManagerForChassis: manager.chassis.map((id) => link(`/redfish/v1/Chassis/${id}`)),
      ManagerForServers: manager.systems.map((id) => link(`/redfish/v1/Systems/${id}`))
    },
    Actions: {
      '#Manager.Reset': {
        target: `${uri}/Actions/Manager.Reset/`,
        'ResetType@Redfish.AllowableValues': managerResetTypes
      }
    }
  }
}
