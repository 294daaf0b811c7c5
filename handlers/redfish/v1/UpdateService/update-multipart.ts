import { beginUpload, updateParameters } from '#data/updates'
import { object, type Post } from '#runtime/contract'

/** An update file with its parameters (DSP0266 12.2.2). */
export const upload = 'multipart'

export const body = object(updateParameters)

export const privileges = { POST: ['MgmtConfigPriv', 'HostBIOSConfigPriv'] } as const

export const POST: Post<typeof body> = (context) => beginUpload(context, context.body)
