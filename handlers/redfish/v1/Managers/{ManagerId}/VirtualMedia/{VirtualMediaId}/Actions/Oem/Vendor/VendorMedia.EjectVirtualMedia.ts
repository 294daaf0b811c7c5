import { ejectMedia } from '#data/media'
import { object, type Post } from '#runtime/contract'

export const body = object({})

export const privileges = { POST: 'VirtualMediaPriv' } as const

export const POST: Post<typeof body, 'ManagerId' | 'VirtualMediaId'> = (context) => ejectMedia(context)
