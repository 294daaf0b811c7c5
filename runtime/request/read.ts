import { gunzipSync } from 'fflate'
import { type Caller, type File, fail, type Get, MessageError, notFound, type Schema } from '#runtime/contract'
import { log, logs } from '#runtime/store/log.ts'
import { type Answer, answer, eventStream } from './answer.ts'
import { authorize } from './authorize.ts'
import type { AnswerCache } from './cache.ts'
import { entityTag, matches } from './etag.ts'
import { accepts, acceptsGzip, type Head } from './head.ts'
import { answerQuery, isCollection, page, type Query } from './query.ts'
import { type Found, isFile, isStream, type Routes } from './routes.ts'
import { type Environment, View, type Volatile } from './view.ts'

/** A resource as it is served, with its `@odata.` properties. */
export type Rendered = Record<string, unknown>

/** GET and HEAD. */
export class Reading {
  readonly #environment: Environment
  readonly #routes: Routes
  readonly #cache: AnswerCache
  readonly #build: string

  constructor(environment: Environment, routes: Routes, cache: AnswerCache, build: string) {
    this.#environment = environment
    this.#routes = routes
    this.#cache = cache
    this.#build = build
  }

  get(head: Head, found: Found, caller: Caller, query: Query | undefined): Answer {
    const wanted = head.headers['if-none-match']
    const cached = query === undefined ? this.#cache.get(found.uri) : undefined
    if (cached !== undefined) {
      checkAccept(head, found)
      const answered =
        wanted !== undefined && matches(wanted, cached.tag) ? unchanged(found, cached.tag) : cached.answer
      return head.method === 'HEAD' ? { ...answered, body: undefined } : answered
    }
    const view = new View(this.#environment, caller)
    const result = this.#run(found, view)
    if (isStream(result)) return this.#stream(head, found, caller)
    if (isFile(result)) return sendFile(result, found, head, this.#build)
    checkAccept(head, found)
    const resource = this.#annotate(found, result, view)
    const tag = entityTag(this.#build, view.revision())
    if (wanted !== undefined && matches(wanted, tag)) {
      uncached(found, 'not modified')
      return unchanged(found, tag)
    }
    const answered = this.#render(found, resource, tag, view, caller, query)
    const cause = query === undefined ? view.volatile : 'query'
    if (cause === undefined) this.#cache.set(found.uri, tag, answered, view.revisions.keys())
    else uncached(found, cause)
    return head.method === 'HEAD' ? { ...answered, body: undefined } : answered
  }

  #stream(head: Head, found: Found, caller: Caller): Answer {
    checkAccept(head, found, 'text/event-stream')
    if (head.method === 'HEAD') return eventStream(['Allow', found.allow])
    return eventStream(['Allow', found.allow], this.#environment.streams.open(caller, head.headers['last-event-id']))
  }

  /**
   * The entity tag of a resource as it is now, and the view that it depends on.
   *
   * @returns undefined where there is nothing to GET, as for an action
   */
  tag(found: Found, caller: Caller): { tag: string; view: View } | undefined {
    if (found.route.module.GET === undefined || found.route.file) return undefined
    const view = new View(this.#environment, caller)
    this.#run(found, view)
    return { tag: entityTag(this.#build, view.revision()), view }
  }

  /** A resource as a caller sees it, for an answer other than its own. */
  show(uri: string, caller: Caller): Rendered {
    const found = this.#routes.find(uri)
    if (found === undefined) throw new RangeError(`nothing at ${uri}`)
    const view = new View(this.#environment, caller)
    return this.#annotate(found, this.#run(found, view), view)
  }

  #run({ route, params, uri }: Found, view: View): object {
    const get = route.module.GET as Get<Schema, string> | undefined
    return get === undefined ? notFound() : get(view.context(params, uri, undefined))
  }

  /**
   * The resource with what the runtime adds: its identity, and `Id` and `Name` where the handler gave none. Its tag also
   * stands in `@Redfish.Settings`, for clients to see whether it changed but by its settings (DSP0268, Settings.ETag).
   */
  #annotate({ route, uri }: Found, result: object, view: View): Rendered {
    if (route.type === undefined) return result as Rendered
    const type = route.type.slice(1, route.type.indexOf('.'))
    const tag = entityTag(this.#build, view.revision())
    const settings = (result as Rendered)['@Redfish.Settings'] as object | undefined
    return {
      '@odata.context': `/redfish/v1/$metadata#${type}.${type}`,
      '@odata.etag': tag,
      '@odata.id': `${uri}/`,
      '@odata.type': route.type,
      ...(route.collection ? undefined : { Id: lastSegment(uri) }),
      Name: type.replace(/(?<=[a-z])(?=[A-Z])/g, ' '),
      ...result,
      ...(settings && { '@Redfish.Settings': { ...settings, ETag: tag } })
    }
  }

  #render(found: Found, whole: Rendered, tag: string, view: View, caller: Caller, query: Query | undefined): Answer {
    const resource = this.#apply(found, whole, view, caller, query)
    const body = query === undefined ? found.route.stringify(resource) : JSON.stringify(resource)
    return answer(200, headers(found, tag), body)
  }

  /** The resource after its query options (DSP0266 7.3). */
  #apply(found: Found, whole: Rendered, view: View, caller: Caller, query: Query | undefined): object {
    const { limits } = this.#environment.configuration
    const read = (uri: string) => this.#member(uri, view, caller)
    return answerQuery(whole, query, `${found.uri}/`, limits, read)
  }

  /** A resource that another one links, if the caller may see it. */
  #member(uri: string, view: View, caller: Caller): object | undefined {
    const found = this.#routes.find(uri)
    if (found === undefined || found.route.module.GET === undefined || found.route.file) return undefined
    try {
      authorize(found, 'GET', caller, this.#environment.store, this.#environment.now)
      const own = new View(this.#environment, caller)
      const resource = this.#annotate(found, this.#run(found, own), own)
      for (const [path, revision] of own.revisions) view.revisions.set(path, revision)
      const { limits } = this.#environment.configuration
      return isCollection(resource) ? page(resource, undefined, `${found.uri}/`, limits) : resource
    } catch (error) {
      if (error instanceof MessageError) return undefined
      throw error
    }
  }
}

/** Says why an answer has to be made again for the next request. */
function uncached({ uri }: Found, cause: Volatile | 'query' | 'not modified'): void {
  if (logs('debug')) log('debug', 'an answer is not cached', { uri, cause })
}

function headers({ route, allow }: Found, tag: string): string[] {
  const link = route.describedBy === undefined ? [] : ['Link', `<${route.describedBy}>; rel=describedby`]
  return ['Allow', allow, 'ETag', tag, ...link]
}

function unchanged(found: Found, tag: string): Answer {
  return answer(304, headers(found, tag), undefined)
}

function checkAccept(head: Head, { route }: Found, type = 'application/json'): void {
  if (!accepts(head.headers.accept, route.file ? type : 'application/json')) fail(406, 'Mgmt.NotAcceptable')
}

/** A file as it is stored, or unpacked for a client that does not take gzip. */
function sendFile({ type, gzip }: File, found: Found, head: Head, build: string): Answer {
  checkAccept(head, found, type.split(';')[0])
  const tag = entityTag(build, 0)
  const wanted = head.headers['if-none-match']
  if (wanted !== undefined && matches(wanted, tag)) return unchanged(found, tag)
  const packed = acceptsGzip(head.headers['accept-encoding'])
  const coding = packed ? ['Content-Encoding', 'gzip'] : []
  const vary = ['Vary', 'Accept-Encoding']
  const body = packed ? gzip : gunzipSync(gzip)
  const answered = answer(200, [...headers(found, tag), ...coding, ...vary], body, { type })
  return head.method === 'HEAD' ? { ...answered, body: undefined } : answered
}

function lastSegment(uri: string): string {
  return decodeURIComponent(uri.slice(uri.lastIndexOf('/') + 1))
}
