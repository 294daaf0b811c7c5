import { insertMedia } from '#data/media'
import type { Parameters, Post } from '#runtime/contract'

export const body = {
  type: 'object',
  required: ['Image'],
  properties: { Image: { type: 'string', maxLength: 2048 } }
} as const satisfies Parameters

export const privileges = { POST: 'VirtualMediaPriv' } as const

export const POST: Post<typeof body, 'ManagerId' | 'VirtualMediaId'> = (context) =>
  insertMedia(context, context.body, 'VendorMedia.InsertVirtualMedia')
