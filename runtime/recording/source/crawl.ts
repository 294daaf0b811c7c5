import { Client } from 'undici'
import { concatenated, strictUtf8Text } from '#runtime/base/bytes.ts'
import { sleep } from '#runtime/base/sleep.ts'
import { isPersonal } from '../redaction/redact.ts'
import { isObject, pathOf, type Resource, textIn, typeOf } from '../resources.ts'
import { joined } from './pages.ts'

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

/** The most bytes of one answer, and of all of them. */
const longest = 8_388_608
const longestAll = 268_435_456

/** The most redirections to another path of the same server. */
const redirections = 5

const root = '/redfish/v1'

/**
 * Reads all resources that the links of a service lead to, one after another, with GET.
 *
 * @param said called with each that is not recorded, and why
 * @throws Error if the service root cannot be read
 */
export async function crawl(source: Source, said: (line: string) => void): Promise<Map<string, Resource>> {
  const resources = new Map<string, Resource>()
  const waiting = new Map([[root, `${root}/`]])
  const reader = new Reader(source)
  try {
    for (const [path, link] of waiting) {
      if (resources.size >= source.most || reader.bytes >= longestAll) {
        said(`there are more than ${resources.size} resources: the rest is left out`)
        break
      }
      try {
        const resource = await whole(reader, link)
        resources.set(path, tidy(resource))
        for (const each of links(resource))
          if (waiting.size < 4 * source.most && !waiting.has(pathOf(each))) waiting.set(pathOf(each), each)
      } catch (error) {
        const { message } = error as Error
        const hint = /certificate/.test(message) && !source.insecure ? ' (--insecure accepts any)' : ''
        if (path === root) throw new Error(`${source.url.origin}${link}: ${message}${hint}`)
        said(`${path}: ${message}`)
      }
    }
  } finally {
    await reader.close()
  }
  return resources
}

/**
 * A resource; a collection with the members of all its pages.
 *
 * @throws Error if there is no end of them
 */
async function whole(reader: Reader, link: string): Promise<Resource> {
  const pages = joined(await reader.get(link), link)
  let step = pages.next()
  while (!step.done) {
    if (reader.bytes >= longestAll) throw new Error(`with its pages, there are more than ${longestAll} bytes`)
    step = pages.next(isOwn(pathOf(step.value)) ? await reader.get(step.value) : undefined)
  }
  return step.value
}

/** Makers whose accounts are slots have 10 and more. */
const mayBeSlots = (type: string, members: readonly unknown[]) =>
  type === 'ManagerAccountCollection' && members.length >= 8

/** A resource without what is of its moment, and without persons. */
export function tidy(resource: Resource): Resource {
  const { '@odata.etag': _, ...rest } = resource
  const settings = rest['@Redfish.Settings']
  if (isObject(settings)) {
    const { ETag: __, Messages: ___, ...whole } = settings
    return { ...rest, '@Redfish.Settings': whole }
  }
  const { Members: members } = rest
  if (!isPersonal(typeOf(rest)) || !Array.isArray(members) || mayBeSlots(typeOf(rest), members)) return rest
  return { ...rest, Members: [], 'Members@odata.count': 0 }
}

/** The links of a resource to others of the same service, and to the files of attribute registries. */
function links(resource: Resource): string[] {
  const found = new Set<string>()
  const isRegistry = /attribute/i.test(textIn(resource, 'Registry') || textIn(resource, 'Id'))
  const look = (value: unknown) => {
    if (Array.isArray(value)) value.forEach(look)
    if (!isObject(value)) return
    const link = value['@odata.id']
    if (typeof link === 'string') found.add(link.replace(/[#?].*$/s, ''))
    if (isRegistry && typeof value.Uri === 'string') found.add(value.Uri)
    Object.values(value).forEach(look)
  }
  look(tidy(resource))
  return [...found].filter((link) => isOwn(pathOf(link)))
}

/** Whether a path is one of the service's resources. The schemas of types are not recorded. */
function isOwn(path: string): boolean {
  return (
    /^\/redfish\/v1\/[!-~]+$/.test(path) &&
    path.length < 1024 &&
    !/\/(JsonSchemas|SchemaStore|schemas)(\/|$)/.test(path)
  )
}

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

/** Asks a service, over one connection for as long as all goes well. */
class Reader {
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
