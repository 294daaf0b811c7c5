import { Client } from 'undici'
import { concatenated, strictUtf8Text, utf8Text } from '#runtime/base/bytes.ts'
import { sleep } from '#runtime/base/sleep.ts'
import { isObject, type Resource } from '../resources.ts'

/** Where a service is, and how patient the recorder is with it. */
export interface Source {
  readonly url: URL
  /** The header of this name. */
  readonly authorization: string | undefined
  /** Whether its certificate may be any. */
  readonly insecure: boolean
  /** Seconds that an answer may take. */
  readonly time: number
  /** The most resources. */
  readonly most: number
  /** How often a service that says that it is busy is asked for a resource. */
  readonly tries: number
  /** The most seconds before it is asked again. */
  readonly wait: number
}

/** The most bytes of one answer. */
const longest = 8_388_608

/** The most redirections to another path of the same server. */
const redirections = 5

interface Answered {
  readonly status: number
  readonly text: string
  readonly location: string | undefined
  readonly retryAfter: string | undefined
}

const one = (header: string | string[] | undefined) => (Array.isArray(header) ? header[0] : header)

/** Seconds from now on; undefined if the header says nothing that can be read. */
function retryAfter(header = ''): number | undefined {
  const seconds = /^\d+$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000
  return Number.isNaN(seconds) ? undefined : Math.max(0, seconds)
}

/** How long a stream is read: some seconds, and bytes at most. */
export interface StreamLimits {
  readonly seconds: number
  readonly bytes: number
}

export interface Streamed {
  readonly text: string
  /** The reason for its end: the seconds or the bytes were reached, or the service ended it. */
  readonly end: 'time' | 'bytes' | 'service'
}

/** Asks a service, over one connection for as long as all goes well. */
export class Reader {
  readonly #source: Source
  #client: Client | undefined
  /** Of all answers. */
  bytes = 0

  constructor(source: Source) {
    this.#source = source
  }

  /** @throws Error with what is wrong with the answer */
  async get(path: string, left = redirections): Promise<Resource> {
    const { url } = this.#source
    const { status, location, text } = await this.#patiently(path)
    if (status === 200) return object(text)
    if (status < 300 || status >= 400 || location === undefined) throw new Error(`status ${status}`)
    const next = new URL(/^\/(?!\/)/.test(location) ? `${url.origin}${location}` : location)
    if (next.origin !== url.origin) throw new Error(`it redirects to another server, ${next.origin}`)
    if (left === 0) throw new Error('it redirects too often')
    return await this.get(`${next.pathname}${next.search}`, left - 1)
  }

  /** Asks a busy service again, when it says so (RFC 9110 10.2.3, RFC 6585 4), or else after twice the time each time. */
  async #patiently(path: string): Promise<Answered> {
    const { tries, wait } = this.#source
    for (let count = 1; ; count += 1) {
      const answered = await this.#ask(path)
      if (answered.status !== 503 && answered.status !== 429) return answered
      if (count >= tries) throw new Error(`status ${answered.status}, ${count} times`)
      const seconds = retryAfter(answered.retryAfter) ?? Math.min(2 ** (count - 1), wait)
      if (seconds > wait) throw new Error(`status ${answered.status}, for ${Math.ceil(seconds)} s`)
      await sleep(seconds * 1000)
    }
  }

  /** @throws Error if there is no answer, or not in time */
  async #ask(path: string): Promise<Answered> {
    const { authorization, time } = this.#source
    const client = this.#open()
    let late = false
    const timer = setTimeout(() => {
      late = true
      void client.destroy()
    }, time * 1000)
    try {
      const headers = { accept: 'application/json', ...(authorization !== undefined && { authorization }) }
      const { statusCode, headers: answered, body } = await client.request({ method: 'GET', path, headers })
      const text = await read(body)
      this.bytes += text.length
      return { status: statusCode, text, location: one(answered.location), retryAfter: one(answered['retry-after']) }
    } catch (error) {
      await this.close()
      throw late ? new Error(`it takes longer than ${time} s`) : error
    } finally {
      clearTimeout(timer)
    }
  }

  /**
   * Reads a stream of Server-Sent Events for some seconds, or until it has so many bytes.
   *
   * @param begun called when the service sends the stream
   * @returns its text, and whether the limit of bytes cut it off, or the service ended it
   * @throws Error for another answer, or none in time
   */
  async stream(path: string, { seconds, bytes }: StreamLimits, begun: () => void): Promise<Streamed> {
    const { authorization, time } = this.#source
    const client = this.#open()
    const chunks: Uint8Array[] = []
    let size = 0
    let timer = setTimeout(() => void client.destroy(), time * 1000)
    let end: Streamed['end'] | undefined
    try {
      const headers = { accept: 'text/event-stream', ...(authorization !== undefined && { authorization }) }
      const { statusCode, body } = await client.request({ method: 'GET', path, headers, bodyTimeout: 0 })
      clearTimeout(timer)
      if (statusCode !== 200) throw new Error(`status ${statusCode}`)
      timer = setTimeout(() => {
        end = 'time'
        void client.destroy()
      }, seconds * 1000)
      begun()
      for await (const chunk of body) {
        size += chunk.length
        if (size > bytes) {
          end = 'bytes'
          break
        }
        chunks.push(chunk)
      }
    } catch (error) {
      if (chunks.length === 0 && end === undefined) throw error
    } finally {
      clearTimeout(timer)
      await this.close()
    }
    return { text: utf8Text(concatenated(chunks)), end: end ?? 'service' }
  }

  #open(): Client {
    const { url, time, insecure } = this.#source
    const milliseconds = time * 1000
    this.#client ??= new Client(url.origin, {
      connect: { timeout: milliseconds, rejectUnauthorized: !insecure },
      headersTimeout: milliseconds,
      bodyTimeout: milliseconds,
      pipelining: 1
    })
    return this.#client
  }

  async close(): Promise<void> {
    const client = this.#client
    this.#client = undefined
    if (client !== undefined && !client.destroyed) await client.destroy()
  }
}

/** @throws Error for what is no JSON object */
function object(text: string): Resource {
  const value = JSON.parse(text) as unknown
  if (!isObject(value)) throw new Error('it is not a JSON object')
  return value
}

/** @throws Error for what is too long, or no UTF-8 */
async function read(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > longest) throw new Error(`it has more than ${longest} bytes`)
    chunks.push(chunk)
  }
  return strictUtf8Text(concatenated(chunks))
}
