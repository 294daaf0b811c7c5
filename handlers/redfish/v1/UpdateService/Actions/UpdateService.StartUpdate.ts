import { startWaiting } from '#data/updates'
import { changed, object, type Post } from '#runtime/contract'

export const body = object({})

export const privileges = { POST: ['MgmtConfigPriv', 'HostBIOSConfigPriv'] } as const

/** Begins all updates that wait for it, and that the caller may make. */
export const POST: Post<typeof body> = (context) => changed(startWaiting(context))
