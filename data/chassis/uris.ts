import type { BoardCable } from '#data/board'

/** The canonical URI, without a trailing slash. */
export const chassisUri = (id: string) => `/redfish/v1/Chassis/${encodeURIComponent(id)}`

export const cableUri = (id: string) => `/redfish/v1/Cables/${encodeURIComponent(id)}`

/** The chassis that a cable is a part of: the one that is nearer to the processors. */
export const cableChassis = ({ upstream, downstream }: BoardCable) => (upstream ?? downstream)?.chassis
