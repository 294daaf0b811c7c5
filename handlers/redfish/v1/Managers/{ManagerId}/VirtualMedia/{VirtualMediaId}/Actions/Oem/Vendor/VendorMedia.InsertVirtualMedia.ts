import { insertMedia } from '#data/media'
import { object, type Post } from '#runtime/contract'

export const body = object(['Image'], { Image: { type: 'string', maxLength: 2048 } })

export const privileges = { POST: 'VirtualMediaPriv' } as const

export const POST: Post<typeof body, 'ManagerId' | 'VirtualMediaId'> = (context) =>
  insertMedia(context, context.body, 'VendorMedia.InsertVirtualMedia')
