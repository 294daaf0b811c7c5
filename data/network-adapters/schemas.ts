import { number, resource, status, text } from '#data/resource'

const texts = { type: 'array', items: text, readonly: true } as const

/** A port of a network adapter. */
export const port = {
  title: '#Port.v1_18_0.Port',
  description: 'A network port and its link',
  type: 'object',
  required: resource.required,
  properties: {
    ...resource.properties,
    CurrentSpeedGbps: number,
    Ethernet: { type: 'object', properties: { AssociatedMACAddresses: texts } },
    FibreChannel: { type: 'object', properties: { AssociatedWorldWideNames: texts } },
    LinkNetworkTechnology: { type: 'string', enum: ['Ethernet', 'FibreChannel'], nullable: true, readonly: true },
    LinkStatus: { type: 'string', enum: ['LinkUp', 'LinkDown'], nullable: true, readonly: true },
    MaxSpeedGbps: number,
    PortId: text,
    PortProtocol: { type: 'string', enum: ['Ethernet', 'FC'], nullable: true, readonly: true },
    Status: status
  }
} as const
