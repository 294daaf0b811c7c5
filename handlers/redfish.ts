import { type Get, object } from '#runtime/contract'

export const schema = object(['v1'], { v1: { type: 'string', readonly: true } })

export const plain = true

export const privileges = { GET: 'NoAuth' } as const

/** The versions of the protocol that are served (DSP0266 7.4.3). */
export const GET: Get<typeof schema> = () => ({ v1: '/redfish/v1/' })
