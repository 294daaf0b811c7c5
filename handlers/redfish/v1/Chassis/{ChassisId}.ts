import { type BoardChassis, chassisTypes } from '#data/board'
import {
  changedPlace,
  changeIndicator,
  chassisUri,
  indicator,
  place,
  showIndicator,
  showPlace,
  trustedSystems
} from '#data/chassis'
import { managerUri } from '#data/manager'
import { networkAdapterIds } from '#data/network-adapters'
import { asset, child, oem, powerState, reference, references, resource, status, text } from '#data/resource'
import { fanUri, powerSupplyUri } from '#data/sensors'
import { systemUri } from '#data/system'
import { changed, type Get, type Infer, link, object, type Patch } from '#runtime/contract'

const lamp = { type: 'string', enum: ['Off', 'Lit', 'Blinking'], nullable: true, readonly: true } as const

export const schema = resource('Chassis.v1_22_0', 'An enclosure with its sensors and parts', ['ChassisType'], {
  ...asset,
  Assembly: reference,
  AssetTag: { type: 'string', maxLength: 63, readonly: false },
  ChassisType: { type: 'string', enum: chassisTypes, readonly: true },
  ...indicator,
  Controls: child('Controls'),
  Drives: child('Drives'),
  EnvironmentMetrics: child('EnvironmentMetrics'),
  Location: place,
  NetworkAdapters: reference,
  PCIeDevices: child('PCIeDevices'),
  PCIeSlots: child('PCIeSlots'),
  Power: child('Power'),
  PowerState: powerState,
  PowerSubsystem: child('PowerSubsystem'),
  Sensors: child('Sensors'),
  SparePartNumber: text,
  Status: status,
  Thermal: child('Thermal'),
  ThermalSubsystem: child('ThermalSubsystem'),
  TrustedComponents: reference,
  UUID: { type: 'string', format: 'uuid', nullable: true, readonly: true },
  Links: object({
    ComputerSystems: references,
    ContainedBy: object({ '@odata.id': { type: 'string', readonly: true } }),
    Contains: references,
    CooledBy: references,
    ManagedBy: references,
    PoweredBy: references
  }),
  Oem: oem('VendorServerChassis.v2_0_0', {
    EnclosureIndicatorLED: lamp,
    EnclosureModel: text,
    EnclosureUUID: text,
    OnboardAdministrator: object({
      IPv4Address: text,
      IPv6: { type: 'object', properties: {}, additionalProperties: { type: ['string', 'null'] } },
      MacAddress: text
    })
  })
})

export const privileges = { GET: 'LoginPriv', PATCH: 'MgmtConfigPriv' } as const

export const GET: Get<typeof schema, 'ChassisId'> = ({ params, uri, machine, state }) => {
  const { board } = machine
  const chassis = machine.chassis(params.ChassisId)
  const system = chassis.systems[0]
  const led = machine.indicator(params.ChassisId)
  const { assetTag = chassis.assetTag ?? '', place } = state.get('chassis', params.ChassisId) ?? {}
  const contained = Object.keys(board.chassis).filter((id) => board.chassis[id]?.containedBy === params.ChassisId)
  return {
    Name: chassis.name,
    ...(chassis.assemblies && { Assembly: link(`${uri}/Assembly`) }),
    AssetTag: assetTag,
    ChassisType: chassis.type,
    ...showIndicator(led),
    Location: showPlace(place, chassis.serviceLabel),
    Manufacturer: chassis.manufacturer,
    Model: chassis.model,
    ...(networkAdapterIds(chassis).length > 0 && { NetworkAdapters: link(`${uri}/NetworkAdapters`) }),
    PartNumber: chassis.partNumber,
    PowerState: system === undefined ? 'On' : (machine.power(system) ?? null),
    SKU: chassis.sku,
    SerialNumber: chassis.serialNumber,
    SparePartNumber: chassis.sparePartNumber,
    ...(trustedSystems(machine, params.ChassisId).length > 0 && {
      TrustedComponents: link(`${uri}/TrustedComponents`)
    }),
    ...(chassis.systems.length === 1 && system !== undefined && { UUID: machine.system(system).uuid }),
    Links: {
      ComputerSystems: chassis.systems.map((id) => link(systemUri(id))),
      ...(chassis.containedBy !== undefined && { ContainedBy: link(chassisUri(chassis.containedBy)) }),
      Contains: contained.map((id) => link(chassisUri(id))),
      CooledBy: chassis.fans.map((fan) => link(fanUri(params.ChassisId, fan))),
      ManagedBy: chassis.managers.map((id) => link(managerUri(id))),
      PoweredBy: chassis.powerSupplies.map((supply) => link(powerSupplyUri(params.ChassisId, supply)))
    },
    ...(chassis.enclosure !== undefined && { Oem: { Vendor: enclosure(chassis.enclosure, led) } })
  }
}

export const PATCH: Patch<typeof schema, 'ChassisId'> = ({ params, body, machine, state }) => {
  machine.chassis(params.ChassisId)
  const { AssetTag: assetTag, Location } = body
  const { writes, commands } = changeIndicator(params.ChassisId, body)
  const place = Location && changedPlace(state.get('chassis', params.ChassisId)?.place, Location)
  if (assetTag === undefined && place === undefined) return changed(writes, ...commands)
  const record = { ...writes.chassis?.[params.ChassisId], assetTag, place }
  return changed({ chassis: { [params.ChassisId]: record } }, ...commands)
}

function enclosure(
  { model, uuid, onboardAdministrator }: NonNullable<BoardChassis['enclosure']>,
  led: Infer<typeof lamp>
) {
  const { ipv4, ipv6, mac } = onboardAdministrator
  return {
    EnclosureIndicatorLED: led,
    EnclosureModel: model,
    EnclosureUUID: uuid,
    OnboardAdministrator: { IPv4Address: ipv4, IPv6: ipv6, MacAddress: mac }
  }
}
