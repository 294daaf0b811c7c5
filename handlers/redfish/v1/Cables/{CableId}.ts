import { type BoardCableEnd, entry } from '#data/board'
import { chassisUri } from '#data/chassis'
import { networkAdapterUri } from '#data/network-adapters'
import { location, number, references, resource, status, text } from '#data/resource'
import { type Get, link, notFound, object, type Schema } from '#runtime/contract'

export const schema = resource('Cable.v1_2_3', 'A cable between two parts', {
  CableType: text,
  LengthMeters: number,
  Location: location,
  Manufacturer: text,
  Model: text,
  PartNumber: text,
  SerialNumber: text,
  Status: status,
  Links: object({
    DownstreamChassis: references,
    DownstreamPorts: references,
    UpstreamChassis: references,
    UpstreamPorts: references
  })
}) satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'CableId'> = ({ params, machine }) => {
  const cable = entry(machine.board.cables ?? {}, params.CableId) ?? notFound()
  const { name, type, lengthMeters, manufacturer, model, partNumber, serviceLabel, upstream, downstream } = cable
  return {
    Name: name,
    CableType: type,
    LengthMeters: lengthMeters,
    ...(serviceLabel && { Location: { PartLocation: { ServiceLabel: serviceLabel } } }),
    Manufacturer: manufacturer,
    Model: model,
    PartNumber: partNumber,
    SerialNumber: machine.serialNumber(cable),
    Links: {
      ...(downstream && {
        DownstreamChassis: [link(chassisUri(downstream.chassis))],
        DownstreamPorts: portsOf(downstream)
      }),
      ...(upstream && { UpstreamChassis: [link(chassisUri(upstream.chassis))], UpstreamPorts: portsOf(upstream) })
    }
  }
}

function portsOf({ chassis, adapter, port }: BoardCableEnd) {
  if (adapter === undefined || port === undefined) return []
  return [link(`${networkAdapterUri(chassis, adapter)}/Ports/${encodeURIComponent(port)}`)]
}
