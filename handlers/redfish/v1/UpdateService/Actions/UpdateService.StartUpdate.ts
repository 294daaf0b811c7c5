import { startWaiting } from '#data/updates'
import { changed, type Parameters, type Post } from '#runtime/contract'

export const body = { type: 'object', properties: {} } as const satisfies Parameters

export const privileges = { POST: 'MgmtConfigPriv' } as const

/** Begins all updates that wait for it. */
export const POST: Post<typeof body> = ({ state }) => changed(startWaiting(state))
