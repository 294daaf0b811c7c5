import { existsSync, lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Configuration } from '#data/configuration'
import { driveUri, parseImage, type VirtualMedia } from '#data/media'
import { HalError } from '#hal/errors.ts'
import { type Media, sector } from '#hal/media.ts'
import { NbdClient } from '#runtime/base/nbd/client.ts'
import type { Export } from '#runtime/base/nbd/format.ts'
import {
  busy,
  type Caller,
  type Command,
  type Event,
  type Exchange,
  event,
  fail,
  MessageError,
  message,
  notFound,
  type Peer
} from '#runtime/contract'
import type { Store } from '#runtime/store/store.ts'
import { explain } from '../machine/machine.ts'
import { ClientFile } from './client-file.ts'
import { Transfer, TransferError } from './transfer.ts'

/** Statuses of RFC 6455 7.4.1. */
const [normal, goingAway, protocolError, policyViolation, internalError] = [1000, 1001, 1002, 1008, 1011]

/** Seconds after which a client for whom there is no place left may try again. */
const retryAfter = 30

/** Milliseconds that a client has to say which file it gives. */
const offerTime = 10_000

/** A client on its way to a drive. */
interface Arrival {
  readonly drive: string
  readonly media: Media
  readonly caller: Caller
  readonly peer: Peer
  readonly client: NbdClient
}

/**
 * Virtual drives that a host sees. An insertion by a client begins with a record. The record says that the image is
 * inserted once it has been fetched and the drive has it.
 */
export class Drives {
  readonly #store: Store
  readonly #drives: ReadonlyMap<string, Media>
  readonly #settings: Configuration['media']
  /** The folder of downloaded images. */
  readonly #directory: string
  /** Insertions under way, each with what ends its transfer. */
  readonly #insertions = new Map<string, { cancel(reason: string): void; readonly done: Promise<void> }>()
  /** The files that clients serve, by drive. */
  readonly #files = new Map<string, ClientFile>()
  readonly #tell: (...events: readonly Event[]) => Promise<void>
  /** Drives to which a client is on its way. */
  readonly #arriving = new Set<string>()

  /** @param directory is made with the first image @param tell sends events */
  constructor(
    store: Store,
    drives: ReadonlyMap<string, Media>,
    settings: Configuration['media'],
    directory: string,
    tell: (...events: readonly Event[]) => Promise<void>
  ) {
    this.#store = store
    this.#drives = drives
    this.#settings = settings
    this.#directory = resolve(directory)
    this.#tell = tell
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
    for (const drive of this.#files.keys()) kept.add(this.#socketOf(drive))
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

  /**
   * Takes a file from a client, who serves it as a network block device: it is inserted, or goes on where the drive waits
   * for it. The drive has a second client only while one comes back.
   *
   * @throws MessageError 404 for a drive that no host sees, 409 where something else is in it, 503 if there are as many
   *   files of clients as may be
   */
  begin(drive: string, caller: Caller): (peer: Peer) => Exchange {
    const media = this.#drives.get(drive) ?? notFound()
    this.#checkFree(drive, caller)
    const others = new Set([...this.#files.keys(), ...this.#arriving])
    others.delete(drive)
    if (this.#arriving.has(drive) || others.size >= this.#settings.files) throw busy(retryAfter)
    this.#arriving.add(drive)
    return (peer) => this.#meet(drive, media, caller, peer)
  }

  /** Ends what is under way. Files of clients stay in their drives: the next process waits for them. */
  async close(): Promise<void> {
    for (const file of this.#files.values()) file.close(goingAway)
    for (const { cancel } of this.#insertions.values()) cancel('the service is stopping')
    await Promise.all([...this.#insertions.values()].map(({ done }) => done))
  }

  #checkFree(drive: string, { account }: Caller): void {
    const record = this.#store.get('virtualMedia', drive)
    if (record !== undefined && record.client?.account !== account) fail(409, 'Base.ResourceInUse')
  }

  #meet(drive: string, media: Media, caller: Caller, peer: Peer): Exchange {
    const write = (bytes: Uint8Array) => peer.write(bytes)
    const client = new NbdClient({ write, end: () => peer.end(protocolError) })
    const arrival = { drive, media, caller, peer, client }
    const late = setTimeout(() => peer.end(policyViolation, 'no file was offered'), offerTime)
    const arrived = () => {
      clearTimeout(late)
      this.#arriving.delete(drive)
    }
    client.opened.then(
      async (of) => {
        arrived()
        const words = await this.#receive(arrival, { size: of.size, name: nameOf(of) })
        if (words !== undefined) peer.end(policyViolation, words)
      },
      // It has gone, or speaks another protocol.
      arrived
    )
    return {
      received: (bytes) => client.received(bytes),
      gone: (saidGoodbye) => {
        const wasPresent = this.#files.get(drive)?.detach(client) ?? false
        client.closed()
        if (wasPresent && saidGoodbye) void this.#end(drive, media)
      }
    }
  }

  /** @returns why it was not inserted, for the client; undefined if it is */
  async #receive(arrival: Arrival, of: Export): Promise<string | undefined> {
    const { drive, media, caller, peer, client } = arrival
    const { log } = this.#store
    const present = this.#files.get(drive)
    if (present !== undefined) {
      if (!present.isOf(of, caller.account)) return 'another file is in the drive'
      present.attach(peer, client)
      return undefined
    }
    const record = this.#store.get('virtualMedia', drive)
    if (record !== undefined) return 'another image is in the drive'
    if (of.size === 0 || of.size % sector !== 0) return `its size is not a multiple of ${sector} bytes`
    if (of.size > this.#settings.size) return `it has more than ${this.#settings.size} bytes`
    const file = this.#fileOfClient(drive, media, of, caller.account)
    const working = this.#insertFile(arrival, file)
    this.#insertions.set(drive, { cancel: () => file.refuse(true), done: working.catch(() => undefined) })
    try {
      await working
      log.info('a file of a client is inserted', { drive, user: caller.user, address: caller.address, size: of.size })
      return undefined
    } catch (error) {
      this.#files.delete(drive)
      log.warning('a file of a client was not inserted', { drive, cause: (error as Error).message })
      await this.#forget(drive, { image: '' })
      peer.end(internalError, 'the drive does not take it')
      file.close(internalError)
      return undefined
    } finally {
      this.#insertions.delete(drive)
    }
  }

  async #insertFile({ drive, media, peer, client }: Arrival, file: ClientFile): Promise<void> {
    const { of, account } = file
    this.#files.set(drive, file)
    file.attach(peer, client)
    const record = { image: '', inserted: false, writeProtected: true, verifyCertificate: false }
    await this.#store.commit({ virtualMedia: { [drive]: { ...record, client: { ...of, account } } } })
    await file.open()
    await media.insert(file.image)
    await this.#store.commit({ virtualMedia: { [drive]: { inserted: true } } })
    const { uri, id } = placeOf(drive)
    await this.#tell(event('MgmtEvents.VirtualMediaInserted', uri, id, of.name), changed(uri))
  }

  #fileOfClient(drive: string, media: Media, of: Export, account: string): ClientFile {
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 })
    return new ClientFile(of, account, this.#socketOf(drive), this.#settings, () => {
      this.#store.log.warning('the client that gave a file has not come back', { drive })
      void this.#end(drive, media)
    })
  }

  /** Empties a drive whose file its client no longer gives. */
  async #end(drive: string, media: Media): Promise<void> {
    try {
      await this.#eject(drive, media)
      const { uri, id } = placeOf(drive)
      await this.#tell(event('MgmtEvents.VirtualMediaEjected', uri, id), changed(uri))
    } catch (error) {
      this.#store.log.error('a virtual drive was not emptied', { drive, cause: (error as Error).message })
    }
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
    const file = this.#files.get(drive)
    file?.refuse(true)
    try {
      await media.eject()
      this.#files.delete(drive)
      file?.close(normal)
    } catch (error) {
      file?.refuse(false)
      throw explain(error as HalError, { kind: 'ejectMedia', drive }, this.#store.log)
    }
    if (record !== undefined) await this.#forget(drive, record)
  }

  async #restore(drive: string, media: Media): Promise<void> {
    const record = this.#store.get('virtualMedia', drive)
    const image = record?.inserted ? await this.#imageAgain(drive, media, record) : undefined
    if (image !== undefined) {
      if (media.image !== image) await media.insert(image)
      return
    }
    if (record !== undefined && record.client === undefined)
      this.#store.log.warning('the image of a virtual drive is missing', { drive, image: record.image })
    await media.eject()
    if (record !== undefined) await this.#store.commit({ virtualMedia: { [drive]: null } })
  }

  /** @returns the image that an earlier process inserted; undefined if it is gone, or no drive can read it */
  async #imageAgain(drive: string, media: Media, record: VirtualMedia): Promise<string | undefined> {
    if (record.client === undefined) {
      const image = this.#fileOf(drive, record)
      return existsSync(image) ? image : undefined
    }
    const { account, ...of } = record.client
    try {
      const file = this.#fileOfClient(drive, media, of, account)
      await file.open()
      this.#files.set(drive, file)
      file.await()
      return file.image
    } catch (error) {
      this.#store.log.error('the file of a client cannot be given to its drive', {
        drive,
        cause: (error as Error).message
      })
      return undefined
    }
  }

  /** Takes away what was fetched, then the record: on a full disk the record takes the room of the image. */
  async #forget(drive: string, record: Pick<VirtualMedia, 'image'>): Promise<void> {
    const file = this.#fileOf(drive, record)
    if (file.startsWith(`${this.#directory}/`)) rmSync(file, { force: true })
    await this.#store.commit({ virtualMedia: { [drive]: null } })
  }

  /** Of a file of a client. */
  #socketOf(drive: string): string {
    return `${this.#directory}/${drive.replace('/', '-')}.nbd`
  }

  #fileOf(drive: string, { image }: Pick<VirtualMedia, 'image'>): string {
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

/** A name that can be shown. */
function nameOf({ name }: Export): string {
  return name.replace(/\p{Cc}/gu, '').slice(-255) || 'disc'
}

function placeOf(drive: string): { readonly uri: string; readonly id: string } {
  const [manager = '', id = ''] = drive.split('/')
  return { uri: driveUri(manager, id), id }
}

function changed(uri: string): Event {
  return event('ResourceEvent.ResourceChanged', uri)
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
