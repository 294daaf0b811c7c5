import { chassisUri } from '#data/chassis'
import { findNetworkPort, networkAdapterUri } from '#data/network-adapters'
import { reference, references, resource, status, text } from '#data/resource'
import { type Get, link, list, object } from '#runtime/contract'

const technology = { type: 'string', enum: ['Ethernet', 'FibreChannel'], nullable: true, readonly: true } as const

export const schema = resource('NetworkDeviceFunction.v1_11_1', 'A network function as the host sees it', {
  Ethernet: object({ MACAddress: text, PermanentMACAddress: text }),
  FibreChannel: object({ PermanentWWNN: text, PermanentWWPN: text, WWNN: text, WWPN: text }),
  NetDevFuncCapabilities: list(technology),
  NetDevFuncType: technology,
  Status: status,
  Links: object({
    EthernetInterfaces: references,
    PCIeFunction: reference,
    PhysicalNetworkPortAssignment: reference
  })
})

export const privileges = { GET: 'LoginPriv' } as const

type Path = 'ChassisId' | 'NetworkAdapterId' | 'NetworkDeviceFunctionId'

export const GET: Get<typeof schema, Path> = ({ params, machine }) => {
  const { ChassisId: chassis, NetworkAdapterId: adapter, NetworkDeviceFunctionId: id } = params
  const { number, ethernet, fibreChannel } = findNetworkPort(machine, chassis, adapter, id)
  const type = ethernet ? 'Ethernet' : 'FibreChannel'
  return {
    Name: `Network function ${id}`,
    ...(ethernet && { Ethernet: { MACAddress: ethernet.mac, PermanentMACAddress: ethernet.mac } }),
    ...(fibreChannel && {
      FibreChannel: {
        PermanentWWNN: fibreChannel.wwnn,
        PermanentWWPN: fibreChannel.wwpn,
        WWNN: fibreChannel.wwnn,
        WWPN: fibreChannel.wwpn
      }
    }),
    NetDevFuncCapabilities: [type],
    NetDevFuncType: type,
    Links: {
      ...(ethernet && { EthernetInterfaces: [link(ethernet.uri)] }),
      PCIeFunction: link(`${chassisUri(chassis)}/PCIeDevices/${encodeURIComponent(adapter)}/PCIeFunctions/${number}`),
      PhysicalNetworkPortAssignment: link(`${networkAdapterUri(chassis, adapter)}/Ports/${encodeURIComponent(id)}`)
    }
  }
}
