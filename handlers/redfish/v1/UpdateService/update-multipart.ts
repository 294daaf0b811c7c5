import { beginUpload, updateParameters } from '#data/updates'
import type { Parameters, Post } from '#runtime/contract'

/** An update file with its parameters (DSP0266 12.2.2). */
export const upload = 'multipart'

export const body = { type: 'object', properties: updateParameters } as const satisfies Parameters

export const privileges = { POST: ['MgmtConfigPriv', 'HostBIOSConfigPriv'] } as const

export const POST: Post<typeof body> = (context) => beginUpload(context, context.body)
