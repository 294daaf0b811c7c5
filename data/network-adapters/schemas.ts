import { lldp } from '#data/ethernet'
import { number, reference, resource, status, text } from '#data/resource'
import { list, object } from '#runtime/schema'

const texts = list(text)

/** A port of a network adapter, or of a controller. */
export const port = resource('Port.v1_18_0', 'A network port and its link', {
  CurrentSpeedGbps: number,
  Ethernet: object({
    AssociatedMACAddresses: texts,
    LLDPEnabled: { type: 'boolean', readonly: false },
    LLDPReceive: lldp,
    LLDPTransmit: lldp
  }),
  FibreChannel: object({ AssociatedWorldWideNames: texts }),
  LinkNetworkTechnology: { type: 'string', enum: ['Ethernet', 'FibreChannel'], nullable: true, readonly: true },
  LinkStatus: { type: 'string', enum: ['LinkUp', 'LinkDown'], nullable: true, readonly: true },
  MaxSpeedGbps: number,
  Metrics: reference,
  PortId: text,
  PortProtocol: { type: 'string', enum: ['Ethernet', 'FC'], nullable: true, readonly: true },
  Status: status
})
