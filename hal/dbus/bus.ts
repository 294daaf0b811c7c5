import { connect, type Socket } from 'node:net'
import { utf8Text } from '#runtime/base/bytes.ts'
import { Listeners } from '#runtime/base/listeners.ts'
import { HalError, type HalErrorCode } from '../errors.ts'
import { Frames, type Received } from './frames.ts'
import { type Header, readBody, readHeader, writeMessage } from './message.ts'
import type { Value } from './values.ts'

/** The bus itself, which has objects like its clients (D-Bus Specification 0.38, "Message Bus Specification"). */
export const busName = 'org.freedesktop.DBus'

export interface Call {
  readonly destination: string
  readonly path: string
  readonly interface: string
  readonly member: string
  readonly signature?: string
  readonly values?: readonly Value[]
  /** The signature that the answer must have; any if absent. */
  readonly answer?: string
  /** Milliseconds. */
  readonly timeout?: number
}

export interface Signal {
  /** The unique name of the sender. */
  readonly sender: string
  readonly path: string
  readonly interface: string
  readonly member: string
  /** Of its values; absent without any. */
  readonly signature?: string
  /** @throws {HalError} `EIO` if they are not valid */
  values(): readonly Value[]
}

interface Waiting {
  readonly call: Call
  readonly resolve: (values: readonly Value[]) => void
  readonly reject: (error: HalError) => void
  readonly late: ReturnType<typeof setTimeout>
}

const defaultTimeout = 10_000

/** The most calls that wait for an answer: a bus has a limit as well, and disconnects a client that exceeds it. */
const mostCalls = 100

/** The most bytes of a message that is sent. */
const longestSent = 2 ** 19

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
  'xyz.openbmc_project.Common.Error.InvalidArgument': 'EINVAL',
  'xyz.openbmc_project.Common.Error.NotAllowed': 'EINVAL',
  'xyz.openbmc_project.Common.Error.ResourceNotFound': 'ENODEV',
  'xyz.openbmc_project.Common.Error.Unavailable': 'EBUSY',
  'xyz.openbmc_project.Common.Error.Timeout': 'ETIMEDOUT',
  'xyz.openbmc_project.User.Common.Error.UserNameExists': 'EINVAL',
  'xyz.openbmc_project.User.Common.Error.UserNameGroupFail': 'EINVAL',
  'xyz.openbmc_project.User.Common.Error.UserNameDoesNotExist': 'ENODEV',
  'xyz.openbmc_project.User.Common.Error.NoResource': 'ENOSPC'
}

/** A connection to a message bus. */
export class Bus {
  readonly #socket: Socket
  readonly #waiting = new Map<number, Waiting>()
  readonly #frames = new Frames()
  readonly #received: Received[] = []
  #isPaused = false
  #line: string | undefined = ''
  #serial = 0
  #lost = new HalError('ENODEV', 'dbus: the bus closed the connection')
  #begin: () => void = () => undefined
  readonly #ended: () => void
  /** The signals that the bus delivers, from any sender: see `match`. */
  readonly signals = new Listeners<Signal>()
  /** Called once, when the connection has ended. */
  onClose: () => void = () => undefined

  private constructor(path: string, ended: (error: HalError) => void) {
    this.#socket = connect({ path })
    this.#ended = () => ended(this.#lost)
    this.#socket.on('data', (chunk: Uint8Array) => this.#read(chunk))
    this.#socket.on('error', (error) => {
      this.#leave(new HalError('ENODEV', `dbus: ${path}: ${error.message}`))
    })
    this.#socket.on('close', () => this.#closed())
  }

  /**
   * Connects to the bus that listens on a socket of the local domain, and is given a name there.
   *
   * @param timeout milliseconds for all of it
   * @throws {HalError} `ENODEV` when no bus listens there, `EACCES` when it refuses this user, `ETIMEDOUT`
   */
  static async open(path: string, timeout = defaultTimeout): Promise<Bus> {
    const begun = performance.now()
    const bus = await new Promise<Bus>((resolve, reject) => {
      const late = setTimeout(() => opened.#leave(new HalError('ETIMEDOUT', `dbus: ${path} does not answer`)), timeout)
      const opened = new Bus(path, (error) => {
        clearTimeout(late)
        reject(error)
      })
      opened.#begin = () => {
        clearTimeout(late)
        resolve(opened)
      }
      // The bus asks the kernel which user this is: the identity is left empty, and so is the answer to its challenge.
      opened.#socket.once('connect', () => opened.#socket.write('\0AUTH EXTERNAL\r\nDATA\r\n'))
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
  call(call: Call): Promise<readonly Value[]> {
    const { timeout = defaultTimeout, values, answer: _, ...fields } = call
    if (this.#socket.destroyed) return Promise.reject(this.#lost)
    if (this.#waiting.size >= mostCalls)
      return Promise.reject(new HalError('EBUSY', `dbus: ${mostCalls} calls wait for their answers`))
    const serial = this.#nextSerial()
    return new Promise((resolve, reject) => {
      this.#send({ kind: 'call', serial, isUnanswered: false, ...fields }, values)
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
    this.#socket.destroy()
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

  #send(header: Header, values?: readonly Value[]): void {
    const message = writeMessage(header, values)
    if (message.length > longestSent) throw new HalError('EINVAL', `dbus: a message has ${message.length} bytes`)
    this.#socket.write(message)
  }

  #read(chunk: Uint8Array): void {
    if (this.#line !== undefined) this.#authenticate(chunk)
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
    } else if (line.startsWith('OK ')) {
      this.#line = undefined
      this.#socket.write('BEGIN\r\n')
      this.#begin()
    } else this.#leave(new HalError('EACCES', 'dbus: the bus refuses this user'))
  }

  /**
   * Takes messages in turn. What waits for an answer goes on before the next message is looked at, so that it may rely on
   * the order in which the bus sent them.
   */
  #next(): void {
    this.#isPaused = false
    for (;;) {
      const message = this.#received.shift()
      if (message === undefined || this.#socket.destroyed) return
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
    if (header === undefined) return false
    const values = () => {
      if (body === undefined) throw new HalError('EIO', 'dbus: a message is too long')
      return readBody(header, head[0] as number, body)
    }
    if (header.kind === 'signal') this.signals.emit({ ...(header as Header & Signal), values })
    else if (header.kind === 'call') this.#refuse(header)
    else return this.#answered(header, values)
    return false
  }

  /** There are no objects here. */
  #refuse({ isUnanswered, serial, sender }: Header): void {
    if (isUnanswered || sender === undefined) return
    const error = 'org.freedesktop.DBus.Error.UnknownMethod'
    const fields = { serial: this.#nextSerial(), isUnanswered: true, destination: sender, answers: serial }
    this.#send({ kind: 'error', error, ...fields })
  }

  #answered(header: Header, values: () => readonly Value[]): boolean {
    const { answers = 0, sender, error } = header
    const waiting = this.#waiting.get(answers)
    if (waiting === undefined) return false
    const { call } = waiting
    const isExact = call.destination.startsWith(':') || call.destination === busName
    if (isExact && sender !== call.destination) return false
    this.#waiting.delete(answers)
    clearTimeout(waiting.late)
    try {
      const read = values()
      const isExpected = call.answer === undefined || call.answer === header.signature
      if (error === undefined && isExpected) waiting.resolve(read)
      else if (error === undefined) waiting.reject(failure('EIO', call, `the answer is ${header.signature ?? 'empty'}`))
      else
        waiting.reject(failure(codes[error] ?? 'EIO', call, `${error}: ${String(read[0] ?? '').slice(0, longestText)}`))
    } catch (cause) {
      if (!(cause instanceof HalError)) throw cause
      waiting.reject(failure(cause.code, call, cause.message))
    }
    return true
  }

  #closed(): void {
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

/** Calls a function that parses. @returns undefined where it throws that the input is not valid */
function orInvalid<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof HalError) return undefined
    throw error
  }
}
