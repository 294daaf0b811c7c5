import { closeSync } from 'node:fs'
import { utf8Text } from '#runtime/base/bytes.ts'
import { Listeners } from '#runtime/base/listeners.ts'
import { HalError, type HalErrorCode } from '../errors.ts'
import { type Channel, type OpenChannel, openSocket } from './channel.ts'
import { Frames, type Received } from './frames.ts'
import { type Header, readBody, readHeader, writeMessage } from './message.ts'
import type { KeepEntries, Value } from './values.ts'

/** The bus itself, which has objects like its clients (D-Bus Specification 0.38, "Message Bus Specification"). */
export const busName = 'org.freedesktop.DBus'

export interface Call {
  readonly destination: string
  readonly path: string
  readonly interface: string
  readonly member: string
  readonly signature?: string
  readonly values?: readonly Value[]
  /** To pass along: a value of the type `h` is the place of one of them. They stay open here. */
  readonly descriptors?: readonly number[]
  /** The signature that the answer must have; any if absent. */
  readonly answer?: string
  /** Reduces large dictionaries in the answer while they are read. */
  readonly keeps?: KeepEntries
  /** Milliseconds. */
  readonly timeout?: number
}

export interface Answer {
  readonly values: readonly Value[]
  /** The caller's own, to close. */
  readonly descriptors: readonly number[]
}

export interface Signal {
  /** The unique name of the sender. */
  readonly sender: string
  readonly path: string
  readonly interface: string
  readonly member: string
  /** Of its values; absent without any. */
  readonly signature?: string
  /** @param keeps what is kept of large dictionaries. @throws {HalError} `EIO` if they are not valid */
  values(keeps?: KeepEntries): readonly Value[]
}

interface Waiting {
  readonly call: Call
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: HalError) => void
  readonly late: ReturnType<typeof setTimeout>
}

const defaultTimeout = 10_000

/** The most calls that wait for an answer: a bus has a limit as well, and disconnects a client that exceeds it. */
const mostCalls = 100

/** The most bytes of a message that is sent. */
const longestSent = 2 ** 19

/** The most descriptors that arrive with messages that are not yet looked at. */
const mostDescriptors = 16

/** The most bytes of a line of the authentication, and of a text of an error that goes on to the log. */
const longestLine = 1024
const longestText = 200

/** The codes of errors, by their names on the bus: those of the specification, and those that OpenBMC's services share. */
const codes: Readonly<Record<string, HalErrorCode>> = {
  'org.freedesktop.DBus.Error.ServiceUnknown': 'ENODEV',
  'org.freedesktop.DBus.Error.NameHasNoOwner': 'ENODEV',
  'org.freedesktop.DBus.Error.UnknownObject': 'ENODEV',
  'org.freedesktop.DBus.Error.UnknownInterface': 'ENODEV',
  'org.freedesktop.DBus.Error.UnknownMethod': 'ENODEV',
  'org.freedesktop.DBus.Error.UnknownProperty': 'ENODEV',
  'org.freedesktop.DBus.Error.AccessDenied': 'EACCES',
  'org.freedesktop.DBus.Error.InteractiveAuthorizationRequired': 'EACCES',
  'org.freedesktop.DBus.Error.PropertyReadOnly': 'EROFS',
  'org.freedesktop.DBus.Error.InvalidArgs': 'EINVAL',
  'org.freedesktop.DBus.Error.NoReply': 'ETIMEDOUT',
  'org.freedesktop.DBus.Error.Timeout': 'ETIMEDOUT',
  'org.freedesktop.DBus.Error.LimitsExceeded': 'EBUSY',
  'xyz.openbmc_project.BIOSConfig.Common.Error.InvalidCurrentPassword': 'EINVAL',
  'xyz.openbmc_project.Certs.Error.InvalidCertificate': 'EINVAL',
  'xyz.openbmc_project.Common.Error.InvalidArgument': 'EINVAL',
  'xyz.openbmc_project.Common.Error.NotAllowed': 'EINVAL',
  'xyz.openbmc_project.Common.Error.ResourceNotFound': 'ENODEV',
  'xyz.openbmc_project.Common.Error.Unavailable': 'EBUSY',
  'xyz.openbmc_project.Common.Error.Timeout': 'ETIMEDOUT',
  'xyz.openbmc_project.Dump.Create.Error.Disabled': 'EINVAL',
  'xyz.openbmc_project.Dump.Create.Error.QuotaExceeded': 'ENOSPC',
  'xyz.openbmc_project.Software.Update.Error.Incompatible': 'EINVAL',
  'xyz.openbmc_project.Software.Update.Error.InProgress': 'EBUSY',
  'xyz.openbmc_project.Software.Update.Error.InvalidApplyTime': 'EINVAL',
  'xyz.openbmc_project.Software.Update.Error.InvalidImage': 'EINVAL',
  'xyz.openbmc_project.Software.Update.Error.InvalidSignature': 'EINVAL',
  'xyz.openbmc_project.User.Common.Error.UserNameExists': 'EINVAL',
  'xyz.openbmc_project.User.Common.Error.UserNameGroupFail': 'EINVAL',
  'xyz.openbmc_project.User.Common.Error.UserNameDoesNotExist': 'ENODEV',
  'xyz.openbmc_project.User.Common.Error.NoResource': 'ENOSPC'
}

/** A connection to a message bus. */
export class Bus {
  readonly #channel: Channel
  readonly #passes: boolean
  readonly #waiting = new Map<number, Waiting>()
  readonly #frames = new Frames()
  readonly #received: Received[] = []
  /** Descriptors of the messages that are not yet looked at. */
  #arrived: number[] = []
  #isPaused = false
  #isClosed = false
  #line: string | undefined = ''
  #serial = 0
  #lost = new HalError('ENODEV', 'dbus: the bus closed the connection')
  #begin: () => void = () => undefined
  readonly #ended: () => void
  /** The signals that the bus delivers, from any sender: see `match`. */
  readonly signals = new Listeners<Signal>()
  /** Called once, when the connection has ended. */
  onClose: () => void = () => undefined

  private constructor(path: string, passing: OpenChannel | undefined, ended: (error: HalError) => void) {
    this.#ended = () => ended(this.#lost)
    this.#passes = passing !== undefined
    const open = passing ?? openSocket
    this.#channel = open(path, {
      // The bus asks the kernel which user this is: the identity is left empty, and so is the answer to its challenge.
      opened: () => this.#channel.write('\0AUTH EXTERNAL\r\nDATA\r\n'),
      data: (chunk, descriptors) => this.#read(chunk, descriptors),
      closed: (error) => this.#closed(error)
    })
  }

  /**
   * Connects to the bus that listens on a socket of the local domain, and is given a name there.
   *
   * @param timeout milliseconds for all of it
   * @param passing opens a connection that passes descriptors; without it none are passed
   * @throws {HalError} `ENODEV` when no bus listens there, or it passes no descriptors; `EACCES` when it refuses this
   *   user; `ETIMEDOUT`
   */
  static async open(path: string, timeout = defaultTimeout, passing?: OpenChannel): Promise<Bus> {
    const begun = performance.now()
    const bus = await new Promise<Bus>((resolve, reject) => {
      const late = setTimeout(() => opened.#leave(new HalError('ETIMEDOUT', `dbus: ${path} does not answer`)), timeout)
      const opened = new Bus(path, passing, (error) => {
        clearTimeout(late)
        reject(error)
      })
      opened.#begin = () => {
        clearTimeout(late)
        resolve(opened)
      }
    })
    try {
      await bus.ask('Hello', '', [], Math.max(1, timeout - (performance.now() - begun)))
      return bus
    } catch (error) {
      bus.close()
      throw error
    }
  }

  /**
   * Calls a method of an object.
   *
   * @returns the values of the answer
   * @throws {HalError} `ETIMEDOUT` when there is no answer in time, `ENODEV` when there is no such service, object or
   *   method, or no bus any more, `EIO` for an answer that is not valid; others by the error that the object answers
   */
  async call(call: Call): Promise<readonly Value[]> {
    const { values, descriptors } = await this.exchange(call)
    closeAll(descriptors)
    return values
  }

  /** Likewise, with the descriptors that come with the answer. */
  exchange(call: Call): Promise<Answer> {
    const { timeout = defaultTimeout, values, descriptors = [], answer: _, keeps: __, ...fields } = call
    if (this.#isClosed) return Promise.reject(this.#lost)
    if (this.#waiting.size >= mostCalls)
      return Promise.reject(new HalError('EBUSY', `dbus: ${mostCalls} calls wait for their answers`))
    const serial = this.#nextSerial()
    return new Promise((resolve, reject) => {
      this.#send({ kind: 'call', serial, isUnanswered: false, ...fields }, values, descriptors)
      const late = setTimeout(() => {
        this.#waiting.delete(serial)
        reject(failure('ETIMEDOUT', call, `no answer in ${Math.round(timeout)} ms`))
      }, timeout)
      this.#waiting.set(serial, { call, resolve, reject, late })
    })
  }

  /** Calls a method of the bus itself. */
  ask(member: string, signature: string, values: readonly Value[], timeout?: number): Promise<readonly Value[]> {
    const fields = { destination: busName, path: '/org/freedesktop/DBus', interface: busName, member }
    return this.call({ ...fields, signature, values, ...(timeout === undefined ? {} : { timeout }) })
  }

  /**
   * Has the bus deliver the signals that fit a rule ("Match Rules"). Other programs may send further signals to this
   * connection alone: who wants signals looks at their sender.
   */
  async match(rule: Readonly<Record<string, string>>): Promise<void> {
    const parts = Object.entries({ type: 'signal', ...rule }).map(([key, value]) => `${key}='${value}'`)
    await this.ask('AddMatch', 's', [parts.join()])
  }

  close(): void {
    this.#isClosed = true
    this.#channel.close()
  }

  /** Serial numbers are not zero, and one whose answer may still come is not used again. */
  #nextSerial(): number {
    do this.#serial = this.#serial < 0xffffffff ? this.#serial + 1 : 1
    while (this.#waiting.has(this.#serial))
    return this.#serial
  }

  #leave(error: HalError): void {
    this.#lost = error
    this.close()
  }

  #send(header: Header, values?: readonly Value[], descriptors: readonly number[] = []): void {
    const counted = descriptors.length === 0 ? header : { ...header, descriptors: descriptors.length }
    const message = writeMessage(counted, values)
    if (message.length > longestSent) throw new HalError('EINVAL', `dbus: a message has ${message.length} bytes`)
    this.#channel.write(message, descriptors)
  }

  #read(chunk: Uint8Array, descriptors: readonly number[]): void {
    this.#arrived.push(...descriptors)
    if (this.#arrived.length > mostDescriptors) this.#leave(new HalError('EIO', 'dbus: too many descriptors arrive'))
    else if (this.#line !== undefined) this.#authenticate(chunk)
    else
      try {
        this.#frames.push(chunk, (message) => this.#received.push(message))
        if (!this.#isPaused) this.#next()
      } catch (error) {
        if (!(error instanceof HalError)) throw error
        this.#leave(error)
      }
  }

  /** Takes part of the authentication. The bus sends nothing after `OK` until it receives `BEGIN`. */
  #authenticate(chunk: Uint8Array): void {
    const [line = '', ...rest] = (this.#line + utf8Text(chunk)).split('\r\n')
    if (rest.length === 0 && line.length < longestLine) this.#line = line
    else if (line === 'DATA') {
      this.#line = ''
      this.#authenticate(new TextEncoder().encode(rest.join('\r\n')))
    } else if (line.startsWith('OK ') && this.#passes) {
      this.#line = ''
      this.#channel.write('NEGOTIATE_UNIX_FD\r\n')
    } else if (line.startsWith('OK ') || (line === 'AGREE_UNIX_FD' && this.#passes)) {
      this.#line = undefined
      this.#channel.write('BEGIN\r\n')
      this.#begin()
    } else if (line.startsWith('ERROR') && this.#passes) {
      this.#leave(new HalError('ENODEV', 'dbus: the bus passes no descriptors'))
    } else this.#leave(new HalError('EACCES', 'dbus: the bus refuses this user'))
  }

  /**
   * Handles messages one at a time. The caller that an answer resumes runs before the next message is handled, so that
   * it can rely on the order in which the bus sent them.
   */
  #next(): void {
    this.#isPaused = false
    for (;;) {
      const message = this.#received.shift()
      if (message === undefined || this.#isClosed) return
      if (!this.#receive(message)) continue
      this.#isPaused = true
      setImmediate(() => this.#next())
      return
    }
  }

  /**
   * A message that is not valid is ignored: a bus forwards it from another program, and continues with the next.
   *
   * @returns whether it was an answer that a call waited for
   */
  #receive({ head, body }: Received): boolean {
    const header = orInvalid(() => readHeader(head))
    if (header === undefined) {
      // Which of them were its own cannot be known.
      if (this.#arrived.length > 0) this.#leave(new HalError('EIO', 'dbus: an invalid message has descriptors'))
      return false
    }
    const values = (keeps?: KeepEntries) => {
      if (body === undefined) throw new HalError('EIO', 'dbus: a message is too long')
      return readBody(header, head[0] as number, body, keeps)
    }
    const descriptors = this.#arrived.splice(0, header.descriptors ?? 0)
    if (header.kind === 'return' || header.kind === 'error') return this.#answered(header, values, descriptors)
    closeAll(descriptors)
    if (header.kind === 'signal') this.signals.emit({ ...(header as Header & Signal), values })
    else this.#refuse(header)
    return false
  }

  /** There are no objects here. */
  #refuse({ isUnanswered, serial, sender }: Header): void {
    if (isUnanswered || sender === undefined) return
    const error = 'org.freedesktop.DBus.Error.UnknownMethod'
    const fields = { serial: this.#nextSerial(), isUnanswered: true, destination: sender, answers: serial }
    this.#send({ kind: 'error', error, ...fields })
  }

  #answered(header: Header, values: Signal['values'], descriptors: readonly number[]): boolean {
    const { answers = 0, sender } = header
    const waiting = this.#waiting.get(answers)
    const destination = waiting?.call.destination ?? ''
    const isExact = destination.startsWith(':') || destination === busName
    if (waiting === undefined || (isExact && sender !== destination)) {
      closeAll(descriptors)
      return false
    }
    this.#waiting.delete(answers)
    clearTimeout(waiting.late)
    try {
      waiting.resolve({ values: answerOf(header, values(waiting.call.keeps), waiting.call), descriptors })
    } catch (cause) {
      closeAll(descriptors)
      if (!(cause instanceof HalError)) throw cause
      waiting.reject(failure(cause.code, waiting.call, cause.message))
    }
    return true
  }

  #closed(error: HalError | undefined): void {
    if (error !== undefined && !this.#isClosed) this.#lost = new HalError(error.code, `dbus: ${error.message}`)
    this.#isClosed = true
    closeAll(this.#arrived)
    for (const { reject, late } of this.#waiting.values()) {
      clearTimeout(late)
      reject(this.#lost)
    }
    this.#waiting.clear()
    this.#ended()
    this.onClose()
  }
}

function failure(code: HalErrorCode, { destination, path, member }: Call, reason: string): HalError {
  return new HalError(code, `dbus: ${destination}: ${path}: ${member}: ${reason}`)
}

/** The values of an answer. @throws {HalError} for an error, and for an answer of another form */
function answerOf({ error, signature }: Header, values: readonly Value[], call: Call): readonly Value[] {
  if (error !== undefined)
    throw new HalError(codes[error] ?? 'EIO', `${error}: ${String(values[0] ?? '').slice(0, longestText)}`)
  if (call.answer === undefined || call.answer === signature) return values
  throw new HalError('EIO', `the answer is ${signature ?? 'empty'}`)
}

function closeAll(descriptors: readonly number[]): void {
  for (const each of descriptors) closeSync(each)
}

/** Calls a parser. @returns undefined if it throws a `HalError`: the input is not valid */
function orInvalid<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof HalError) return undefined
    throw error
  }
}
