import {
  action,
  asset,
  type BoardSystem,
  bootOrder,
  bootOverrides,
  bootTargets,
  entry,
  memoryGiB,
  oem,
  powerState,
  pushTypes,
  reference,
  references,
  resetTypes,
  resource,
  status,
  systemResetTypes,
  systemSettings,
  text
} from '#data'
import {
  bootOptions,
  changed,
  fail,
  type Get,
  link,
  mergeArray,
  notFound,
  type Patch,
  type Schema,
  setBootOrder,
  storedBootOrder
} from '#runtime'

const allowable = { type: 'array', items: { type: 'string' }, readonly: true } as const

export const schema = {
  title: '#ComputerSystem.v1_22_0.ComputerSystem',
  type: 'object',
  required: resource.required,
  properties: {
    ...resource.properties,
    ...asset,
    AssetTag: { type: 'string', maxLength: 63, readonly: false },
    Bios: reference,
    BiosVersion: text,
    Boot: {
      type: 'object',
      properties: {
        BootOptions: reference,
        BootOrder: { type: 'array', items: { type: 'string' }, readonly: false },
        BootSourceOverrideEnabled: { type: 'string', enum: bootOverrides, readonly: false },
        BootSourceOverrideMode: { type: 'string', enum: ['UEFI'], readonly: false },
        'BootSourceOverrideMode@Redfish.AllowableValues': allowable,
        BootSourceOverrideTarget: { type: 'string', enum: bootTargets, readonly: false },
        'BootSourceOverrideTarget@Redfish.AllowableValues': allowable,
        UefiTargetBootSourceOverride: { type: 'string', nullable: true, readonly: false },
        'UefiTargetBootSourceOverride@Redfish.AllowableValues': allowable
      }
    },
    EthernetInterfaces: reference,
    LogServices: reference,
    Memory: reference,
    MemorySummary: {
      type: 'object',
      properties: { TotalSystemMemoryGiB: { type: 'number', nullable: true, readonly: true }, Status: status }
    },
    PowerState: powerState,
    ProcessorSummary: {
      type: 'object',
      properties: { Count: { type: 'integer', nullable: true, readonly: true }, Model: text, Status: status }
    },
    Processors: reference,
    SecureBoot: reference,
    Status: status,
    Storage: reference,
    SystemType: { type: 'string', enum: ['Physical'], readonly: true },
    TrustedModules: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          FirmwareVersion: text,
          InterfaceType: { type: 'string', enum: ['TPM2_0'], nullable: true, readonly: true },
          Status: status
        }
      }
    },
    UUID: { type: 'string', format: 'uuid', nullable: true, readonly: true },
    Links: { type: 'object', properties: { Chassis: references, ManagedBy: references } },
    Actions: { type: 'object', properties: { '#ComputerSystem.Reset': action('ResetType') } },
    Oem: oem('VendorComputerSystemExt.v2_0_0.VendorComputerSystemExt', {
      Actions: {
        type: 'object',
        properties: {
          '#VendorComputerSystemExt.PowerButton': action('PushType'),
          '#VendorComputerSystemExt.SystemReset': action('ResetType')
        }
      }
    })
  }
} as const satisfies Schema

export const privileges = { GET: 'LoginPriv', PATCH: 'HostBIOSConfigPriv' } as const

const conditions = { On: 'Enabled', PoweringOn: 'Starting', PoweringOff: 'Enabled', Off: 'StandbyOffline' } as const

export const GET: Get<typeof schema, 'ComputerSystemId'> = ({ params, uri, machine, state }) => {
  const system = entry(machine.board.systems, params.ComputerSystemId) ?? notFound()
  const settings = systemSettings(state.get('system', params.ComputerSystemId))
  const options = bootOptions(machine, params.ComputerSystemId)
  const power = machine.power(params.ComputerSystemId)
  const processors = Object.values(system.processors)
  return {
    Name: system.name,
    AssetTag: settings.assetTag,
    Bios: link(`${uri}/Bios`),
    BiosVersion: system.biosVersion,
    Boot: {
      BootOptions: link(`${uri}/BootOptions`),
      BootOrder: bootOrder(options, storedBootOrder(machine, params.ComputerSystemId) ?? settings.bootOrder),
      BootSourceOverrideEnabled: settings.bootOverrideEnabled,
      BootSourceOverrideMode: 'UEFI',
      'BootSourceOverrideMode@Redfish.AllowableValues': ['UEFI'],
      BootSourceOverrideTarget: settings.bootOverrideTarget,
      'BootSourceOverrideTarget@Redfish.AllowableValues': bootTargets,
      UefiTargetBootSourceOverride: settings.bootOverrideUefiTarget,
      'UefiTargetBootSourceOverride@Redfish.AllowableValues': options.map((each) => each.uefiDevicePath)
    },
    EthernetInterfaces: link(`${uri}/EthernetInterfaces`),
    LogServices: link(`${uri}/LogServices`),
    Manufacturer: system.manufacturer,
    Memory: link(`${uri}/Memory`),
    MemorySummary: { TotalSystemMemoryGiB: memoryGiB(system.memory), Status: { State: 'Enabled', Health: 'OK' } },
    Model: system.model,
    PartNumber: system.partNumber,
    PowerState: power,
    ProcessorSummary: {
      Count: processors.length,
      Model: processors[0]?.model ?? null,
      Status: { State: 'Enabled', Health: 'OK' }
    },
    Processors: link(`${uri}/Processors`),
    SKU: system.sku,
    SecureBoot: link(`${uri}/SecureBoot`),
    SerialNumber: system.serialNumber,
    Status: { State: conditions[power], Health: 'OK' },
    Storage: link(`${uri}/Storage`),
    SystemType: 'Physical',
    TrustedModules: system.trustedModule === undefined ? [] : [trustedModule(system.trustedModule)],
    UUID: system.uuid,
    Links: {
      Chassis: system.chassis.map((id) => link(`/redfish/v1/Chassis/${id}`)),
      ManagedBy: [link(`/redfish/v1/Managers/${system.manager}`)]
    },
    Actions: {
      '#ComputerSystem.Reset': {
        target: `${uri}/Actions/ComputerSystem.Reset/`,
        'ResetType@Redfish.AllowableValues': resetTypes
      }
    },
    Oem: {
      Vendor: {
        '@odata.type': '#VendorComputerSystemExt.v2_0_0.VendorComputerSystemExt',
        Actions: {
          '#VendorComputerSystemExt.PowerButton': {
            target: `${uri}/Actions/Oem/Vendor/VendorComputerSystemExt.PowerButton/`,
            'PushType@Redfish.AllowableValues': pushTypes
          },
          '#VendorComputerSystemExt.SystemReset': {
            target: `${uri}/Actions/Oem/Vendor/VendorComputerSystemExt.SystemReset/`,
            'ResetType@Redfish.AllowableValues': systemResetTypes
          }
        }
      }
    }
  }
}

function trustedModule({ firmwareVersion }: NonNullable<BoardSystem['trustedModule']>) {
  const Status = { State: 'Enabled', Health: 'OK' } as const
  return { FirmwareVersion: firmwareVersion, InterfaceType: 'TPM2_0', Status } as const
}

export const PATCH: Patch<typeof schema, 'ComputerSystemId'> = ({ params, body, machine, state }) => {
  entry(machine.board.systems, params.ComputerSystemId) ?? notFound()
  const options = bootOptions(machine, params.ComputerSystemId)
  const before = systemSettings(state.get('system', params.ComputerSystemId))
  const { BootOrder, BootSourceOverrideEnabled, BootSourceOverrideTarget, UefiTargetBootSourceOverride } =
    body.Boot ?? {}
  const present = bootOrder(options, storedBootOrder(machine, params.ComputerSystemId) ?? before.bootOrder)
  const order = BootOrder && mergeArray(present, BootOrder)
  if (order !== undefined) checkOrder(order, present)
  const path = UefiTargetBootSourceOverride
  if (path != null && !options.some((each) => each.uefiDevicePath === path)) {
    fail(400, 'Base.PropertyValueNotInList', path, 'UefiTargetBootSourceOverride')
  }
  const target = BootSourceOverrideTarget ?? before.bootOverrideTarget
  if (target === 'UefiTarget' && (path === undefined ? before.bootOverrideUefiTarget : path) === null) {
    fail(400, 'Base.PropertyValueConflict', 'BootSourceOverrideTarget', 'UefiTargetBootSourceOverride')
  }
  return changed({
    system: {
      [params.ComputerSystemId]: {
        assetTag: body.AssetTag,
        bootOrder: order,
        bootOverrideEnabled: BootSourceOverrideEnabled,
        bootOverrideTarget: BootSourceOverrideTarget,
        bootOverrideUefiTarget: path
      }
    },
    ...(order && { variable: setBootOrder(machine, params.ComputerSystemId, order).variable })
  })
}

/** A boot order names each boot option once. */
function checkOrder(order: readonly string[], options: readonly string[]): void {
  const unknown = order.find((each) => !options.includes(each))
  if (unknown !== undefined) fail(400, 'Base.PropertyValueNotInList', unknown, 'BootOrder')
  if (order.length !== options.length || new Set(order).size !== order.length) {
    fail(400, 'Base.PropertyValueIncorrect', 'BootOrder', order.join(', '))
  }
}
