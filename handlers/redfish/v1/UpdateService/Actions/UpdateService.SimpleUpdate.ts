import { allowsImage, authorization, parseImage } from '#data/media'
import { beginFetch, updateParameters } from '#data/updates'
import { fail, object, type Post } from '#runtime/contract'

const action = 'UpdateService.SimpleUpdate'

export const body = object(['ImageURI'], {
  ...updateParameters,
  ImageURI: { type: 'string', maxLength: 2048 },
  Password: { type: 'string', maxLength: 256 },
  TransferProtocol: { type: 'string', enum: ['HTTPS'] },
  Username: { type: 'string', maxLength: 256 }
})

export const privileges = { POST: ['MgmtConfigPriv', 'HostBIOSConfigPriv'] } as const

/** The file comes by the rules of virtual media, but never from a folder of the controller. */
export const POST: Post<typeof body> = (context) => {
  const { ImageURI, Username, Password, TransferProtocol } = context.body
  const uri = TransferProtocol !== undefined && !ImageURI.includes('://') ? `https://${ImageURI}` : ImageURI
  const source = parseImage(uri)
  if (source === undefined || 'file' in source) {
    const shown = ImageURI.includes('@') ? '******' : ImageURI.slice(0, 64)
    fail(400, 'Base.ActionParameterValueFormatError', shown, 'ImageURI', action)
  }
  if (!allowsImage(source, context.configuration.media)) {
    fail(400, 'Mgmt.UpdateFileRefused', 'the configuration does not allow its source')
  }
  return beginFetch(context, uri, context.body, authorization(Username, Password, action))
}
