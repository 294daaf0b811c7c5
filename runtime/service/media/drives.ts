import { existsSync, lstatSync, readdirSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Configuration } from '#data/configuration'
import { parseImage, type VirtualMedia } from '#data/media'
import { HalError } from '#hal/errors.ts'
import type { Media } from '#hal/media.ts'
import { type Command, MessageError, message } from '#runtime/contract'
import type { Store } from '#runtime/store/store.ts'
import { explain } from '../machine/machine.ts'
import { Transfer, TransferError } from './transfer.ts'

/**
 * Virtual drives that a host sees. What clients insert is a record first, which says that it is inserted once it is:
 * the image has been fetched, and the drive has it.
 */
export class Drives {
  readonly #store: Store
  readonly #drives: ReadonlyMap<string, Media>
  readonly #settings: Configuration['media']
  /** The folder of downloaded images. */
  readonly #directory: string
  /** Insertions under way, each with what ends its transfer. */
  readonly #insertions = new Map<string, { cancel(reason: string): void; readonly done: Promise<void> }>()

  /** @param directory is made with the first image */
  constructor(store: Store, drives: ReadonlyMap<string, Media>, settings: Configuration['media'], directory: string) {
    this.#store = store
    this.#drives = drives
    this.#settings = settings
    this.#directory = resolve(directory)
  }

  /** Brings the drives, the records and the images that are kept into line: an earlier process may have been cut off. */
  async open(): Promise<void> {
    if (this.#drives.size === 0) return
    for (const [drive, media] of this.#drives) {
      await this.#restore(drive, media).catch((error: Error) => {
        this.#store.log.error('a virtual drive was not restored', { drive, cause: error.message })
      })
    }
    if (!existsSync(this.#directory)) return
    const kept = new Set([...this.#drives.values()].flatMap(({ image }) => image ?? []))
    for (const name of readdirSync(this.#directory)) {
      if (!kept.has(`${this.#directory}/${name}`)) rmSync(`${this.#directory}/${name}`, { force: true })
    }
  }

  /** @throws MessageError 400 for an image that does not arrive, or is invalid; 503 when the drive fails */
  async perform(command: Command<'insertMedia' | 'ejectMedia'>): Promise<void> {
    const { drive } = command
    const media = this.#drives.get(drive)
    if (media === undefined) throw new RangeError(`no drive ${drive}`)
    if (command.kind === 'ejectMedia') await this.#eject(drive, media)
    else await this.#insert(drive, media, command.authorization)
  }

  /** Ends what is under way. */
  async close(): Promise<void> {
    for (const { cancel } of this.#insertions.values()) cancel('the service is stopping')
    await Promise.all([...this.#insertions.values()].map(({ done }) => done))
  }

  async #insert(drive: string, media: Media, authorization?: string): Promise<void> {
    const record = this.#store.get('virtualMedia', drive)
    if (record === undefined) throw failed('it was ejected meanwhile')
    const file = this.#fileOf(drive, record)
    let ended: string | undefined
    let transfer: Transfer | undefined
    const work = async () => {
      try {
        transfer = this.#transfer(record, file, authorization)
        await transfer?.run()
        if (ended !== undefined) throw new TransferError(ended)
        this.#checkFile(record, file)
        await media.insert(file)
        await this.#store.commit({ virtualMedia: { [drive]: { inserted: true } } })
      } catch (error) {
        await this.#forget(drive, record)
        throw refusal(error as Error, drive, this.#store)
      }
    }
    const cancel = (reason: string) => {
      ended = reason
      transfer?.cancel(reason)
    }
    const working = work()
    const done = working.catch(() => undefined)
    this.#insertions.set(drive, { cancel, done })
    try {
      await working
    } finally {
      this.#insertions.delete(drive)
    }
  }

  async #eject(drive: string, media: Media): Promise<void> {
    const under = this.#insertions.get(drive)
    under?.cancel('it was ejected meanwhile')
    await under?.done
    const record = this.#store.get('virtualMedia', drive)
    try {
      await media.eject()
    } catch (error) {
      throw explain(error as HalError, { kind: 'ejectMedia', drive }, this.#store.log)
    }
    if (record !== undefined) await this.#forget(drive, record)
  }

  async #restore(drive: string, media: Media): Promise<void> {
    const record = this.#store.get('virtualMedia', drive)
    const file = record?.inserted ? this.#fileOf(drive, record) : undefined
    if (file !== undefined && existsSync(file)) {
      if (media.image !== file) await media.insert(file)
      return
    }
    if (record !== undefined)
      this.#store.log.warning('the image of a virtual drive is missing', { drive, image: record.image })
    await media.eject()
    if (record !== undefined) await this.#store.commit({ virtualMedia: { [drive]: null } })
  }

  /** Takes away what was fetched, then the record: on a full disk the record takes the room of the image. */
  async #forget(drive: string, record: VirtualMedia): Promise<void> {
    const file = this.#fileOf(drive, record)
    if (file.startsWith(`${this.#directory}/`)) rmSync(file, { force: true })
    await this.#store.commit({ virtualMedia: { [drive]: null } })
  }

  #fileOf(drive: string, { image }: VirtualMedia): string {
    const source = parseImage(image)
    return source !== undefined && 'file' in source ? source.file : `${this.#directory}/${drive.replace('/', '-')}.iso`
  }

  #transfer({ image, verifyCertificate }: VirtualMedia, file: string, authorization?: string): Transfer | undefined {
    const source = parseImage(image)
    if (source === undefined || 'file' in source) return undefined
    const authorities = () =>
      this.#store.keys('trustedCertificate').map((id) => this.#store.get('trustedCertificate', id)?.pem ?? '')
    const ca = verifyCertificate ? authorities() : undefined
    return new Transfer(source, file, this.#settings, { ca, authorization })
  }

  /** A link would lead out of the directory that is configured. */
  #checkFile({ image }: VirtualMedia, file: string): void {
    const source = parseImage(image)
    if (source === undefined || !('file' in source)) return
    const names = file.split('/')
    const inside = this.#settings.directory.replace(/\/+$/, '').split('/').length
    const below = names.slice(inside).map((_, index) => names.slice(0, inside + index + 1).join('/'))
    for (const path of below) {
      const found = lstatSync(path, { throwIfNoEntry: false })
      if (found === undefined) throw new TransferError('there is no such file')
      if (found.isSymbolicLink()) throw new TransferError('it is a symbolic link')
    }
  }
}

function failed(reason: string): MessageError {
  return new MessageError(400, [message('Mgmt.MediaNotInserted', reason)])
}

/** The error for the client. */
function refusal(error: Error, drive: string, { log }: Store): unknown {
  if (error instanceof TransferError) {
    const { cause = error } = error
    log.warning('an image was not inserted', {
      drive,
      cause: cause instanceof Error ? cause.message : String(cause)
    })
    return failed(error.message)
  }
  if (!(error instanceof HalError)) return error
  return error.code === 'EINVAL' ? failed(error.message) : explain(error, { kind: 'insertMedia', drive }, log)
}
