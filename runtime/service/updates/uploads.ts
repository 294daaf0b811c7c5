import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Configuration } from '#data/configuration'
import type { UpdateUpload } from '#data/updates'
import { log } from '#runtime/base/log.ts'
import { busy, type Caller, fail, MessageError, message, type UploadForm } from '#runtime/contract'
import { isFull } from '#runtime/store/level.ts'
import { MultipartFault, MultipartReader } from './multipart.ts'
import { UpdateFault, type UpdateKeys, UpdateReader } from './update-reader.ts'

/** Bytes of the parameters of an update, at most. */
const longestParameters = 16_384

/** Update files that clients send: one at a time, each into a file of a folder of its own. */
export class Uploads {
  readonly #settings: Configuration['updates']
  readonly #keys: UpdateKeys
  readonly #takesFiles: boolean
  readonly #random: (bytes: number) => string
  readonly directory: string
  #current: Upload | undefined

  /** @param takesFiles whether a component takes the files of its maker */
  constructor(
    settings: Configuration['updates'],
    keys: UpdateKeys,
    takesFiles: boolean,
    data: string,
    random: (bytes: number) => string
  ) {
    this.#settings = settings
    this.#keys = keys
    this.#takesFiles = takesFiles
    this.#random = random
    this.directory = settings.directory === '' ? `${data}/updates` : settings.directory
  }

  /** Takes away what an earlier process left, but for the files of updates that have not ended. */
  open(kept: (id: string) => boolean): void {
    if (!existsSync(this.directory)) return
    for (const name of readdirSync(this.directory)) {
      const [, id] = /^([0-9a-f]+)\.update$/.exec(name) ?? []
      if (id === undefined || !kept(id)) rmSync(`${this.directory}/${name}`, { recursive: true, force: true })
    }
  }

  /** The path of the file of an update. */
  file(id: string): string {
    return `${this.directory}/${id}.update`
  }

  /** Reads what the file of an update must be. */
  reader(): UpdateReader {
    return new UpdateReader(this.#keys, this.#takesFiles)
  }

  /** The most bytes of an upload, and how long it may take: milliseconds. */
  get limits(): { readonly size: number; readonly time: number } {
    const { size, time } = this.#settings
    return { size: size + longestParameters, time: time * 1000 }
  }

  /**
   * One that has stopped to arrive gives way: to another one of the same user, or of a user who may do more.
   *
   * @throws MessageError 415 for a body of another form, 503 while another client sends one
   */
  begin(form: UploadForm, contentType: string, sender: Caller): Upload {
    const before = this.#current
    if (before !== undefined && !(before.isIdle(this.#settings.idle) && mayReplace(sender, before.sender)))
      throw busy(10)
    const reader = this.reader()
    const id = this.#random(8)
    const upload: Upload = new Upload(id, this.file(id), form, contentType, this.#settings, reader, sender, () => {
      if (this.#current === upload) this.#current = undefined
    })
    before?.refuse(busy(10))
    this.#current = upload
    return upload
  }
}

function mayReplace(caller: Caller, sender: Caller): boolean {
  if (caller.account === sender.account) return true
  const isSuperset = [...sender.privileges].every((each) => caller.privileges.has(each))
  return isSuperset && caller.privileges.size > sender.privileges.size
}

/** An update file on its way from a client into a file. */
export class Upload implements UpdateUpload {
  readonly id: string
  readonly sender: Caller
  readonly #file: string
  readonly #reader: UpdateReader
  readonly #size: number
  readonly #ended: () => void
  readonly #watch: NodeJS.Timeout
  #refused: (reason: unknown) => void = () => undefined
  /** Bytes since the pace was checked last. */
  #arrived = 0
  /** When the last of them came, by the monotonic clock; undefined once all are here. */
  #arrivedAt: number | undefined = performance.now()
  readonly #multipart: MultipartReader | undefined
  readonly #parameters: number[] = []
  #descriptor: number | undefined
  #written = 0
  #kept = false
  #field = ''
  #seen = new Set<string>()

  constructor(
    id: string,
    file: string,
    form: UploadForm,
    contentType: string,
    { size, slowest, period }: Configuration['updates'],
    reader: UpdateReader,
    sender: Caller,
    ended: () => void
  ) {
    this.id = id
    this.sender = sender
    this.#file = file
    this.#size = size
    this.#reader = reader
    this.#ended = ended
    if (form === 'multipart') this.#multipart = this.#parts(contentType)
    else if (!/^(application\/octet-stream)?\s*(;|$)/i.test(contentType)) wrongType(contentType)
    this.#watch = setInterval(() => {
      if (this.#arrived < slowest * period) this.refuse(new MessageError(408, [message('Mgmt.RequestTimeout')]))
      this.#arrived = 0
    }, period * 1000)
    this.#watch.unref()
  }

  /** Whether nothing has come for so many seconds, although not all is here. */
  isIdle(seconds: number): boolean {
    return this.#arrivedAt !== undefined && performance.now() - this.#arrivedAt >= seconds * 1000
  }

  /** Calls back when no more of it is wanted. */
  onRefused(listener: (reason: unknown) => void): void {
    this.#refused = listener
  }

  /** Ends it before all of it has come. @param reason a MessageError, but for a bug */
  refuse(reason: unknown): void {
    this.#refused(reason)
    this.release()
  }

  /** Once all of it has come. */
  get manifest() {
    return this.#reader.end()
  }

  /** The parameters that came with the file: JSON, or nothing. */
  get bytes(): Uint8Array {
    return Uint8Array.from(this.#parameters)
  }

  /** @throws MessageError 400 as soon as the file is seen not to be good, 413, 507; there is no file then */
  add(bytes: Uint8Array): void {
    this.#arrived += bytes.length
    this.#arrivedAt = performance.now()
    this.#guarded(() => {
      if (this.#multipart === undefined) this.#write(bytes)
      else this.#multipart.add(bytes)
    })
  }

  /** The whole body has come: the file is on disk. @throws MessageError as `add` does */
  end(): void {
    clearInterval(this.#watch)
    this.#arrivedAt = undefined
    this.#guarded(() => {
      this.#multipart?.end()
      this.#reader.end()
      if (this.#descriptor !== undefined) fsyncSync(this.#descriptor)
      this.#close()
    })
  }

  /** The file belongs to an update from now on. */
  keep(): void {
    this.#kept = true
  }

  /** The request has been answered. */
  release(): void {
    clearInterval(this.#watch)
    this.#close()
    if (!this.#kept) rmSync(this.#file, { force: true })
    this.#ended()
  }

  #parts(contentType: string): MultipartReader {
    const taker = {
      begin: (name: string) => {
        if (name !== 'UpdateParameters' && name !== 'UpdateFile') {
          fail(400, 'Base.PropertyUnknown', name.slice(0, 32))
        }
        if (this.#seen.has(name)) throw new MultipartFault('a part occurs twice')
        this.#seen.add(name)
        this.#field = name
      },
      add: (bytes: Uint8Array) => {
        if (this.#field === 'UpdateFile') this.#write(bytes)
        else if (this.#parameters.length + bytes.length > longestParameters) tooLarge()
        else this.#parameters.push(...bytes)
      },
      end: () => undefined
    }
    try {
      return new MultipartReader(contentType, taker)
    } catch {
      return wrongType(contentType)
    }
  }

  #write(bytes: Uint8Array): void {
    this.#written += bytes.length
    if (this.#written > this.#size) tooLarge()
    this.#reader.add(bytes)
    this.#descriptor ??= create(this.#file)
    for (let rest = bytes; rest.length > 0; ) rest = rest.subarray(writeSync(this.#descriptor, rest))
  }

  #close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor)
    this.#descriptor = undefined
  }

  #guarded(work: () => void): void {
    try {
      work()
    } catch (error) {
      throw refusalOf(error)
    }
  }
}

/** Creates a file, and its folder if it is missing. @returns the descriptor */
function create(file: string): number {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  return openSync(file, 'wx', 0o600)
}

/** The error for the client. */
function refusalOf(error: unknown): unknown {
  if (error instanceof UpdateFault) return new MessageError(400, [message('Mgmt.UpdateFileRefused', error.message)])
  if (error instanceof MultipartFault) return new MessageError(400, [message('Mgmt.MalformedRequest')])
  if (!isFull(error)) return error
  log.warning('there is no room for an update file', { cause: (error as Error).message })
  return new MessageError(507, [message('Base.InsufficientStorage')])
}

function wrongType(contentType: string): never {
  return fail(415, 'Mgmt.UnsupportedMediaType', contentType.slice(0, 64))
}

function tooLarge(): never {
  return fail(413, 'Base.PayloadTooLarge')
}
