import profiles from '#data/profiles.json' with { type: 'json' }
import {
  define,
  type Message,
  type MessageError,
  type MessageKey,
  message,
  messageText,
  registryVersion,
  type Stream
} from '#runtime/contract'

/** An answer as both hosts send it. `headers` is flat: name, value, name, value, … */
export interface Answer {
  readonly status: number
  readonly headers: readonly string[]
  readonly body: Uint8Array | undefined
  /** Rests on nothing but records and devices, whose changes the revisions announce. */
  readonly lasting?: boolean | undefined
  /** Takes over when the head is sent, and writes for as long as the client reads. */
  readonly stream?: Stream | undefined
}

type Profile = keyof typeof profiles

/** The way in which a profile writes messages. */
export class Messages {
  readonly #profile: (typeof profiles)[Profile]

  constructor(profile: Profile) {
    this.#profile = profiles[profile]
  }

  /** The `error` object of DSP0266 8.6: for failures, and for successes with something to say. */
  error(messages: readonly Message[]): object {
    const code = this.#profile.code
    return {
      error: {
        code,
        message: messageText({ key: this.#profile.codeKey as MessageKey, args: [] }),
        ...this.annotation(messages)
      }
    }
  }

  annotation(messages: readonly Message[]): object {
    return { '@Message.ExtendedInfo': messages.map((each) => this.#write(each)) }
  }

  /** The message id with the version that this profile gives it. */
  id(key: MessageKey): string {
    const [registry = '', name = ''] = key.split('.')
    const versions: Readonly<Record<string, string>> = this.#profile.versions
    return `${registry}.${versions[key] ?? versions[registry] ?? registryVersion(registry)}.${name}`
  }

  #write({ key, args, related }: Message): object {
    const short = { MessageId: this.id(key), MessageArgs: args, ...(related && { RelatedProperties: related }) }
    if (!this.#profile.verbose) return short
    const { Severity, MessageSeverity, Resolution } = define(key)
    const text = messageText({ key, args })
    return { '@odata.type': '#Message.v1_1_2.Message', ...short, Message: text, Severity, MessageSeverity, Resolution }
  }
}

const encoder = new TextEncoder()

/** Headers of every answer (DSP0266 8.4.1 and the protections of OWASP that fit an API). */
const always = ['OData-Version', '4.0', 'X-Content-Type-Options', 'nosniff']

/** An answer with a JSON body, or with none. `secret` keeps it out of every cache. */
export function answer(
  status: number,
  headers: readonly string[],
  body: string | Uint8Array | undefined,
  { secret = false, type = 'application/json;charset=utf-8', lasting = false } = {}
): Answer {
  const bytes = typeof body === 'string' ? encoder.encode(body) : body
  const content = bytes === undefined ? [] : ['Content-Type', type]
  const length = status === 204 || status === 304 ? [] : ['Content-Length', String(bytes?.length ?? 0)]
  const cache = ['Cache-Control', secret ? 'no-store' : 'no-cache']
  return { status, headers: [...always, ...cache, ...content, ...length, ...headers], body: bytes, lasting }
}

/** An answer that goes on: Server-Sent Events (HTML Living Standard 9.2). To HEAD there is no `stream`. */
export function eventStream(headers: readonly string[], stream?: Stream): Answer {
  const content = ['Content-Type', 'text/event-stream', 'Cache-Control', 'no-store']
  return { status: 200, headers: [...always, ...content, ...headers], body: undefined, stream }
}

/** The answer to a failure that a client may be told of. */
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
