import { gunzipSync } from 'fflate'
import type { Instance } from '#data/service-root'
import { utf8, utf8Text } from '#runtime/base/bytes.ts'
import { type Caller, type File, fail, MessageError, notFound } from '#runtime/contract'
import { type Answer, answer, download, eventStream, once } from './answer.ts'
import { authorize, type Grounds } from './authorize.ts'
import type { Basis } from './basis.ts'
import type { AnswerCache, CachedAnswer } from './cache.ts'
import { callerKey, queryKey } from './cache-keys.ts'
import { matches, tagAt } from './etag.ts'
import { type Content, expand, readExpansion } from './expand.ts'
import { accepts, acceptsGzip, type Head, split } from './head.ts'
import { chooseMembers, type Query, readsOthers, soleMember, withoutOnly } from './query.ts'
import { RefusedQueries } from './refused-queries.ts'
import type { Rendering } from './render.ts'
import {
  isBytes,
  isConsole,
  isDump,
  isFile,
  isMediumSocket,
  type Route,
  type RouteMatch,
  type Routes
} from './routes.ts'
import { selectFrom } from './select.ts'
import { presentAnswer, presentBody } from './timed-answer.ts'
import { Turns, toEnd, type Work } from './turns.ts'
import type { Environment } from './view.ts'
import { acceptWebSocket, asksForWebSocket, upgradeRequired } from './web-socket.ts'

/**
 * Routes whose answers differ from caller to caller, without and with a query. This is a property of the handlers, the
 * same for all services.
 */
const [differing, differingQueries] = [new WeakSet<Route>(), new WeakSet<Route>()]

/** GET and HEAD. */
export class Reading {
  readonly #environment: Environment
  readonly #grounds: Grounds
  readonly #routes: Routes
  readonly #cache: AnswerCache
  readonly #rendering: Rendering
  readonly #links = new WeakMap<Answer, readonly RouteMatch[]>()
  /** Not before a query that reads others: few controllers of a fleet get one. */
  #turns: Turns | undefined
  #refused: RefusedQueries | undefined

  constructor(environment: Environment, routes: Routes, cache: AnswerCache, rendering: Rendering) {
    this.#environment = environment
    this.#grounds = { state: environment.store, now: environment.now }
    this.#routes = routes
    this.#cache = cache
    this.#rendering = rendering
  }

  /**
   * A promise where others are read for the answer: they may be many, so that other requests have their turns. Also where
   * another program is asked for what it has.
   */
  get(head: Head, found: RouteMatch, caller: Caller, query: Query | undefined): Answer | Promise<Answer> {
    if (query === undefined) return this.#whole(head, found, caller)
    const key = queryKey(found, query, caller, differingQueries.has(found.route))
    const cached = this.#cache.get(key)
    if (cached !== undefined) {
      checkAccept(head, found)
      return conditional(head, found, presentAnswer(cached, this.#environment.now))
    }
    const basis = this.#rendering.basis(caller)
    const result = this.#rendering.run(found, basis)
    const special = this.#special(head, found, caller, result, query)
    if (special !== undefined) return special
    checkAccept(head, found)
    if (query.only) {
      const sole = this.#routes.find(soleMember(result) ?? '')
      const member = sole !== undefined && isReadable(sole, caller, this.#grounds) ? sole : found
      const answered = this.get(head, member, caller, withoutOnly(query))
      // Whether it is the only member is not in its own basis.
      return answered instanceof Promise ? answered : once(answered)
    }
    const work = this.#answerQuery(head, found, key, query, basis, result, caller)
    if (!readsOthers(query)) return toEnd(work)
    this.#refused ??= new RefusedQueries()
    this.#refused.check(key)
    this.#turns ??= new Turns()
    return this.#turns.run(work).catch((error) => {
      if (error instanceof MessageError && error.status === 507) this.#refused?.remember(key, basis)
      throw error
    })
  }

  #whole(head: Head, found: RouteMatch, caller: Caller): Answer | Promise<Answer> {
    const cached = this.#cache.get(this.#key(found, caller))
    if (cached !== undefined) {
      checkAccept(head, found)
      return conditional(head, found, presentAnswer(cached, this.#environment.now))
    }
    const basis = this.#rendering.basis(caller)
    const result = this.#rendering.run(found, basis)
    const special = this.#special(head, found, caller, result)
    if (special !== undefined) return special
    checkAccept(head, found)
    return conditional(head, found, this.#wholeAnswer(found, caller, result, basis))
  }

  #wholeAnswer(found: RouteMatch, caller: Caller, result: object, basis: Basis): CachedAnswer {
    const { text, tag, moments } = this.#rendering.render(found, result, basis)
    if (basis.volatile === 'caller') differing.add(found.route)
    return this.#keep(found, this.#key(found, caller), text, tag, moments, basis)
  }

  #key(found: RouteMatch, caller: Caller): string {
    return differing.has(found.route) ? callerKey(found, caller) : found.uri
  }

  /** The answer of a handler that does not return a resource. */
  #special(
    head: Head,
    found: RouteMatch,
    caller: Caller,
    result: object,
    query?: Query
  ): Answer | Promise<Answer> | undefined {
    if (found.route.stream) return this.#stream(head, found, caller, query)
    if (isConsole(result)) return this.#console(head, result.console, found, caller)
    if (isMediumSocket(result)) return this.#medium(head, result.drive, caller)
    if (isDump(result)) return this.#dump(head, result.dump, found)
    if (isBytes(result)) return bytesAnswer(head, result.bytes, found)
    return isFile(result) ? this.#file(result, found, head) : undefined
  }

  /**
   * The entity tag covers what the query options but `$select` ask for (DSP0266 7.3): what `$select` shows has the tag of
   * the whole.
   */
  *#answerQuery(
    head: Head,
    found: RouteMatch,
    key: string,
    query: Query,
    basis: Basis,
    result: object,
    caller: Caller
  ): Work<Answer> {
    // The same query may have been refused while this one waited for its turn.
    this.#refused?.check(key)
    const { limits } = this.#environment.configuration
    const members = new Map<string, CachedAnswer | undefined>()
    const read = (uri: string) => {
      if (!members.has(uri)) members.set(uri, this.#member(uri, caller, basis))
      return members.get(uri)?.answer as Content | undefined
    }
    const moment = () => basis.moment(this.#environment.now)
    // Members and what is selected are chosen for one time: its places are known only in whole answers.
    const parsed = (content: Content) => {
      if (content.moments !== undefined) basis.depends('clock')
      return JSON.parse(utf8Text(presentBody(content, moment())))
    }
    const shown = this.#rendering.shown(found, result, basis)
    const resource = yield* chooseMembers(shown, query, `${found.uri}/`, limits, (uri) => {
      const member = read(uri)
      return member && parsed(member)
    })
    const text = found.route.stringify(resource)
    const { expand: expansion, select } = query
    if (expansion !== undefined) yield* readExpansion(lined(text), expansion, limits.expandResources, read)
    const parts = expansion === undefined ? [] : [...members.values()].filter((member) => member !== undefined)
    const rendition = this.#rendering.rendition(found, text, basis, parts)
    const own = lined(rendition.text, rendition.moments)
    const whole = expansion === undefined ? own : yield* expand(own, expansion, read)
    const { body, moments } = select === undefined ? whole : lined(JSON.stringify(selectFrom(parsed(whole), select)))
    if (basis.volatile === 'caller') differingQueries.add(found.route)
    const kept = queryKey(found, query, caller, differingQueries.has(found.route))
    const made = this.#keep(found, kept, body, rendition.tag, moments, basis)
    // Its members are as old as they are in the cache.
    return conditional(head, found, presentAnswer(made, moment))
  }

  /** An answer, which is for one request only where the cache does not keep it. */
  #keep(
    found: RouteMatch,
    key: string,
    body: string | Uint8Array,
    tag: string,
    moments: Int32Array | undefined,
    basis: Basis
  ): CachedAnswer {
    // The host repeats an answer to all sessions of an account, and a handler may distinguish sessions.
    const lasting = basis.volatile === undefined ? key : undefined
    const made = { tag, answer: { ...answer(200, headers(found, tag), body, { lasting }), moments } }
    // The keys of answers that differ from one caller to another have the caller in them.
    const volatile = basis.volatile === 'caller' ? undefined : basis.volatile
    const isKept = basis.isCurrent() && this.#cache.set(key, made, { volatile, revisions: basis.revisions })
    return isKept ? made : { tag, answer: once(made.answer) }
  }

  #stream(head: Head, found: RouteMatch, caller: Caller, query: Query | undefined): Answer {
    checkAccept(head, found, 'text/event-stream')
    if (head.method === 'HEAD') return eventStream(['Allow', found.allow])
    return eventStream(
      ['Allow', found.allow],
      this.#environment.streams.begin(caller, head.port ?? 0, head.headers['last-event-id'], query?.filter)
    )
  }

  /** Its last output, or a WebSocket to a client that asks for one. */
  #console(head: Head, system: string, found: RouteMatch, caller: Caller): Answer {
    const { consoles } = this.#environment
    if (asksForWebSocket(head)) {
      const agreed = acceptWebSocket(head)
      const withHistory = split(head.target).search?.split('&').includes('history=true')
      return { status: 101, headers: agreed, body: undefined, exchange: consoles.begin(system, caller, withHistory) }
    }
    return bytesAnswer(head, consoles.recent(system), found)
  }

  #dump(head: Head, dump: string, found: RouteMatch): Answer | Promise<Answer> {
    checkAccept(head, found, 'application/octet-stream')
    const headers = ['Allow', found.allow]
    if (head.method === 'HEAD') return download(headers)
    return (this.#environment.dumps ?? notFound()).read(dump).then((stream) => download(headers, stream))
  }

  /** A WebSocket over which a client gives a drive its file. */
  #medium(head: Head, drive: string, caller: Caller): Answer {
    if (!asksForWebSocket(head)) throw upgradeRequired()
    const agreed = acceptWebSocket(head)
    return { status: 101, headers: agreed, body: undefined, exchange: this.#environment.media.begin(drive, caller) }
  }

  /** A file as it is stored, or unpacked for a client that does not take gzip: anybody may ask for that, so it is cached. */
  #file(
    { type, gzip, tag, describedBy, headers: more = [], immutable = false, changes = false }: File,
    found: RouteMatch,
    head: Head
  ): Answer {
    checkAccept(head, found, type.split(';')[0])
    const made = (coding: string[], body: Uint8Array) =>
      answer(200, [...headers(found, tag, describedBy), ...coding, ...more, 'Vary', 'Accept-Encoding'], body, {
        type,
        cache: immutable ? 'forever' : 'checked',
        lasting: changes ? undefined : found.uri
      })
    if (acceptsGzip(head.headers['accept-encoding'])) {
      return conditional(head, found, { tag, answer: made(['Content-Encoding', 'gzip'], gzip) })
    }
    const unpacked = `${found.uri} unpacked`
    const cached = this.#cache.get(unpacked)
    if (cached !== undefined) return conditional(head, found, cached)
    const answered = made([], gunzipSync(gzip))
    if (!changes) this.#cache.set(unpacked, { tag, answer: answered })
    return conditional(head, found, { tag, answer: answered })
  }

  /** See `instances` of the context. */
  instances(caller: Caller): Instance[] {
    const instances: Instance[] = []
    const root = this.#routes.find('/redfish/v1/')!
    const matches = new Map([[root.uri, root]])
    for (const found of matches.values()) {
      if (!isReadable(found, caller, this.#grounds)) continue
      const shown =
        this.#cache.get(this.#key(found, caller)) ?? this.#made(found, caller, this.#rendering.basis(caller))
      if (shown === undefined) continue
      const ETag = shown.answer.moments === undefined ? shown.tag : tagAt(shown.tag, this.#environment.now())
      instances.push({ '@odata.id': `${found.uri}/`, '@odata.type': found.route.type!, ETag })
      for (const linked of this.#listed(shown.answer)) matches.set(linked.uri, linked)
    }
    // The hosts write the members of a resource in orders of their own, and so find the links in such orders.
    return instances.sort((one, other) => (one['@odata.id'] < other['@odata.id'] ? -1 : 1))
  }

  /** The resources of the directory that an answer links: a cached answer is looked through once. */
  #listed(answered: Answer): readonly RouteMatch[] {
    const known = this.#links.get(answered)
    if (known !== undefined) return known
    const links = [...linksIn(utf8Text(answered.body))]
    const listed = links
      .map((link) => this.#routes.find(link))
      .filter((found) => found !== undefined)
      .filter(({ route: { type } }) => type !== undefined && !unlisted.test(type))
    this.#links.set(answered, listed)
    return listed
  }

  /** A resource that another one links, if the caller may see it. The answer depends on all that it depends on. */
  #member(uri: string, caller: Caller, basis: Basis): CachedAnswer | undefined {
    const { store, now } = this.#environment
    const found = this.#routes.find(uri)
    const grounds = {
      get state() {
        basis.depends('caller')
        return store
      },
      now() {
        basis.depends('clock')
        return now()
      }
    }
    if (found === undefined || !isReadable(found, caller, grounds)) return undefined
    const cached = this.#cache.get(this.#key(found, caller))
    if (cached !== undefined) {
      for (const path of cached.dependencies) basis.track(path)
      if (differing.has(found.route)) basis.depends('caller')
      return cached
    }
    const own = this.#rendering.basis(caller)
    const made = this.#made(found, caller, own)
    basis.include(own)
    return made
  }

  /** The answer that a caller gets, or undefined if there is nothing. */
  #made(found: RouteMatch, caller: Caller, basis: Basis): CachedAnswer | undefined {
    return readable(() => this.#wholeAnswer(found, caller, this.#rendering.run(found, basis), basis))
  }
}

/** Resources that the resource directory does not list: itself, where the files are, and entries of logs. */
const unlisted = /^#(VendorResourceDirectory|(JsonSchema|MessageRegistry)File(Collection)?|LogEntry)\./

/** The links in the text of a resource. */
function linksIn(text: string): Set<string> {
  const links = new Set<string>()
  for (const name of ['"@odata.id":"', '"@Redfish.ActionInfo":"']) {
    for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + name.length)) {
      const link = text.slice(at + name.length, text.indexOf('"', at + name.length))
      if (link.endsWith('/') && !link.includes('#')) links.add(link)
    }
  }
  return links
}

/** Whether there is a resource that the caller may read. */
function isReadable(found: RouteMatch, caller: Caller, grounds: Grounds): boolean {
  if (found.route.module.GET === undefined || found.route.file) return false
  const allowed = readable(() => {
    authorize(found, 'GET', caller, grounds)
    return true
  })
  return allowed ?? false
}

/** The result of reading, or undefined if it is refused: there is nothing, or not for this caller. */
function readable<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof MessageError) return undefined
    throw error
  }
}

/** JSON with its final newline. */
function lined(text: string, moments?: Int32Array): Content {
  return { body: utf8(`${text}\n`), moments }
}

/** The answer, or 304 for a client that has it (RFC 9110 13.1.2). */
function conditional(head: Head, found: RouteMatch, { tag, answer: whole }: CachedAnswer): Answer {
  const wanted = head.headers['if-none-match']
  const answered = wanted !== undefined && matches(wanted, tag) ? unchanged(found, tag, whole) : whole
  if (head.method !== 'HEAD') return answered
  // Moments are places of the body.
  return answered.moments === undefined ? { ...answered, body: undefined } : once({ ...answered, body: undefined })
}

function bytesAnswer(head: Head, body: Uint8Array, found: RouteMatch): Answer {
  const type = 'application/octet-stream'
  checkAccept(head, found, type)
  const answered = answer(200, ['Allow', found.allow], body, { type, cache: 'never' })
  return head.method === 'HEAD' ? { ...answered, body: undefined } : answered
}

function headers({ route, allow }: RouteMatch, tag: string, describedBy = route.describedBy): string[] {
  const link = describedBy === undefined ? [] : ['Link', `<${describedBy}>; rel=describedby`]
  return ['Allow', allow, 'ETag', tag, ...link]
}

function unchanged(found: RouteMatch, tag: string, { lasting, moments }: Answer): Answer {
  return answer(304, headers(found, tag), undefined, { lasting: moments === undefined ? lasting : undefined })
}

function checkAccept(head: Head, { route }: RouteMatch, type = 'application/json'): void {
  if (!accepts(head.headers.accept, route.file ? type : 'application/json')) fail(406, 'Mgmt.NotAcceptable')
}
