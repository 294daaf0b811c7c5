import { startWaiting } from '#data/updates'
import { changed, type Parameters, type Post } from '#runtime/contract'

export const body = { type: 'object', properties: {} } as const satisfies Parameters

export const privileges = { POST: ['MgmtConfigPriv', 'HostBIOSConfigPriv'] } as const

/** Begins all updates that wait for it, and that the caller may make. */
export const POST: Post<typeof body> = (context) => changed(startWaiting(context))
