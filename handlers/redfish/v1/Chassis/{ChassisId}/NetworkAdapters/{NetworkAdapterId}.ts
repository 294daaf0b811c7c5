import { pcieGenerations } from '#data/board'
import { chassisUri } from '#data/chassis'
import { findNetworkAdapter } from '#data/network-adapters'
import { asset, child, integer, location, references, resource, status, text } from '#data/resource'
import { type Get, list, members, object } from '#runtime/contract'

export const schema = resource('NetworkAdapter.v1_14_0', 'A card with network ports', {
  ...asset,
  Controllers: list(
    object({
      ControllerCapabilities: object({ NetworkDeviceFunctionCount: integer, NetworkPortCount: integer }),
      FirmwarePackageVersion: text,
      PCIeInterface: object({
        LanesInUse: integer,
        PCIeType: { type: 'string', enum: pcieGenerations, nullable: true, readonly: true }
      }),
      Links: object({ NetworkDeviceFunctions: references, PCIeDevices: references, Ports: references })
    })
  ),
  Location: location,
  NetworkDeviceFunctions: child('NetworkDeviceFunctions'),
  Ports: child('Ports'),
  Status: status
})

export const privileges = { GET: 'LoginPriv' } as const

/** A card is one controller, and the host uses each port by a function of its own, which has the id of the port. */
export const GET: Get<typeof schema, 'ChassisId' | 'NetworkAdapterId'> = ({ params, uri, machine }) => {
  const { ChassisId: chassis, NetworkAdapterId: id } = params
  const adapter = findNetworkAdapter(machine, chassis, id)
  const slot = machine.chassis(chassis).pcieSlots.find((each) => each.device === id)
  const ports = Object.keys(adapter.ports)
  return {
    Name: adapter.name,
    Controllers: [
      {
        ControllerCapabilities: { NetworkDeviceFunctionCount: ports.length, NetworkPortCount: ports.length },
        FirmwarePackageVersion: adapter.firmwareVersion,
        PCIeInterface: { LanesInUse: adapter.lanes, PCIeType: adapter.generation },
        Links: {
          NetworkDeviceFunctions: members(`${uri}/NetworkDeviceFunctions`, ports).Members,
          PCIeDevices: members(`${chassisUri(chassis)}/PCIeDevices`, [id]).Members,
          Ports: members(`${uri}/Ports`, ports).Members
        }
      }
    ],
    ...(slot && { Location: { PartLocation: { ServiceLabel: slot.label } } }),
    Manufacturer: adapter.manufacturer,
    Model: adapter.model,
    PartNumber: adapter.partNumber,
    SerialNumber: machine.serialNumber(adapter)
  }
}
