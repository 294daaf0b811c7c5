import { notification } from '#data/events'
import type { GetStream, Schema } from '#runtime/contract'

export const sends = notification satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

/**
 * Every event as it happens, and first those that the client says it missed (DSP0266 13.6). With `$filter` only those that
 * it lets through, and the metric reports that it asks for.
 */
export const GET: GetStream = () => ({ stream: 'events' })
