import profiles from '#data/profiles.json' with { type: 'json' }
import { type Profile, writeMessage } from '#data/registries'
import { utf8 } from '#runtime/base/bytes.ts'
import {
  type Exchange,
  type Message,
  type MessageError,
  type MessageKey,
  message,
  messageText,
  type Peer,
  type Stream
} from '#runtime/contract'

/** An answer as both hosts send it. `headers` is flat: name, value, name, value, … */
export interface Answer {
  readonly status: number
  readonly headers: readonly string[]
  readonly body: Uint8Array | undefined
  /**
   * The URI of what it shows, if the host may repeat it to this caller until the cache drops it. `Basis` decides that for
   * a resource; `once` refuses it where a request depends on more than the resource and the caller's account.
   */
  readonly lasting?: string | undefined
  /**
   * The places in the body that change with the time, in pairs: the byte offset, and the offset of the clock from
   * universal time in minutes, or {@link tagMoment} for the digits of the entity tag that are the time.
   */
  readonly moments?: Int32Array | undefined
  /**
   * Takes over when the head is sent, and writes for as long as the client reads. It has a place already: the host calls
   * it also where the client has gone meanwhile, and what it returns at once.
   */
  readonly stream?: Stream | undefined
  /** The same with status 101: the connection is a WebSocket from there on. */
  readonly exchange?: ((peer: Peer) => Exchange) | undefined
}

/** Marks a place of the entity tag in `Answer.moments`. */
export const tagMoment = 2 ** 31 - 1

/** The way in which a profile writes messages. */
export class Messages {
  readonly #profile: Profile

  constructor(profile: Profile) {
    this.#profile = profile
  }

  /** The `error` object of DSP0266 8.6 for a failure. */
  error(messages: readonly Message[]): object {
    return this.#write(messages, { key: profiles[this.#profile].codeKey as MessageKey, args: [] })
  }

  /** The same for a success with something to say, whose own text stands first where a profile spells messages out. */
  success(messages: readonly Message[]): object {
    const [first] = messages
    return profiles[this.#profile].verbose && first !== undefined ? this.#write(messages, first) : this.error(messages)
  }

  #write(messages: readonly Message[], summary: Message): object {
    const { code } = profiles[this.#profile]
    return { error: { code, message: messageText(summary), ...this.annotation(messages) } }
  }

  annotation(messages: readonly Message[]): object {
    return { '@Message.ExtendedInfo': messages.map((each) => writeMessage(each, this.#profile)) }
  }
}

/** The same answer, for this request alone. */
export function once<A extends object>(given: A): A {
  return { ...given, lasting: undefined }
}

/** Headers of every answer (DSP0266 8.4.1 and the protections of OWASP that fit an API). */
const always = ['OData-Version', '4.0', 'X-Content-Type-Options', 'nosniff']

interface Traits extends Pick<Answer, 'lasting'> {
  readonly cache?: keyof typeof caching
  readonly type?: string
}

/**
 * How long caches may keep an answer: not at all; as long as the service says each time that it stands; for good
 * (RFC 9111 5.2.2, RFC 8246).
 */
const caching = {
  never: 'no-store',
  checked: 'no-cache',
  forever: 'public, max-age=31536000, immutable'
} as const

/**
 * An answer with a JSON body, or with none. A text gets a final newline, so that answers in a terminal do not run together;
 * entity tags are made without it. Bytes are sent as they are.
 */
export function answer(
  status: number,
  headers: readonly string[],
  body: string | Uint8Array | undefined,
  { cache = 'checked', type = 'application/json;charset=utf-8', lasting }: Traits = {}
): Answer {
  const bytes = typeof body === 'string' ? utf8(`${body}\n`) : body
  const own = always.concat('Cache-Control', caching[cache])
  if (bytes !== undefined) own.push('Content-Type', type)
  if (status !== 204 && status !== 304) own.push('Content-Length', String(bytes?.length ?? 0))
  return { status, headers: own.concat(headers), body: bytes, lasting }
}

/** An answer that goes on: Server-Sent Events (HTML Living Standard 9.2). To HEAD there is no `stream`. */
export function eventStream(headers: readonly string[], stream?: Stream): Answer {
  const content = ['Content-Type', 'text/event-stream', 'Cache-Control', 'no-store']
  return { status: 200, headers: [...always, ...content, ...headers], body: undefined, stream }
}

/** An answer with bytes that are read while they are sent. To HEAD there is no `stream`. */
export function download(headers: readonly string[], stream?: Stream): Answer {
  const content = ['Content-Type', 'application/octet-stream', 'Cache-Control', caching.never]
  return { status: 200, headers: [...always, ...content, ...headers], body: undefined, stream }
}

/** The answer to a failure that a client may see. */
export function failure(
  { status, messages, headers }: MessageError,
  written: Messages,
  path: string,
  more: readonly string[] = []
): Answer {
  const reasons = messages.length > 0 ? messages : [message('Base.ResourceMissingAtURI', path)]
  const own = Object.entries(headers).flat()
  return answer(status, [...own, ...more], JSON.stringify(written.error(reasons)))
}
