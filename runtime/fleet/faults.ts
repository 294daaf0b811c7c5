import type { FaultRule } from '#data/fleet'
import { utf8, utf8Text } from '#runtime/base/bytes.ts'
import { sleep } from '#runtime/base/sleep.ts'
import { MessageError, type MessageKey, type Sink, type Stream } from '#runtime/contract'
import { type Answer, failure, type Messages } from '#runtime/request/answer.ts'
import type { Head } from '#runtime/request/head.ts'
import { edit, edits } from './edits.ts'

/** How often a slow answer goes on, in milliseconds. */
const beat = 100

/** How long a part of an answer has to reach its client before the connection ends, in milliseconds. */
const parting = 50

/** The longest delay, in seconds. */
const longest = 7200

/** The 99th percentile of the standard normal distribution. */
const normal99 = 2.326

/** From this number on, decisions are about latencies: there are fewer rules. */
const latencies = 1000

/** A URI of the service, up to the slash that its path ends with. */
const slashed = /^(\/redfish(?:\/[^?#]*)?)\/(?=$|[?#])/

/** An entity tag that nothing ever has. */
const wrongTag = '"0"'

/** The connection ends, and there is no answer. The status is for the statistics. */
export const hungUp: Answer = { status: 503, headers: [], body: undefined, stream: cut(undefined, 0) }

/**
 * The faults of the requests to one controller. The seed, the numbers of the controller and of the request among
 * those to it, and the place of a rule decide whether that happens: the same requests in the same order fare alike.
 */
export class Faults {
  readonly #seed: number
  readonly #controller: number
  #rules: readonly Counted[] = []
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

  /** All counts begin anew with them. */
  set rules(rules: readonly FaultRule[]) {
    this.#requests = 0
    this.#rules = rules.map((rule) => ({
      ...{ rule, asked: 0, met: 0 },
      path: rule.path === undefined ? undefined : pattern(rule.path)
    }))
  }

  /**
   * The fault of the next request, if any.
   *
   * @param change of the service's answer, whatever goes wrong with it then
   */
  next(head: Head, change?: Change): Upset | undefined {
    if (this.#rules.length === 0 && change === undefined) return undefined
    this.#requests += 1
    const [path = ''] = head.target.split('?')
    const met = this.#rules.flatMap((counted, index) => {
      const { rule, path: wanted } = counted
      if (wanted !== undefined && !wanted.test(path)) return []
      if (rule.methods !== undefined && !(rule.methods as readonly string[]).includes(head.method)) return []
      counted.asked += 1
      if (counted.asked <= (rule.after ?? 0) || counted.met === rule.times) return []
      if (rule.share !== undefined && this.#chance(2 * index) >= rule.share) return []
      counted.met += 1
      return [{ rule, index }]
    })
    if (met.length === 0 && change === undefined) return undefined
    const delay = met.reduce(
      (sum, { rule, index }) =>
        sum + (rule.delay ?? 0) + (rule.jitter ?? 0) * this.#chance(2 * index + 1) + this.#latency(rule, index),
      0
    )
    return new Upset(
      met.map(({ rule }) => rule),
      Math.min(delay, longest) * 1000,
      change
    )
  }

  /** A random time in seconds. */
  #latency({ latency }: FaultRule, index: number): number {
    if (latency === undefined) return 0
    const { median, p99 } = latency
    const [one, other] = [1 - this.#chance(2 * index + latencies), this.#chance(2 * index + 1 + latencies)]
    if (p99 === undefined) return (median * -Math.log(one)) / Math.LN2
    // A number of the normal distribution (Box and Muller).
    const normal = Math.sqrt(-2 * Math.log(one)) * Math.cos(2 * Math.PI * other)
    return median * Math.exp((Math.log(Math.max(p99 / median, 1)) / normal99) * normal)
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

type Change = (given: Answer) => Answer

/** A rule, and with how many requests it had to do. */
interface Counted {
  readonly rule: FaultRule
  readonly path: RegExp | undefined
  /** Those that it is about. */
  asked: number
  /** Those of them that fared badly. */
  met: number
}

function pattern(path: string): RegExp {
  const parts = path.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}/?$`, 'i')
}

/** The fault of one request. */
export class Upset {
  readonly #rules: readonly FaultRule[]
  /** Milliseconds. */
  readonly delay: number
  readonly #change: Change

  constructor(rules: readonly FaultRule[], delay: number, change: Change = (given) => given) {
    this.#rules = rules
    this.delay = delay
    this.#change = change
  }

  /** For how long the controller is gone, in milliseconds; undefined if it stays. */
  get reboot(): number | undefined {
    const times = this.#rules.flatMap(({ reboot = [] }) => reboot)
    return times.length === 0 ? undefined : Math.max(...times) * 1000
  }

  /** The request as the service gets it. Bodies that are to be changed come unpacked. */
  head(head: Head): Head {
    const { 'accept-encoding': _, 'x-auth-token': token, ...others } = head.headers
    const shown = this.#rules.some(({ expireSession }) => expireSession) ? 'expired' : token
    const headers = token === undefined ? others : { ...others, 'x-auth-token': shown! }
    const target = this.#quirk('NoTrailingSlash') ? head.target.replace(/^([^?]*[^?/])(?=\?|$)/, '$1/') : head.target
    return { ...head, headers, target }
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
  answer(own: Answer): Answer {
    if (own.stream !== undefined) return own
    const given = this.#change(own)
    const changed = this.#bent({ ...given, headers: this.#bentHeaders(given.headers) })
    const { body } = changed
    const share = this.#first('hangUp')
    if (share !== undefined) return { ...changed, body: undefined, stream: cut(body, share) }
    const rate = this.#first('rate')
    if (rate === undefined || body === undefined) return changed
    return { ...changed, body: undefined, stream: slowly(body, rate) }
  }

  /** The value of a member in the first rule that has it. */
  #first<K extends keyof FaultRule>(member: K): FaultRule[K] {
    return this.#rules.find((rule) => rule[member] !== undefined)?.[member]
  }

  #quirk(name: NonNullable<FaultRule['quirks']>[number]): boolean {
    return this.#rules.some(({ quirks }) => quirks?.includes(name))
  }

  #bentHeaders(given: readonly string[]): readonly string[] {
    const headers = this.#quirk('NoETag') ? without(given, 'ETag') : given
    return headers.map((each, i) => {
      const name = i % 2 === 0 ? undefined : headers[i - 1]
      if (name === 'ETag' && this.#quirk('WrongETag')) return wrongTag
      if (!this.#quirk('NoTrailingSlash')) return each
      if (name === 'Location') return unslashed(each)
      return name === 'Link' ? each.replace(/(?<=<)[^>]+(?=>)/g, unslashed) : each
    })
  }

  /** With another body where rules are about what is in it, or without one if it has nothing but messages. */
  #bent(answer: Answer): Answer {
    const missing = new Set(this.#rules.flatMap((rule) => rule.missing ?? []))
    if (this.#quirk('NoETag')) missing.add('@odata.etag')
    const tag = this.#quirk('WrongETag') ? wrongTag : undefined
    const slashless = this.#quirk('NoTrailingSlash')
    if (this.#quirk('NoContentForOk') && answer.status === 200) {
      const isBare = Object.keys(parsed(answer) ?? {}).join() === 'error'
      if (isBare)
        return {
          ...answer,
          status: 204,
          headers: without(without(answer.headers, 'Content-Type'), 'Content-Length'),
          body: undefined
        }
    }
    const editing = this.#rules.filter(edits)
    if (missing.size === 0 && !slashless && tag === undefined && editing.length === 0) return answer
    return rewritten(answer, (key, value) => {
      if (key === '') for (const rule of editing) edit(value as object, rule)
      if (missing.has(key)) return undefined
      if (key === '@odata.etag') return tag ?? value
      return slashless && typeof value === 'string' ? unslashed(value) : value
    })
  }
}

const unslashed = (uri: string): string => uri.replace(slashed, '$1')

/** The JSON object in the body of an answer, if there is one. */
function parsed({ body }: Answer): object | undefined {
  const text = utf8Text(body)
  return text.startsWith('{') ? JSON.parse(text) : undefined
}

/** An answer whose members have other values; those that become undefined are left out. One without JSON stays as it is. */
export function rewritten(given: Answer, change: (key: string, value: unknown) => unknown): Answer {
  const shown = parsed(given)
  if (shown === undefined) return given
  const body = utf8(`${JSON.stringify(shown, change)}\n`)
  const headers = [...without(given.headers, 'Content-Length'), 'Content-Length', String(body.length)]
  return { ...given, headers, body }
}

function without(headers: readonly string[], name: string): readonly string[] {
  const at = headers.indexOf(name)
  return at < 0 ? headers : [...headers.slice(0, at), ...headers.slice(at + 2)]
}

/** A share of a body, after which the connection ends. */
function cut(body: Uint8Array | undefined, share: number): Stream {
  return written(async (sink, isGone) => {
    const text = utf8Text(body)
    const part = text.slice(0, Math.floor(text.length * share))
    if (part !== '') sink.write(part)
    await sleep(parting)
    if (!isGone()) sink.cut()
  })
}

/** A body at so many bytes in a second. */
function slowly(body: Uint8Array, rate: number): Stream {
  return written(async (sink, isGone) => {
    const characters = Array.from(utf8Text(body))
    const step = Math.max(1, Math.round((rate * beat) / 1000))
    for (let at = 0; at < characters.length && !isGone(); at += step) {
      sink.write(characters.slice(at, at + step).join(''))
      await sleep((step / rate) * 1000)
    }
    if (!isGone()) sink.end()
  })
}

/** A stream that learns when its client has gone. */
function written(write: (sink: Sink, isGone: () => boolean) => Promise<void>): Stream {
  return (sink) => {
    let gone = false
    void write(sink, () => gone)
    return () => {
      gone = true
    }
  }
}
