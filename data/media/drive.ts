import { entry } from '#data/board'
import { type Context, changed, conflict, display, done, event, fail, notFound, type Outcome } from '#runtime/contract'
import { allowsImage, parseImage } from './image.ts'
import { driveUri } from './uris.ts'

declare module '#runtime/contract' {
  interface Commands {
    /** To let a host see what the record of a drive (`<manager>/<drive>`) says. */
    insertMedia: {
      readonly drive: string
      /** The header of this name, for the server of the image. It is kept nowhere. */
      readonly authorization?: string
    }
    /** To empty a drive and to end its record. */
    ejectMedia: { readonly drive: string }
  }
}

type Drive = 'ManagerId' | 'VirtualMediaId'

/** The body of a request to insert an image; `Inserted` and `WriteProtected` default to true. */
interface Wanted {
  readonly Image: string
  readonly Inserted?: boolean | undefined
  readonly WriteProtected?: boolean | undefined
  /** False where nothing is said. */
  readonly VerifyCertificate?: boolean | undefined
  /** The scheme of `Image`, or of one that lacks it. */
  readonly TransferProtocolType?: string | undefined
  /** Of the server of the image. */
  readonly UserName?: string | undefined
  readonly Password?: string | undefined
}

/**
 * Puts an image into a virtual drive. Where no host sees the drive, the image is not looked at.
 *
 * @param action the name that messages give it
 * @throws MessageError 400 for a URI of another scheme, or that carries a password, and for what a drive that a host
 *   sees cannot do; 409 when the drive is full
 */
export function insertMedia(context: Context<Drive, Wanted>, action: string): Outcome {
  const { Inserted = true, WriteProtected = true, VerifyCertificate = false } = context.body
  const Image = imageUri(context.body, action)
  const authorization = basic(context.body, action)
  const { key, seen, uri } = drive(context)
  if (seen) checkSeen(Image, context, action)
  else if (!/^https?:\/\/[^/@?#]+(\/[^@#]*)?$/i.test(Image)) wrongImage(Image, action)
  if (context.state.get('virtualMedia', key) !== undefined) fail(409, 'Base.ResourceInUse')
  const medium = {
    image: Image,
    inserted: Inserted && !seen,
    writeProtected: WriteProtected,
    verifyCertificate: VerifyCertificate
  }
  const { VirtualMediaId } = context.params
  const events = [event('MgmtEvents.VirtualMediaInserted', uri, VirtualMediaId, Image)]
  const commands = [{ kind: 'insertMedia', drive: key, ...(authorization && { authorization }) }] as const
  return { ...changed({ virtualMedia: { [key]: medium } }), ...(seen && { commands }), events }
}

/** Checks a request for a drive that a host sees: an image from an allowed place, inserted at once, read-only. */
function checkSeen(image: string, { body, configuration }: Context<Drive, Wanted>, action: string): void {
  const source = parseImage(image) ?? wrongImage(image, action)
  for (const parameter of ['Inserted', 'WriteProtected'] as const) {
    if (body[parameter] === false) fail(400, 'Base.ActionParameterValueNotInList', 'false', parameter, action)
  }
  if (!allowsImage(source, configuration.media)) fail(400, 'Mgmt.MediaNotInserted', 'images may not come from there')
}

/** `Image` with its scheme. @throws MessageError 400 where it has another one than is said beside it */
function imageUri({ Image, TransferProtocolType }: Wanted, action: string): string {
  if (TransferProtocolType === undefined) return Image
  const [, scheme] = /^([a-z][a-z0-9+.-]*):\/\//i.exec(Image) ?? []
  if (scheme === undefined) return `${TransferProtocolType.toLowerCase()}://${Image}`
  return scheme.toUpperCase() === TransferProtocolType
    ? Image
    : fail(400, 'Base.ActionParameterValueError', 'TransferProtocolType', action)
}

/**
 * The header for a user of the server (RFC 7617).
 *
 * @throws MessageError 400 for a password without a user, and for a user with a colon
 */
function basic({ UserName, Password }: Wanted, action: string): string | undefined {
  if (UserName === undefined) {
    return Password === undefined ? undefined : fail(400, 'Base.ActionParameterMissing', action, 'UserName')
  }
  if (UserName.includes(':')) fail(400, 'Base.ActionParameterValueFormatError', UserName, 'UserName', action)
  const credentials = new TextEncoder().encode(`${UserName}:${Password ?? ''}`)
  return `Basic ${btoa(String.fromCharCode(...credentials))}`
}

function wrongImage(image: string, action: string): never {
  const shown = image.includes('@') ? '******' : display(image, false)
  return fail(400, 'Base.ActionParameterValueFormatError', shown, 'Image', action)
}

/** Empties a virtual drive. @throws MessageError 409 when it is empty */
export function ejectMedia(context: Pick<Context<Drive>, 'params' | 'machine' | 'state'>): Outcome {
  const { key, seen, uri } = drive(context)
  context.state.get('virtualMedia', key) ?? conflict()
  const events = [event('MgmtEvents.VirtualMediaEjected', uri, context.params.VirtualMediaId)]
  if (seen) return { ...done([{ kind: 'ejectMedia', drive: key }]), events }
  return { ...changed({ virtualMedia: { [key]: null } }), events }
}

/** The key of a drive's record, its URI, and whether a host sees what is in the drive. */
function drive({ params, machine }: Pick<Context<Drive>, 'params' | 'machine'>) {
  const { virtualMedia } = machine.manager(params.ManagerId)
  const { media } = entry(virtualMedia, params.VirtualMediaId) ?? notFound()
  const { ManagerId, VirtualMediaId } = params
  return {
    key: `${ManagerId}/${VirtualMediaId}`,
    uri: driveUri(ManagerId, VirtualMediaId),
    seen: media !== undefined
  }
}
