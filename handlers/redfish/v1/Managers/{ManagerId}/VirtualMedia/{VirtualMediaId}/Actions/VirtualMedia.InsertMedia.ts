import { insertMedia, transferMethods, transferProtocols } from '#data/media'
import { object, type Post } from '#runtime/contract'

export const body = object(['Image'], {
  Image: { type: 'string', maxLength: 2048 },
  Inserted: { type: 'boolean' },
  Password: { type: 'string', maxLength: 256 },
  TransferMethod: { type: 'string', enum: transferMethods },
  TransferProtocolType: { type: 'string', enum: transferProtocols },
  UserName: { type: 'string', maxLength: 256 },
  VerifyCertificate: { type: 'boolean' },
  WriteProtected: { type: 'boolean' }
})

export const privileges = { POST: 'VirtualMediaPriv' } as const

export const POST: Post<typeof body, 'ManagerId' | 'VirtualMediaId'> = (context) =>
  insertMedia(context, context.body, 'VirtualMedia.InsertMedia')
