import { adaptersOf, findNetworkAdapter, networkAdapterUri } from '#data/network-adapters'
import { reference, resource, status } from '#data/resource'
import { type Get, link, notFound, object } from '#runtime/contract'

export const schema = resource('NetworkInterface.v1_2_3', 'A network adapter as a system uses it', {
  NetworkDeviceFunctions: reference,
  Ports: reference,
  Status: status,
  Links: object({ NetworkAdapter: reference })
})

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ComputerSystemId' | 'NetworkInterfaceId'> = ({ params, machine }) => {
  const adapters = adaptersOf(machine, params.ComputerSystemId)
  const { chassis, id } = adapters.find(({ id }) => id === params.NetworkInterfaceId) ?? notFound()
  const uri = networkAdapterUri(chassis, id)
  return {
    Name: findNetworkAdapter(machine, chassis, id).name,
    NetworkDeviceFunctions: link(`${uri}/NetworkDeviceFunctions`),
    Ports: link(`${uri}/Ports`),
    Links: { NetworkAdapter: link(uri) }
  }
}
