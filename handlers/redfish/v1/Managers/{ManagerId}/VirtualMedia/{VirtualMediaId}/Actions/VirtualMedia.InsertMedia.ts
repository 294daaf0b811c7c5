import { insertMedia, transferMethods, transferProtocols } from '#data/media'
import type { Parameters, Post } from '#runtime/contract'

export const body = {
  type: 'object',
  required: ['Image'],
  properties: {
    Image: { type: 'string', maxLength: 2048 },
    Inserted: { type: 'boolean' },
    Password: { type: 'string', maxLength: 256 },
    TransferMethod: { type: 'string', enum: transferMethods },
    TransferProtocolType: { type: 'string', enum: transferProtocols },
    UserName: { type: 'string', maxLength: 256 },
    VerifyCertificate: { type: 'boolean' },
    WriteProtected: { type: 'boolean' }
  }
} as const satisfies Parameters

export const privileges = { POST: 'VirtualMediaPriv' } as const

export const POST: Post<typeof body, 'ManagerId' | 'VirtualMediaId'> = (context) =>
  insertMedia(context, context.body, 'VirtualMedia.InsertMedia')
