import {
  type Caller,
  fail,
  isOutOfMemory,
  MessageError,
  type Method,
  message,
  type Performers,
  type State,
  type UploadForm
} from '#runtime/contract'
import type { Events } from '#runtime/service/events/events.ts'
import { type Answer, answer, failure, Messages, once } from './answer.ts'
import { type Authentication, anonymous } from './authenticate.ts'
import { authorize, open } from './authorize.ts'
import { AnswerCache } from './cache.ts'
import type { Grants } from './grants.ts'
import { checkContentType, type Head, split } from './head.ts'
import { Origins } from './origin.ts'
import { parseQuery } from './query.ts'
import { Reading } from './read.ts'
import { Refusals } from './refusals.ts'
import { Rendering } from './render.ts'
import type { RouteMatch, Routes } from './routes.ts'
import type { Environment } from './view.ts'
import { Writing } from './write.ts'

/** A request whose body is to be read: at most `limit` bytes of it. */
export interface Pending {
  readonly limit: number
  /** Who sends it; empty for a request without credentials. */
  readonly user: string
  /** Takes the body in place of memory. */
  readonly upload?: PendingUpload
  finish(body: Uint8Array): Promise<Answer>
}

/** Takes a body as it comes, and keeps no more of it than its parameters, which `finish` then takes. */
export interface PendingUpload {
  readonly bytes: Uint8Array
  /** Milliseconds that it may take to arrive. */
  readonly time: number
  /** @returns the answer to a body of which no more is wanted */
  add(chunk: Uint8Array): Answer | undefined
  /** Calls back with that answer where the body does not come as it has to. */
  onRefused(listener: (answer: Answer) => void): void
  /** The request has been answered, or the client has gone. */
  release(): void
}

export type Begun = Answer | Pending

/** The arrival of a request: its connection, and whoever has to know its sender. */
export interface Arrival {
  /** Called with the client, if it is authenticated. */
  identified(caller: Caller): void
  /** When the connection was accepted, by the clock of `performance`. */
  readonly since?: number
}

/** A whole request, as tests make it. */
export interface Request extends Head {
  readonly body?: Uint8Array
}

const known: ReadonlyMap<string, Method> = new Map([
  ['GET', 'GET'],
  ['HEAD', 'GET'],
  ['PATCH', 'PATCH'],
  ['POST', 'POST'],
  ['PUT', 'PUT'],
  ['DELETE', 'DELETE']
])

/**
 * The life of a request, without sockets: route, origin, authenticate, authorize, precondition, body, handler, commit,
 * serialise. `begin` sees the head; where the method has a body, the host reads it and hands it to `finish`.
 */
export class Handling extends Refusals {
  readonly #routes: Routes
  readonly #authentication: Authentication
  readonly #grants: Grants
  readonly #environment: Environment
  readonly #origins: Origins
  readonly #messages: Messages
  readonly #cache: AnswerCache
  readonly #reading: Reading
  readonly #writing: Writing

  /** @param build says which build and configuration made an entity tag: hex digits */
  constructor(
    environment: Environment,
    routes: Routes,
    authentication: Authentication,
    grants: Grants,
    performers: Performers,
    events: Events,
    build: string
  ) {
    const messages = new Messages(environment.configuration.profile)
    super(messages)
    this.#environment = environment
    this.#origins = new Origins(environment.configuration.origins)
    this.#routes = routes
    this.#authentication = authentication
    this.#grants = grants
    this.#messages = messages
    this.#cache = new AnswerCache(environment.configuration.limits.cache, environment.store.revisions)
    const rendering = new Rendering(environment, routes, build, (caller) => this.#reading.instances(caller))
    this.#reading = new Reading(environment, routes, this.#cache, rendering)
    this.#writing = new Writing(environment, grants, rendering, this.#messages, performers, events)
  }

  /**
   * Calls back with the URI of each answer that is not good any more, among them all that were `lasting`; the function
   * returned ends that.
   */
  onDropped(listener: (uri: string) => void): () => void {
    return this.#cache.onDropped(listener)
  }

  /** The whole of it for a request that is already there. */
  async handle(request: Request): Promise<Answer> {
    const begun = await this.begin(request)
    if (!('finish' in begun)) return begun
    const body = request.body ?? new Uint8Array()
    const { upload } = begun
    if (body.length > begun.limit) {
      upload?.release()
      return this.tooLarge()
    }
    if (upload === undefined) return begun.finish(body)
    try {
      return upload.add(body) ?? (await begun.finish(upload.bytes))
    } finally {
      upload.release()
    }
  }

  /**
   * Begins a request of which only the head is there. Never throws, and its promise is never rejected.
   */
  begin(head: Head, arrival?: Arrival): Begun | Promise<Begun> {
    const target = split(head.target)
    const found = this.#routes.find(target.path)
    try {
      if (isGuarded(head, found)) this.#origins.check(head.headers)
      const caller = this.#caller(head, found ?? this.#legacy(target.path), target.search !== undefined)
      if (!(caller instanceof Promise)) return this.#beginFor(caller, head, target, found, arrival)
      return caller
        .then((who) => this.#beginFor(who, head, target, found, arrival))
        .catch((error) => this.fail(error, head, found))
    } catch (error) {
      return this.fail(error, head, found)
    }
  }

  #beginFor(
    caller: Caller,
    head: Head,
    { path, search }: ReturnType<typeof split>,
    found: RouteMatch | undefined,
    arrival: Arrival | undefined
  ): Begun | Promise<Begun> {
    let isOnTrial = false
    if (caller.user !== '') {
      arrival?.identified(caller)
      isOnTrial = this.#environment.network.reached(head.socket, arrival?.since ?? 0)
      this.#environment.httpsPort.reached(head.socket)
    }
    const begun = this.#route(head, path, search, found, caller)
    if (begun instanceof Promise) return begun.catch((error) => this.fail(error, head, found))
    return isOnTrial ? once(begun) : begun
  }

  /** The page is for those who ask for HTML by its name, as browsers do. */
  #showsPage({ headers }: Head): boolean {
    return this.#environment.configuration.page && /\btext\/html\b/i.test(headers.accept ?? '')
  }

  /** Who asks. For what is open that matters only where a query may show more than that. */
  #caller(head: Head, target: RouteMatch | undefined, query: boolean): Caller | Promise<Caller> {
    const method = known.get(head.method)
    if (method === undefined || !open(target, method)) return this.#authentication.identify(head)
    if (query && method === 'GET') return this.#authentication.recognize(head)
    if (method === 'GET') return this.#authentication.recall(head)
    return this.#authentication.certified(head) ?? anonymous(head.address)
  }

  #route(
    head: Head,
    path: string,
    search: string | undefined,
    found: RouteMatch | undefined,
    caller: Caller
  ): Begun | Promise<Begun> {
    try {
      const method = known.get(head.method)
      if (path === '/' && method === 'GET' && !this.#showsPage(head)) {
        return answer(308, ['Location', '/redfish/v1/', 'Vary', 'Accept'], undefined)
      }
      const elsewhere = redirect(path, search, found, method)
      if (elsewhere !== undefined) return answer(308, ['Location', elsewhere], undefined)
      if (method === undefined) fail(501, 'Mgmt.MethodNotImplemented', head.method.slice(0, 16))
      if (found === undefined) {
        // Which paths lead somewhere does not change.
        const lasting = method === 'GET' ? path : undefined
        return { ...this.fail(new MessageError(404, []), head), lasting }
      }
      if (!found.methods.includes(method)) {
        throw new MessageError(405, [message('Base.OperationNotAllowed')])
      }
      const grounds = new Grounds(this.#environment)
      authorize(found, method, caller, grounds)
      if (method !== 'GET' && search !== undefined) fail(400, 'Base.QueryNotSupportedOnOperation')
      if (method === 'GET') {
        const query = search === undefined ? undefined : parseQuery(search, this.#environment.configuration.limits)
        const answered = this.#reading.get(head, found, caller, query)
        if (answered instanceof Promise) {
          return answered.then((settled) => {
            this.#grants.check({ found, method, caller })
            return once(this.#grants.during(settled, found, caller))
          })
        }
        const held = this.#grants.during(answered, found, caller)
        return grounds.isAccount ? held : once(held)
      }
      if (found.route.module.upload !== undefined) return this.#upload(found.route.module.upload, head, found, caller)
      checkContentType(head.headers)
      const { body, bodyBeforeLogin } = this.#environment.configuration.limits
      return {
        limit: caller.user === '' ? bodyBeforeLogin : body,
        user: caller.account,
        finish: async (bytes) => {
          try {
            return await this.#writing.write(head, found, method, caller, bytes)
          } catch (error) {
            return this.fail(error, head, found)
          }
        }
      }
    } catch (error) {
      return this.fail(error, head, found)
    }
  }

  /** A request whose body is an update file. */
  #upload(form: UploadForm, head: Head, found: RouteMatch, caller: Caller): Pending {
    const { uploads } = this.#environment
    const upload = uploads.begin(form, head.headers['content-type'] ?? '', caller)
    const { size: limit, time } = uploads.limits
    let release = () => {}
    return {
      limit,
      user: caller.account,
      upload: {
        get bytes() {
          return upload.bytes
        },
        time,
        add: (chunk) => {
          try {
            upload.add(chunk)
            return undefined
          } catch (error) {
            return this.fail(error, head, found)
          }
        },
        onRefused: (listener) => {
          upload.onRefused((reason) => listener(this.fail(reason, head, found)))
          release = this.#grants.hold({ found, method: 'POST', caller, end: (why) => upload.refuse(why) })
        },
        release: () => {
          release()
          upload.release()
        }
      },
      finish: async (bytes) => {
        try {
          // From here on the change is let through again when it is stored.
          release()
          upload.end()
          const answered = await this.#writing.write(head, found, 'POST', caller, bytes, upload)
          upload.keep()
          return answered
        } catch (error) {
          return this.fail(error, head, found)
        }
      }
    }
  }

  /** The present resource of a path of the former service (`/rest/v1/…`). */
  #legacy(path: string): RouteMatch | undefined {
    const now = modern(path)
    return now === undefined ? undefined : this.#routes.find(now)
  }

  /** The answer to a failure: its registry messages, or `InternalError` and a line in the log for a bug. */
  fail(error: unknown, head: Head, found?: RouteMatch): Answer {
    const { path } = split(head.target)
    if (isOutOfMemory(error)) {
      this.#environment.store.log.error('a request ran out of memory', { method: head.method, path })
      return this.noRoom()
    }
    if (!(error instanceof MessageError)) {
      const { stack, message: cause } = error instanceof Error ? error : { stack: undefined, message: String(error) }
      this.#environment.store.log.error('a request failed', { method: head.method, path, cause, stack })
      return failure(new MessageError(500, [message('Base.InternalError')]), this.#messages, path)
    }
    const allow = found === undefined || error.status !== 405 ? [] : ['Allow', found.allow]
    const answered = failure(error, this.#messages, path, allow)
    return head.method === 'HEAD' ? { ...answered, body: undefined } : answered
  }

  /**
   * The answer to a method that the host's parser does not know. Who has no login does not learn even that.
   *
   * @param head undefined if the parser did not get to see all of it
   */
  async methodUnknown(head: Head = { method: '', target: '', headers: {}, address: '' }): Promise<Answer> {
    try {
      this.#origins.check(head.headers)
      await this.#authentication.identify(head)
      fail(501, 'Mgmt.MethodNotImplemented', head.method.slice(0, 16))
    } catch (error) {
      return this.fail(error, head)
    }
  }
}

/** State and time for `authorize`, which notes whether a permission rests on them or on the caller's account alone. */
class Grounds {
  readonly #environment: Environment
  isAccount = true

  constructor(environment: Environment) {
    this.#environment = environment
  }

  get state(): State {
    this.isAccount = false
    return this.#environment.store
  }

  now(): Date {
    this.isAccount = false
    return this.#environment.now()
  }
}

/** Whether a request changes something or takes one of few places, so that a page of another site may not send it. */
function isGuarded({ method, headers }: Head, found: RouteMatch | undefined): boolean {
  const isRead = method === 'GET' || method === 'HEAD'
  return !isRead || headers.upgrade !== undefined || found?.route.stream === true
}

/** `/rest/v1/x` is `/redfish/v1/x/` now. */
function modern(path: string): string | undefined {
  return /^\/rest\/v1(\/|$)/i.test(path) ? `/redfish/v1${path.slice('/rest/v1'.length)}` : undefined
}

/** The new location of a path, existing or not: for the old prefix, or a missing trailing slash. */
function redirect(
  path: string,
  search: string | undefined,
  found: RouteMatch | undefined,
  method: Method | undefined
): string | undefined {
  const slash = path.endsWith('/')
  const isHere = slash || found?.route.type === undefined || found.route.verbatim || found.uri === '/redfish/v1'
  if (found !== undefined && isHere) return undefined
  const query = search === undefined ? '' : `?${search}`
  const now = modern(path)
  if (now !== undefined) return `${slashed(now)}${query}`
  return method === 'GET' && !slash && /^\/redfish\/v1\//i.test(path) ? `${path}/${query}` : undefined
}

function slashed(path: string): string {
  return path.endsWith('/') ? path : `${path}/`
}
