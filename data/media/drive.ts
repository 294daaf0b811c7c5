import { entry } from '#data/board'
import { toBase64, utf8 } from '#runtime/base/bytes.ts'
import { type Context, changed, conflict, done, event, fail, notFound, type Outcome } from '#runtime/contract'
import { display } from '#runtime/schema'
import { allowsImage, parseImage, type transferMethods } from './image.ts'
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
  readonly TransferMethod?: (typeof transferMethods)[number] | undefined
  /** The scheme of `Image`, or of one that lacks it. */
  readonly TransferProtocolType?: string | undefined
  /** Of the server of the image. */
  readonly UserName?: string | undefined
  readonly Password?: string | undefined
}

/**
 * Puts an image into a virtual drive. Where no host sees the drive, the image is not looked at.
 *
 * @param action the name that messages give it; without one the members are properties of the drive
 * @throws MessageError 400 for a URI of another scheme, or that carries a password, and for what a drive that a host
 *   sees cannot do; 409 when the drive is full
 */
export function insertMedia(context: Context<Drive, unknown>, wanted: Wanted, action?: string): Outcome {
  const { Inserted = true, WriteProtected = true, VerifyCertificate = false, TransferMethod } = wanted
  const Image = imageUri(wanted, action)
  const credentials = authorization(wanted.UserName, wanted.Password, action, 'UserName')
  const { key, seen, uri } = drive(context)
  if (seen) checkSeen(Image, context, wanted, action)
  else if (!/^https?:\/\/[^/@?#]+(\/[^@#]*)?$/i.test(Image)) wrongImage(Image, action)
  if (context.state.get('virtualMedia', key) !== undefined) fail(409, 'Base.ResourceInUse')
  const medium = {
    image: Image,
    inserted: Inserted && !seen,
    writeProtected: WriteProtected,
    verifyCertificate: VerifyCertificate,
    ...(!seen && TransferMethod && { transferMethod: TransferMethod })
  }
  const { VirtualMediaId } = context.params
  const events = [event('MgmtEvents.VirtualMediaInserted', uri, VirtualMediaId, Image)]
  const commands = [{ kind: 'insertMedia', drive: key, ...(credentials && { authorization: credentials }) }] as const
  return { ...changed({ virtualMedia: { [key]: medium } }), ...(seen && { commands }), events }
}

/** Checks a request for a drive that a host sees: an image from an allowed place, inserted at once, read-only. */
function checkSeen(
  image: string,
  { configuration }: Pick<Context, 'configuration'>,
  wanted: Wanted,
  action?: string
): void {
  const source = parseImage(image) ?? wrongImage(image, action)
  for (const parameter of ['Inserted', 'WriteProtected'] as const) {
    if (wanted[parameter] !== false) continue
    if (action === undefined) fail(400, 'Base.PropertyValueNotInList', 'false', parameter)
    fail(400, 'Base.ActionParameterValueNotInList', 'false', parameter, action)
  }
  if (!allowsImage(source, configuration.media))
    fail(400, 'Mgmt.MediaNotInserted', 'the configuration does not allow its source')
}

/** `Image` with its scheme. @throws MessageError 400 if it has another one than is said beside it */
function imageUri({ Image, TransferProtocolType }: Wanted, action = ''): string {
  if (TransferProtocolType === undefined) return Image
  const [, scheme] = /^([a-z][a-z0-9+.-]*):\/\//i.exec(Image) ?? []
  if (scheme === undefined) return `${TransferProtocolType.toLowerCase()}://${Image}`
  return scheme.toUpperCase() === TransferProtocolType
    ? Image
    : fail(400, 'Base.ActionParameterValueError', 'TransferProtocolType', action)
}

/**
 * The header for a user of the server that an image comes from (RFC 7617).
 *
 * @param parameter the name of the user in the action
 * @throws MessageError 400 for a password without a user, and for a user with a colon
 */
export function authorization(
  user: string | undefined,
  password: string | undefined,
  action = '',
  parameter = 'Username'
): string | undefined {
  if (user === undefined) {
    return password === undefined ? undefined : fail(400, 'Base.ActionParameterMissing', action, parameter)
  }
  if (user.includes(':')) fail(400, 'Base.ActionParameterValueFormatError', user, parameter, action)
  return `Basic ${toBase64(utf8(`${user}:${password ?? ''}`))}`
}

function wrongImage(image: string, action?: string): never {
  const shown = image.includes('@') ? '******' : display(image, false)
  if (action === undefined) fail(400, 'Base.PropertyValueFormatError', shown, 'Image')
  return fail(400, 'Base.ActionParameterValueFormatError', shown, 'Image', action)
}

/** The members of a drive that PATCH takes. */
interface Changes {
  readonly Image?: string | null | undefined
  readonly Inserted?: boolean | undefined
}

/**
 * Inserts an image, or empties the drive, as the properties say. Values that are already set change nothing.
 *
 * @throws MessageError as `insertMedia` does; 400 for `Inserted` without an image; 409 for `Inserted` of an empty drive
 */
export function changeMedia(context: Context<Drive, unknown>, { Image, Inserted }: Changes): Outcome {
  const { key, seen } = drive(context)
  const present = context.state.get('virtualMedia', key)
  if (Image === null && Inserted) fail(400, 'Base.PropertyValueConflict', 'Inserted', 'Image')
  if (Image === null || (Image === undefined && Inserted === false)) {
    return present === undefined ? changed({}) : ejectMedia(context)
  }
  if (Image !== undefined && Image !== present?.image) return insertMedia(context, { Image, Inserted })
  if (Inserted === undefined) return changed({})
  if (present === undefined) conflict()
  return changed(seen ? {} : { virtualMedia: { [key]: { inserted: Inserted } } })
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
