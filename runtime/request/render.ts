import type { Instance } from '#data/service-root'
import type { UpdateUpload } from '#data/updates'
import { type Caller, type Context, type Get, notFound } from '#runtime/contract'
import type { Schema } from '#runtime/schema'
import { Basis } from './basis.ts'
import type { CachedAnswer } from './cache.ts'
import { complete, isThere } from './derived.ts'
import { entityTag, tagAt, timedTag } from './etag.ts'
import { firstPage } from './query.ts'
import type { RouteMatch, Routes } from './routes.ts'
import { momentsIn, withoutTimes } from './timed-answer.ts'
import { type Environment, type Sources, View } from './view.ts'

/** A resource as it is served, with its `@odata.` properties. */
export type Rendered = Record<string, unknown>

/** The JSON of a resource, and its entity tag. */
interface Rendition {
  readonly text: string
  readonly tag: string
  /** Where the text shows the time, if it does; see `Answer`. */
  readonly moments: Int32Array | undefined
}

/** Runs the handlers of GET and serialises what they return. */
export class Rendering {
  readonly #environment: Environment
  readonly #sources: Sources
  readonly #routes: Routes
  readonly #build: string

  constructor(environment: Environment, routes: Routes, build: string, instances: (caller: Caller) => Instance[]) {
    this.#environment = environment
    this.#sources = { ...environment, instances, parameters: (action) => routes.parameters(action) }
    this.#routes = routes
    this.#build = build
  }

  /** A new record of everything that an answer to a caller depends on. @param localAddress that the request reached */
  basis(caller: Caller, localAddress?: string): Basis {
    return new Basis(this.#environment.store.revisions, caller, localAddress)
  }

  /** The context of a handler, which notes what it reads in a basis. @throws MessageError 404 where there is nothing */
  context<B>(found: RouteMatch, basis: Basis, body: B, upload?: UpdateUpload): Context<string, B> {
    return this.#view(found, basis).context(found.params, found.uri, body, upload)
  }

  #view({ route, params }: RouteMatch, basis: Basis): View {
    const view = new View(this.#sources, basis)
    return isThere(route.exists, { params, machine: view, state: view }) ? view : notFound()
  }

  /**
   * The entity tag that a condition on a write is compared with, and the basis of it: those of the resource,
   * and for an action those of the resource that owns it.
   *
   * @returns undefined if there is nothing to GET
   * @throws MessageError 404 where there is nothing
   */
  tag(found: RouteMatch, caller: Caller): { tag: string; basis: Basis } | undefined {
    const owner = found.route.action ? this.#routes.find(found.uri.slice(0, found.uri.indexOf('/Actions/'))) : found
    if (owner === undefined || owner.route.module.GET === undefined || owner.route.file) return undefined
    const basis = this.basis(caller)
    if (owner !== found) this.#view(found, basis)
    return { tag: this.render(owner, this.run(owner, basis), basis).tag, basis }
  }

  /** The URI of a resource as clients know it. */
  located(uri: string): string {
    return this.#routes.shown(uri)
  }

  /** A resource as a caller sees it, for an answer other than its own. */
  show(uri: string, caller: Caller): Rendered {
    const found = this.#routes.find(uri)
    if (found === undefined) throw new RangeError(`nothing at ${uri}`)
    const basis = this.basis(caller)
    return JSON.parse(this.render(found, this.run(found, basis), basis).text)
  }

  /** The result of a handler. */
  run(found: RouteMatch, basis: Basis): object {
    const get = found.route.module.GET as Get<Schema, string> | undefined
    return get === undefined ? notFound() : get(this.context(found, basis, undefined))
  }

  /** As clients see it without a query. */
  shown(found: RouteMatch, result: object, basis: Basis): Rendered {
    return this.#routes.shown(identified(found, result, new View(this.#sources, basis)))
  }

  /** A resource as it is served without a query. */
  render(found: RouteMatch, result: object, basis: Basis): Rendition {
    const shown = firstPage(this.shown(found, result, basis), `${found.uri}/`, this.#environment.configuration.limits)
    return this.rendition(found, found.route.stringify(shown), basis)
  }

  /**
   * A resource of which this is the text, with its entity tag.
   *
   * @param parts the resources that will be in it
   */
  rendition({ route }: RouteMatch, text: string, basis: Basis, parts: readonly CachedAnswer[] = []): Rendition {
    const still = withoutTimes(text, basis.times)
    if (still === undefined) basis.depends('clock')
    const hasTimes = basis.times.length > 0 || parts.some(({ answer: { moments } }) => moments !== undefined)
    const state = basis.moves || hasTimes ? `${this.#build}${basis.revision().toString(16)}` : ''
    const covered = (text: string) => text + parts.map(stillTag).join('')
    const isTimed = still !== undefined && hasTimes
    const tag = isTimed
      ? timedTag(covered(still), state, basis.moment(this.#environment.now))
      : entityTag(covered(text), state)
    const whole = route.type === undefined ? text : tagged(text, tag, route.hasSettings)
    return { text: whole, tag, moments: isTimed ? momentsIn(whole, tag, basis.times) : undefined }
  }
}

/** The resource with its identity and what follows from its schema, and with `Name` and so on unless its handler gives them. */
function identified({ route, params, uri, methods }: RouteMatch, result: object, view: View): Rendered {
  if (route.type === undefined || route.derived === undefined) return result as Rendered
  const identity = {
    '@odata.context': route.context,
    '@odata.id': `${uri}/`,
    '@odata.type': route.type,
    ...(route.collection ? undefined : { Id: lastSegment(uri) }),
    Name: route.name,
    Description: route.description
  }
  const context = { params, machine: view, state: view, health: view.health }
  return complete(result, route.derived, uri, methods.includes('PATCH'), context, identity)
}

/**
 * The text of a resource with its tag, which also stands in `@Redfish.Settings`, for clients to see whether it changed but
 * by its settings (DSP0268, Settings.ETag). In JSON only a name is followed by a quotation mark and a colon.
 */
function tagged(text: string, tag: string, hasSettings: boolean): string {
  const value = JSON.stringify(tag)
  const whole = hasSettings ? text.replace('"@Redfish.Settings":{', (start) => `${start}"ETag":${value},`) : text
  return `{"@odata.etag":${value},${whole.slice(1)}`
}

/** The tag of a part of an answer, without the time of its moment. */
function stillTag({ tag, answer: { moments } }: CachedAnswer): string {
  return moments === undefined ? tag : tagAt(tag, new Date(0))
}

function lastSegment(uri: string): string {
  return decodeURIComponent(uri.slice(uri.lastIndexOf('/') + 1))
}
