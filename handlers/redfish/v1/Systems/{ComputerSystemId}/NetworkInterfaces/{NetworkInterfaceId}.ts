import { adaptersOf, findNetworkAdapter, networkAdapterUri } from '#data/network-adapters'
import { reference, resource, status } from '#data/resource'
import { type Get, link, notFound, type Schema } from '#runtime/contract'

export const schema = {
  title: '#NetworkInterface.v1_2_3.NetworkInterface',
  description: 'A network adapter as a system uses it',
  type: 'object',
  required: resource.required,
  properties: {
    ...resource.properties,
    NetworkDeviceFunctions: reference,
    Ports: reference,
    Status: status,
    Links: { type: 'object', properties: { NetworkAdapter: reference } }
  }
} as const satisfies Schema

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
