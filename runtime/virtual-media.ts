import { display, entry } from '#data'
import { conflict, fail, notFound } from './errors.ts'
import type { Context, Outcome } from './handler.ts'
import { changed } from './reply.ts'

type Drive = 'ManagerId' | 'VirtualMediaId'

/** What is asked to be inserted; `Inserted` and `WriteProtected` are true where nothing is said. */
interface Wanted {
  readonly Image: string
  readonly Inserted?: boolean | undefined
  readonly WriteProtected?: boolean | undefined
}

/**
 * Puts an image into a virtual drive. It is not looked at: where it is, and whether it is there, shows when a host reads.
 *
 * @param action the name that messages give it
 * @throws MessageError 400 for a URI that is not of http or https, or that carries a password; 409 when the drive is full
 */
export function insertMedia(context: Context<Drive, Wanted>, action: string): Outcome {
  const { Image, Inserted = true, WriteProtected = true } = context.body
  const key = driveKey(context)
  if (!/^https?:\/\/[^/@?#]+(\/[^@#]*)?$/i.test(Image)) {
    const shown = Image.includes('@') ? '******' : display(Image, false)
    fail(400, 'Base.ActionParameterValueFormatError', shown, 'Image', action)
  }
  if (context.state.get('virtualMedia', key) !== undefined) fail(409, 'Base.ResourceInUse')
  return changed({ virtualMedia: { [key]: { image: Image, inserted: Inserted, writeProtected: WriteProtected } } })
}

/** Empties a virtual drive. @throws MessageError 409 when it is empty */
export function ejectMedia(context: Pick<Context<Drive>, 'params' | 'machine' | 'state'>): Outcome {
  const key = driveKey(context)
  context.state.get('virtualMedia', key) ?? conflict()
  return changed({ virtualMedia: { [key]: null } })
}

function driveKey({ params, machine }: Pick<Context<Drive>, 'params' | 'machine'>): string {
  const { virtualMedia } = entry(machine.board.managers, params.ManagerId) ?? notFound()
  entry(virtualMedia, params.VirtualMediaId) ?? notFound()
  return `${params.ManagerId}/${params.VirtualMediaId}`
}
