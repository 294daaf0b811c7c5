import createRouter from 'find-my-way'
import { schemaFileUri } from '#data/registries'
import {
  type Bytes,
  type DumpFile,
  type Exists,
  type File,
  type HandlerModule,
  type MediumSocket,
  type Method,
  methods,
  type SerialConsole
} from '#runtime/contract'
import type { Parameters } from '#runtime/schema'
import { type Derived, derive } from './derived.ts'

/** A handler as the build lists it: its template is its path below `handlers/`. */
export interface HandlerEntry {
  readonly template: string
  readonly module: HandlerModule
  /** Precompiled from `schema`; absent if the handler serves a file or no GET. */
  readonly stringify?: (resource: object) => string
}

/** A handler with what the runtime derives from it once. */
export interface Route {
  readonly template: string
  /** Texts of the template and names of its parameters in turn. */
  readonly parts: readonly string[]
  readonly module: HandlerModule
  /** The `exists` functions of the handler and of those above it: whether this machine has the resource. */
  readonly exists: readonly Exists<string>[]
  readonly stringify: (resource: object) => string
  /** Serves a file as it is, or a stream, without the properties and the trailing slash of resources. */
  readonly file: boolean
  /** Its GET opens a stream, of what it `sends`. */
  readonly stream: boolean
  readonly collection: boolean
  readonly action: boolean
  /** The methods that the handler exports. */
  readonly methods: readonly Method[]
  /** The value of the `Allow` header with all of them. */
  readonly allow: string
  /** The `@odata.type`; absent if the answer is a plain object. */
  readonly type: string | undefined
  /** The `@odata.context`. */
  readonly context: string
  /** `Name` and `Description` where the handler gives none. */
  readonly name: string
  readonly description: string | undefined
  /** The URI of the file that describes the type. */
  readonly describedBy: string | undefined
  /** The members of the resource that follow from its schema; absent if its handler gives all of them. */
  readonly derived: Derived | undefined
  /** It has `@Redfish.Settings`. */
  readonly hasSettings: boolean
  /** Its handler gives the whole resource, `@odata.` properties included, and it has no slash at its end. */
  readonly verbatim?: true
}

/** A path that leads somewhere. */
export interface RouteMatch {
  readonly route: Route
  readonly params: Readonly<Record<string, string>>
  /** The canonical URI, without a trailing slash. */
  readonly uri: string
  /** The methods of the path; with a collection's `/Members` that is POST only (DSP0266 7.9). */
  readonly methods: readonly Method[]
  /** The value of the `Allow` header (DSP0266 7.2). */
  readonly allow: string
}

/** How many resolved paths are remembered. */
const remembered = 1024

/** Routes by their handlers: all services may share them. */
const made = new WeakMap<readonly HandlerEntry[], readonly Routes[]>()

/** Finds the handler of a path: the fixed parts in any case, the identifiers exactly. */
export class Routes {
  readonly longest: number
  readonly #entries: readonly HandlerEntry[]
  /** The `exists` functions of handlers, by their templates. */
  readonly #conditions: Conditions
  /** Of the handlers that were asked for: most machines are asked for some of them. */
  readonly #routes = new Map<HandlerEntry, Route>()
  readonly #router
  readonly #known = new Map<string, RouteMatch>()

  /** One for all services of the process with these handlers: it rests on nothing else. @param longest as below */
  static of(entries: readonly HandlerEntry[], longest: number): Routes {
    const known = made.get(entries)?.find((each) => each.longest === longest)
    if (known !== undefined) return known
    const routes = new Routes(entries, longest)
    made.set(entries, [...(made.get(entries) ?? []), routes])
    return routes
  }

  /** @param longest the most characters that an identifier may have */
  constructor(entries: readonly HandlerEntry[], longest: number) {
    this.longest = longest
    this.#router = createRouter({
      caseSensitive: false,
      ignoreTrailingSlash: true,
      maxParamLength: longest,
      onBadUrl: () => undefined
    })
    this.#entries = entries
    this.#conditions = new Map(
      entries.flatMap(({ template, module: { exists } }) => (exists === undefined ? [] : [[template, exists]]))
    )
    for (const entry of entries) {
      const { alias, schema, POST } = entry.module
      const takesMembers = isCollection(schema?.title) && POST !== undefined
      for (const template of [entry.template, alias]) {
        if (template === undefined) continue
        this.#add(template, entry, false)
        if (takesMembers) this.#add(`${template}/Members`, entry, true)
      }
    }
  }

  #add(template: string, entry: HandlerEntry, members: boolean): void {
    const path = template.replace(/\{(\w+)\}/g, ':$1')
    this.#router.on('GET', path, () => undefined, { entry, members })
  }

  #routeOf(entry: HandlerEntry): Route {
    const known = this.#routes.get(entry)
    if (known !== undefined) return known
    const route = describe(entry, this.#conditions)
    this.#routes.set(entry, route)
    return route
  }

  /** The first handler of a type of resources, if possible one that takes changes. @param type without its version */
  describing(type: string): HandlerModule | undefined {
    const ofType = this.#entries.filter(({ module }) => module.schema?.title?.startsWith(`#${type}.`))
    return (ofType.find(({ module }) => module.PATCH !== undefined) ?? ofType[0])?.module
  }

  /** The body of the action of a name. */
  parameters(action: string): Parameters | undefined {
    return this.#entries.find(({ template }) => isAction(template) && template.endsWith(`/${action}`))?.module.body
  }

  /** The name of the schema of a resource, by its URI. */
  typeOf(uri: string): string | undefined {
    return this.find(uri.replace(/#.*/, ''))?.route.type?.replace(/^#|\..*$/g, '')
  }

  /** A value with the URIs that clients are to see in it: those of the handlers, unless a class below has others. */
  shown<T>(value: T): T {
    return value
  }

  /** @param path without query and fragment, with or without a trailing slash */
  find(path: string): RouteMatch | undefined {
    // Half of the callers have a link, which ends with a slash, the others a canonical URI: both lead to the same place.
    const key = path.endsWith('/') ? path.slice(0, -1) : path
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const found = this.#find(path)
    if (found === undefined) return undefined
    if (this.#known.size >= remembered) this.#known.delete(this.#known.keys().next().value ?? '')
    this.#known.set(key, found)
    return found
  }

  #find(path: string): RouteMatch | undefined {
    const match = this.#router.find('GET', path)
    if (match === null || match.store === null || match.store === undefined) return undefined
    const { entry, members } = match.store as { entry: HandlerEntry; members: boolean }
    const route = this.#routeOf(entry)
    const params = match.params as Record<string, string>
    if (Object.values(params).some((value) => value === '' || value.includes('/'))) return undefined
    const own = route.module.methods?.(params) ?? route.methods
    const methods = members ? own.filter((method) => method === 'POST') : own
    const uri = build(route, params)
    return {
      route,
      params,
      uri,
      methods,
      allow: methods === route.methods ? route.allow : allow(methods, route.module)
    }
  }
}

const isCollection = (type = '') => type.endsWith('Collection')

const isAction = (template: string) => template.includes('/Actions/')

function build({ parts }: Route, params: Readonly<Record<string, string>>): string {
  return parts.map((part, index) => (index % 2 === 0 ? part : encodeURIComponent(params[part] ?? ''))).join('')
}

type Conditions = ReadonlyMap<string, Exists<string>>

function describe({ template, module, stringify = JSON.stringify }: HandlerEntry, conditions: Conditions): Route {
  const exists = existsAt(template, 1, conditions)
  const existsBelow = (path: string) => existsAt(`${template}${path}`, template.length + 1, conditions)
  const type = module.schema?.title
  const short = type?.slice(1, type.indexOf('.')) ?? ''
  const exported = methods.filter((method) => module[method] !== undefined)
  return {
    template,
    parts: template.replaceAll('}', '{').split('{'),
    module,
    exists,
    stringify,
    file: module.GET !== undefined && module.schema === undefined,
    stream: module.sends !== undefined,
    collection: isCollection(type),
    action: isAction(template),
    methods: exported,
    allow: allow(exported, module),
    type,
    context: `/redfish/v1/$metadata#${short}.${short}`,
    name: short.replace(/(?<=[a-z])(?=[A-Z])/g, ' '),
    description: module.schema?.description,
    describedBy: type === undefined ? undefined : schemaFileUri(type.slice(1, type.lastIndexOf('.'))),
    derived: module.schema && derive(module.schema, existsBelow),
    hasSettings: '@Redfish.Settings' in (module.schema?.properties ?? {})
  }
}

/**
 * The `exists` functions of the handler at a path and of the handlers above it, from the top.
 *
 * @param from handlers whose template ends before this character are left out
 */
function existsAt(path: string, from: number, conditions: Conditions): readonly Exists<string>[] {
  const found: Exists<string>[] = []
  for (let end = path.indexOf('/', from); ; end = path.indexOf('/', end + 1)) {
    const condition = conditions.get(end < 0 ? path : path.slice(0, end))
    if (condition !== undefined) found.push(condition)
    if (end < 0) return found
  }
}

function allow(methods: readonly Method[], { unannounced = [] }: HandlerModule): string {
  const named = methods.filter((method) => !unannounced.includes(method))
  return named.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ')
}

/** Whether what a handler returned is a console. */
export function isConsole(result: object): result is SerialConsole {
  return 'console' in result
}

/** Whether what a handler returned is the socket of a drive. */
export function isMediumSocket(result: object): result is MediumSocket {
  return 'drive' in result
}

/** Whether what a handler returned is a dump. */
export function isDump(result: object): result is DumpFile {
  return 'dump' in result
}

/** Whether what a handler returned is bytes. */
export function isBytes(result: object): result is Bytes {
  return 'bytes' in result
}

/** Whether what a handler returned is a file. */
export function isFile(result: object): result is File {
  return (result as Partial<File>).gzip instanceof Uint8Array
}
