import '#data/recording'
import {
  type Context,
  changed,
  type Get,
  type HandlerModule,
  MessageError,
  merged,
  type Outcome,
  type Writes
} from '#runtime/contract'
import { complete } from '#runtime/request/derived.ts'
import { type HandlerEntry, type Route, type RouteMatch, Routes } from '#runtime/request/routes.ts'
import type { Property, Schema } from '#runtime/schema'
import { aliasesOf, typeAt } from '../aliases.ts'
import { bootNames, renamed } from '../boot-options.ts'
import { isObject, pathOf, type Resource, type Resources, textIn, typeOf } from '../resources.ts'
import { at } from './context.ts'
import { type Advertised, acceptedAction, advertisedActions, orAccepted } from './habits/actions.ts'
import { withAliasOrder, withAliasProperty, withoutAliasOrder } from './habits/alias-boot-order.ts'
import { endpointsOf } from './habits/endpoints.ts'
import { job, jobsOf, withJobs } from './habits/jobs.ts'
import { switchedOutlet, switchesOutlet } from './habits/outlets.ts'
import { withResetTypes } from './habits/reset.ts'
import { withProtocols } from './habits/simple-update.ts'
import { slotted } from './habits/slots.ts'
import { individualized } from './individual.ts'
import { isLive, isStored, withLive } from './live.ts'
import { Spelling } from './spelling.ts'
import { namesIn, type OtherWrites, patched, writeable } from './writes.ts'

type Read = (context: Context<string, undefined>) => Resource
type Patch = (context: Context<string, Resource>) => Outcome | Promise<Outcome>
type Seen = Pick<Context<string, unknown>, 'state' | 'machine'>

/**
 * Finds recorded resources where they were recorded, and the service's own in all other places. A recorded resource that
 * the service knows shows what the service has over what was recorded, and takes the changes that the service takes.
 */
export class RecordedRoutes extends Routes {
  readonly #resources: Resources
  readonly #aliases: ReadonlyMap<string, string>
  readonly #spelling: Spelling
  readonly #found = new Map<string, RouteMatch>()
  /** Where clients know what the service has elsewhere: recorded paths by its own. */
  readonly #places: ReadonlyMap<string, string>

  readonly #advertised: ReadonlyMap<string, Advertised>
  readonly #endpoints: ReadonlyMap<string, string>
  readonly #writes: OtherWrites
  readonly #jobs: string | undefined

  /** @param writes to members of which it is not known whether clients may change them */
  constructor(entries: readonly HandlerEntry[], longest: number, resources: Resources, writes: OtherWrites) {
    super(entries, longest)
    this.#resources = resources
    this.#writes = writes
    this.#advertised = advertisedActions(resources)
    this.#endpoints = new Map(endpointsOf(resources))
    this.#jobs = jobsOf(resources)
    const endpoints = [...this.#endpoints].filter(([path]) => !resources.has(path))
    this.#aliases = new Map([...endpoints, ...aliasesOf(resources)])
    this.#spelling = new Spelling([...resources.keys(), ...this.#aliases.keys(), ...this.#advertised.keys()])
    const elsewhere = [...this.#aliases].filter(([path, own]) => path !== own && !resources.has(own))
    this.#places = new Map(elsewhere.map(([path, own]) => [own, path]))
  }

  override shown<T>(value: T): T {
    if (this.#places.size === 0) return value
    if (typeof value === 'string') return this.#placed(value) as T
    if (Array.isArray(value)) return value.map((each) => this.shown(each)) as T
    if (!isObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, this.shown(each)])) as T
  }

  /** A URI, with what follows the path in it. */
  #placed(uri: string): string {
    const path = /^\/redfish\/v1\/[^#?]*?(?=\/?(?:[#?]|$))/.exec(uri)?.[0]
    const place = path && this.#places.get(path)
    return place === undefined || path === undefined ? uri : place + uri.slice(path.length)
  }

  override find(path: string): RouteMatch | undefined {
    const given = pathOf(path)
    const known = this.#found.get(given)
    if (known !== undefined) return known
    const there = super.find(path)
    const key = this.#spelling.of(given, Object.values(there?.params ?? {})) ?? given
    const own = this.#aliases.get(key)
    const live = own === undefined ? there : super.find(own)
    const resource = this.#resources.get(key)
    const advertised = resource === undefined ? this.#advertised.get(key) : undefined
    if (advertised !== undefined) return this.#keep(key, () => this.#action(key, advertised, live))
    if (resource !== undefined) return this.#keep(key, () => this.#uploading(key, this.#make(key, resource, live)))
    return this.#job(given) ?? live
  }

  /** A job of a maker, which is a task of the service. */
  #job(path: string): RouteMatch | undefined {
    if (this.#jobs === undefined || path.slice(0, path.lastIndexOf('/')) !== this.#jobs) return undefined
    const route = plain(path, job(path, typeOf(this.#resources.get(this.#jobs))))
    return { route, params: {}, uri: path, methods: ['GET'], allow: 'GET, HEAD' }
  }

  #keep(key: string, make: () => RouteMatch): RouteMatch {
    const found = this.#found.get(key) ?? make()
    this.#found.set(key, found)
    return found
  }

  /** An action that a maker advertises. */
  #action(path: string, advertised: Advertised, live: RouteMatch | undefined): RouteMatch {
    const { name } = advertised
    const own = live && (adapted.get(name)?.(live.route.module, advertised, this.#jobs) ?? live.route.module)
    const recorded = switchesOutlet(advertised) ? switchedOutlet(path) : acceptedAction(advertised, this.#jobs)
    const module = own === undefined ? recorded : orAccepted(own, advertised, this.#jobs)
    const route = live?.route ?? { ...plain(path, module), template: `/${name}`, action: true, methods: ['POST'] }
    const methods = ['POST'] as const
    return { params: {}, uri: path, allow: 'POST', ...live, methods, route: { ...route, module, exists: [] } }
  }

  /** A recorded resource to which clients also send update files. */
  #uploading(path: string, found: RouteMatch): RouteMatch {
    const own = this.#endpoints.get(path)
    const { upload, body, POST, privileges } = (own && super.find(own)?.route.module) || {}
    if (upload === undefined || body === undefined || POST === undefined) return found
    const { module } = found.route
    const both = { ...module, upload, body, POST, privileges: { ...module.privileges, POST: privileges!.POST! } }
    const [methods, allow] = [[...found.methods, 'POST'] as const, `${found.allow}, POST`]
    return { ...found, methods, allow, route: { ...found.route, module: both, methods, allow } }
  }

  #make(path: string, resource: Resource, there: RouteMatch | undefined): RouteMatch {
    const type = typeAt(path, resource, this.#aliases)
    const isOwn = there !== undefined && isLive(type) && shortType(there.route) === type && !this.#hasFile(resource)
    const live = isOwn ? there : undefined
    const schema = writeable(resource, this.#writes, live === undefined ? this.describing(type)?.schema : undefined)
    const isPublic = there?.route.module.privileges.GET === 'NoAuth'
    const given =
      live === undefined ? only(path, resource, schema, isPublic) : this.#over(path, resource, schema, live, type)
    const isCollection = !('Id' in resource) && Array.isArray(resource.Members)
    const [module, others] = this.#habit(path, resource, type, given)
    const methods = others ?? live?.methods ?? (isCollection ? (['GET'] as const) : (['GET', 'PATCH'] as const))
    const allow = (others === undefined ? live?.allow : undefined) ?? ['GET, HEAD', ...methods.slice(1)].join(', ')
    const kind = typeof resource['@odata.type'] === 'string' ? resource['@odata.type'] : undefined
    const route = { ...plain(path, module), collection: isCollection, methods, allow, type: kind }
    return { route, params: live?.params ?? {}, uri: path, methods, allow }
  }

  /** A resource as its maker has it, with its methods where these are others. */
  #habit(path: string, { Members }: Resource, type: string, module: HandlerModule): [HandlerModule, Route['methods']?] {
    if (path === this.#jobs) return [withJobs(path, module), ['GET', 'POST']]
    // Only accounts in slots are recorded.
    const hasSlots = type === 'ManagerAccountCollection' && Array.isArray(Members) && Members.length > 0
    if (hasSlots) return [module, ['GET']]
    const accounts = type === 'ManagerAccount' ? super.find('/redfish/v1/AccountService/Accounts') : undefined
    if (accounts === undefined || module.PATCH === undefined) return [module]
    return [slotted(path, module, accounts.route.module, accounts.uri), ['GET', 'PATCH']]
  }

  /** Whether a registry's file was recorded, so that the registry is the recorded one and not the service's. */
  #hasFile(registry: Resource): boolean {
    return (Array.isArray(registry.Location) ? registry.Location : []).some((each) =>
      this.#resources.has(pathOf(textIn(each, 'Uri')))
    )
  }

  /** Lays the members that the service has over the recorded ones. */
  #over(path: string, resource: Resource, extra: Schema, { route, uri }: RouteMatch, type: string): HandlerModule {
    const { schema, ...handler } = route.module
    const names = type === 'ComputerSystem' ? bootNames(this.#resources, resource) : undefined
    const get: Read = (context) => {
      const own = (handler.GET as Read)(at(uri, context))
      const whole = route.derived === undefined ? own : complete(own, route.derived, uri, false, context)
      return names === undefined ? whole : renamed(whole, names.makers)
    }
    const patch = handler.PATCH as Patch | undefined
    const read: Read = (context) => {
      const recorded = shown(path, resource, context)
      const own = isStored(type, path, this.#aliases) ? get(context) : orMissing(() => get(context))
      if (own === undefined) return recorded
      const whole = withLive(recorded, own, type, context.state.get('recorded', path)?.set ?? [], this.#aliases)
      return names === undefined ? whole : withAliasOrder(whole, names.aliases)
    }
    const own = schema?.properties ?? {}
    const oem = own.Oem?.type === 'object' ? (own.Oem as Schema) : undefined
    const properties = {
      ...extra.properties,
      ...own,
      ...(extra.properties.Oem && { Oem: both(extra.properties.Oem, oem) })
    }
    return {
      ...handler,
      schema: { ...schema, type: 'object', properties: withAliasProperty(properties, resource) },
      GET: read as Get<Schema, string>,
      ...(patch && {
        PATCH: async (context) => {
          const present = names === undefined ? resource : read(context as Context<string, undefined>)
          const { change, wanted } = withoutAliasOrder(context.body, present, names?.aliases ?? new Map())
          const [known, others] = divided(change, own, oem?.properties ?? {})
          const stored = wanted === undefined ? others : { ...others, Boot: { AliasBootOrder: wanted } }
          const remembered = remember(path, resource, context, stored, known)
          if (known === undefined) return changed(remembered)
          const outcome = await patch(at(uri, context, names === undefined ? known : renamed(known, names.own)))
          return { ...outcome, writes: merged(outcome.writes ?? {}, remembered) }
        }
      })
    }
  }
}

/** Actions of the service for which makers advertise more values. */
const adapted = new Map([
  ['ComputerSystem.Reset', withResetTypes],
  ['UpdateService.SimpleUpdate', withProtocols]
])

/** A route of a path of which the module gives everything. */
function plain(path: string, module: HandlerModule): Route {
  return {
    template: path,
    parts: [path],
    module,
    exists: [],
    stringify: JSON.stringify,
    file: false,
    stream: false,
    collection: false,
    action: false,
    methods: [],
    allow: '',
    type: undefined,
    context: '',
    name: '',
    description: undefined,
    describedBy: undefined,
    derived: undefined,
    hasSettings: false,
    verbatim: true
  }
}

/** The declaration of an `Oem` of which the service has one part and a recording another. */
function both(recorded: Property, own: Schema | undefined): Property {
  if (recorded.type !== 'object') return own ?? recorded
  return { type: 'object', properties: { ...(recorded as Schema).properties, ...own?.properties } }
}

/** The parts of a body that are for the service and for what was recorded; undefined if there is nothing for it. */
function divided(
  body: Resource,
  own: object,
  oem: object
): [known: Resource | undefined, others: Resource | undefined] {
  const part = (whole: Resource, among: object, wanted: boolean) => {
    const members = Object.entries(whole).filter(([name]) => Object.hasOwn(among, name) === wanted)
    return members.length === 0 ? undefined : Object.fromEntries(members)
  }
  const { Oem, ...rest } = body
  return [true, false].map((wanted): Resource | undefined => {
    const inner = isObject(Oem) ? part(Oem, oem, wanted) : undefined
    const outer = part(rest, own, wanted)
    return inner === undefined ? outer : { ...outer, Oem: inner }
  }) as [Resource | undefined, Resource | undefined]
}

/** A resource that only the recording has. @param isPublic whether it is for clients without a login too */
function only(path: string, resource: Resource, schema: Schema, isPublic: boolean): HandlerModule {
  const read: Read = (context) => shown(path, resource, context)
  return {
    schema,
    privileges: { GET: isPublic ? 'NoAuth' : 'LoginPriv', PATCH: 'MgmtConfigPriv' },
    GET: read as Get<Schema, string>,
    PATCH: (context) => changed(remember(path, resource, context, context.body as Resource))
  }
}

/** A recorded resource as this machine has it, with what clients and its rack have changed in it. */
function shown(path: string, resource: Resource, { state, machine }: Seen): Resource {
  const { individual } = machine.board
  const own = individual === undefined ? resource : individualized(resource, individual)
  const { changes, derived } = state.get('recorded', path) ?? {}
  return { ...own, ...changes, ...derived }
}

/** @param known what the service itself has taken of the same change */
function remember(path: string, resource: Resource, seen: Seen, body: Resource = {}, known: Resource = {}): Writes {
  const before = seen.state.get('recorded', path)
  const changes = { ...before?.changes, ...patched(shown(path, resource, seen), body) }
  const set = [...new Set([...(before?.set ?? []), ...namesIn(known)])]
  return { recorded: { [path]: { changes, ...(set.length > 0 && { set }) } } }
}

function shortType({ type }: Route): string {
  return typeOf({ '@odata.type': type })
}

/** The result of reading, or undefined if the machine has no such thing. */
function orMissing<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof MessageError && error.status === 404) return undefined
    throw error
  }
}
