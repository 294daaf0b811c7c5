import { action, entry, managerResetTypes, oem, reference, references, resource, status, text } from '#data'
import { type Get, link, notFound, type Schema } from '#runtime'

export const schema = {
  title: '#Manager.v1_19_1.Manager',
  type: 'object',
  required: resource.required,
  properties: {
    ...resource.properties,
    DateTime: { type: 'string', format: 'date-time', nullable: true, readonly: true },
    DateTimeLocalOffset: text,
    EthernetInterfaces: reference,
    FirmwareVersion: text,
    LogServices: reference,
    ManagerType: { type: 'string', enum: ['BMC'], readonly: true },
    Model: text,
    NetworkProtocol: reference,
    PowerState: { type: 'string', enum: ['On'], nullable: true, readonly: true },
    ServiceEntryPointUUID: { type: 'string', format: 'uuid', nullable: true, readonly: true },
    Status: status,
    UUID: { type: 'string', format: 'uuid', nullable: true, readonly: true },
    VirtualMedia: reference,
    Links: { type: 'object', properties: { ManagerForChassis: references, ManagerForServers: references } },
    Actions: { type: 'object', properties: { '#Manager.Reset': action('ResetType') } },
    Oem: oem('VendorMgmt.v2_0_0.VendorMgmt', { Links: { type: 'object', properties: { DateTimeService: reference } } })
  }
} as const satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ManagerId'> = ({ params, uri, machine, now }) => {
  const manager = entry(machine.board.managers, params.ManagerId) ?? notFound()
  return {
    Name: manager.name,
    DateTime: now().toISOString(),
    DateTimeLocalOffset: '+00:00',
    EthernetInterfaces: link(`${uri}/EthernetInterfaces`),
    FirmwareVersion: manager.firmwareVersion,
    LogServices: link(`${uri}/LogServices`),
    ManagerType: 'BMC',
    Model: manager.model,
    NetworkProtocol: link(`${uri}/NetworkProtocol`),
    PowerState: 'On',
    ServiceEntryPointUUID: manager.serviceEntryPointUuid,
    Status: { State: 'Enabled', Health: 'OK' },
    UUID: manager.uuid,
    VirtualMedia: link(`${uri}/VirtualMedia`),
    Links: {
      ManagerForChassis: manager.chassis.map((id) => link(`/redfish/v1/Chassis/${id}`)),
      ManagerForServers: manager.systems.map((id) => link(`/redfish/v1/Systems/${id}`))
    },
    Actions: {
      '#Manager.Reset': {
        target: `${uri}/Actions/Manager.Reset/`,
        'ResetType@Redfish.AllowableValues': managerResetTypes
      }
    },
    Oem: {
      Vendor: {
        '@odata.type': '#VendorMgmt.v2_0_0.VendorMgmt',
        Links: { DateTimeService: link(`${uri}/DateTime`) }
      }
    }
  }
}
