import type { FaultRule } from '#data/fleet'
import { sleep } from '#hal/sleep.ts'
import { MessageError, type MessageKey, type Sink, type Stream } from '#runtime/contract'
import { type Answer, failure, type Messages } from '#runtime/request/answer.ts'
import type { Head } from '#runtime/request/head.ts'

/** How often a slow answer goes on, in milliseconds. */
const beat = 100

/** How long the first half of an answer has to reach its client before the connection ends, in milliseconds. */
const parting = 50

/**
 * What goes wrong with the requests to one controller. The seed, the numbers of the controller and of the request among
 * those to it, and the place of a rule decide whether that happens: the same requests in the same order fare alike.
 */
export class Faults {
  readonly #seed: number
  readonly #controller: number
  #rules: readonly { readonly rule: FaultRule; readonly path: RegExp | undefined }[] = []
  #requests = 0

  constructor(seed: number, controller: number, rules: readonly FaultRule[]) {
    this.#seed = seed
    this.#controller = controller
    this.rules = rules
  }

  get some(): boolean {
    return this.#rules.length > 0
  }

  get rules(): readonly FaultRule[] {
    return this.#rules.map(({ rule }) => rule)
  }

  /** The count of requests begins anew with them. */
  set rules(rules: readonly FaultRule[]) {
    this.#requests = 0
    this.#rules = rules.map((rule) => ({ rule, path: rule.path === undefined ? undefined : pattern(rule.path) }))
  }

  /** What goes wrong with the next request; undefined where nothing does. */
  next(head: Head): Upset | undefined {
    if (this.#rules.length === 0) return undefined
    this.#requests += 1
    const [path = ''] = head.target.split('?')
    const met = this.#rules.flatMap(({ rule, path: wanted }, index) => {
      if (wanted !== undefined && !wanted.test(path)) return []
      if (rule.methods !== undefined && !(rule.methods as readonly string[]).includes(head.method)) return []
      return rule.share === undefined || this.#chance(2 * index) < rule.share ? [{ rule, index }] : []
    })
    if (met.length === 0) return undefined
    const delay = met.reduce(
      (sum, { rule, index }) => sum + (rule.delay ?? 0) + (rule.jitter ?? 0) * this.#chance(2 * index + 1),
      0
    )
    return new Upset(
      met.map(({ rule }) => rule),
      delay * 1000
    )
  }

  /** A number from 0 to 1 for one decision about the present request (an integer hash by xor and multiplication). */
  #chance(which: number): number {
    let hash = Math.imul(this.#seed, 0x9e3779b1) ^ Math.imul(this.#controller, 0x85ebca6b)
    hash ^= Math.imul(this.#requests, 0xc2b2ae35) ^ Math.imul(which + 1, 0x27d4eb2f)
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
    hash = Math.imul(hash ^ (hash >>> 13), 0x297a2d39)
    return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32
  }
}

function pattern(path: string): RegExp {
  const parts = path.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}/?$`, 'i')
}

/** What goes wrong with one request. */
export class Upset {
  readonly #rules: readonly FaultRule[]
  /** Milliseconds. */
  readonly delay: number

  constructor(rules: readonly FaultRule[], delay: number) {
    this.#rules = rules
    this.delay = delay
  }

  /** The request as the service gets it. Bodies that are to be changed come unpacked. */
  head(head: Head): Head {
    const { 'accept-encoding': _, 'x-auth-token': token, ...others } = head.headers
    const shown = this.#has('expireSession') ? 'expired' : token
    const headers = token === undefined ? others : { ...others, 'x-auth-token': shown! }
    const slashed = this.#quirk('NoTrailingSlash') ? head.target.replace(/^([^?]*[^?/])(?=\?|$)/, '$1/') : head.target
    return { ...head, headers, target: slashed }
  }

  /** The answer in place of the service's. */
  refusal(messages: Messages): Answer | undefined {
    const rule = this.#rules.find(({ status }) => status !== undefined)
    if (rule?.status === undefined) return undefined
    const { status, retryAfter } = rule
    const key: MessageKey = status === 503 ? 'Base.ServiceTemporarilyUnavailable' : 'Base.InternalError'
    const args = status === 503 ? [String(retryAfter ?? 0)] : []
    const headers = retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) }
    return failure(new MessageError(status, [{ key, args }], headers), messages, '')
  }

  /** The answer as the client gets it. */
  answer(given: Answer): Answer {
    if (given.stream !== undefined) return given
    const changed = this.#bent(this.#quirky(given))
    const { body } = changed
    if (this.#has('hangUp')) return { ...changed, body: undefined, stream: cut(body) }
    const rate = this.#rules.find((rule) => rule.rate !== undefined)?.rate
    if (rate === undefined || body === undefined) return changed
    return { ...changed, body: undefined, stream: slowly(body, rate) }
  }

  #has(member: 'expireSession' | 'hangUp'): boolean {
    return this.#rules.some((rule) => rule[member] === true)
  }

  #quirk(name: NonNullable<FaultRule['quirks']>[number]): boolean {
    return this.#rules.some(({ quirks }) => quirks?.includes(name))
  }

  #quirky(answer: Answer): Answer {
    const { status, body } = answer
    let { headers } = answer
    if (this.#quirk('NoETag')) headers = without(headers, 'ETag')
    else if (this.#quirk('WrongETag')) headers = headers.map((each, i) => (headers[i - 1] === 'ETag' ? '"0"' : each))
    if (status !== 204 || !this.#quirk('OkForNoContent')) return { ...answer, headers }
    return { status: 200, headers: [...without(headers, 'Content-Length'), 'Content-Length', '0'], body }
  }

  /** A body without the members that are missing, and URIs without a slash at their ends. */
  #bent(answer: Answer): Answer {
    const missing = new Set(this.#rules.flatMap((rule) => rule.missing ?? []))
    const slashless = this.#quirk('NoTrailingSlash')
    if (answer.body === undefined || (missing.size === 0 && !slashless)) return answer
    const text = new TextDecoder().decode(answer.body)
    if (!text.startsWith('{')) return answer
    const changed = JSON.stringify(JSON.parse(text), (key, value) => {
      if (missing.has(key)) return undefined
      return slashless && key === '@odata.id' && typeof value === 'string' ? value.replace(/\/$/, '') : value
    })
    const body = new TextEncoder().encode(changed)
    const headers = [...without(answer.headers, 'Content-Length'), 'Content-Length', String(body.length)]
    return { ...answer, headers, body }
  }
}

function without(headers: readonly string[], name: string): readonly string[] {
  const at = headers.indexOf(name)
  return at < 0 ? headers : [...headers.slice(0, at), ...headers.slice(at + 2)]
}

/** The first half of a body, after which the connection ends. */
function cut(body: Uint8Array | undefined): Stream {
  return written(async (sink, isGone) => {
    const text = new TextDecoder().decode(body)
    if (text !== '') sink.write(text.slice(0, text.length >> 1))
    await sleep(parting)
    if (!isGone()) sink.cut()
  })
}

/** A body at so many bytes in a second. */
function slowly(body: Uint8Array, rate: number): Stream {
  return written(async (sink, isGone) => {
    const characters = Array.from(new TextDecoder().decode(body))
    const step = Math.max(1, Math.round((rate * beat) / 1000))
    for (let at = 0; at < characters.length && !isGone(); at += step) {
      sink.write(characters.slice(at, at + step).join(''))
      await sleep((step / rate) * 1000)
    }
    if (!isGone()) sink.end()
  })
}

/** A stream that is told whether its client has gone. */
function written(write: (sink: Sink, isGone: () => boolean) => Promise<void>): Stream {
  return (sink) => {
    let gone = false
    void write(sink, () => gone)
    return () => {
      gone = true
    }
  }
}
