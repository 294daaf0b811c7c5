import type { OwnStatus } from '#data/health'
import type { Context, Exists } from '#runtime/contract'
import type { Schema } from '#runtime/schema'

/** Members of an object in a resource that follow from its schema: its handler leaves them out. */
export interface Derived {
  /** The same in each resource. */
  readonly constant: { readonly [name: string]: unknown }
  /** The names of links, where they lead, after the URI of the resource, and what says whether there is something. */
  readonly children: readonly (readonly [name: string, path: string, exists: readonly Exists<string>[]])[]
  /** Of an object with a status: its name as a part of the machine, after the URI of the resource. */
  readonly part: string | undefined
  /** Of an action: its target, after the URI of the resource. */
  readonly target: string | undefined
  /** Of an action: what says whether the machine has it. */
  readonly exists: readonly Exists<string>[]
  /** The names of the properties that clients can write, if there are any. */
  readonly writeable: readonly string[] | undefined
  /** The objects in it that have such members too. */
  readonly inner: readonly (readonly [name: string, derived: Derived])[]
}

/**
 * Walks the schema of a resource, or of an object in it, once for all answers.
 *
 * @param existsAt what says whether there is something at a path after the URI of the resource
 * @param path to the object
 */
export function derive(
  { title, properties }: Schema,
  existsAt: (path: string) => readonly Exists<string>[] = () => [],
  path: readonly string[] = []
): Derived {
  const names: string[] = []
  const inner: [string, Derived][] = []
  const children: [string, string, readonly Exists<string>[]][] = []
  const constant: Record<string, unknown> = title === undefined ? {} : { '@odata.type': title }
  for (const [name, each] of Object.entries(properties)) {
    if ('constant' in each) constant[name] = each.constant
    if (each.readonly === false) names.push(name)
    else if ('child' in each && each.child !== undefined) children.push([name, each.child, existsAt(each.child)])
    else if (each.type === 'object') inner.push([name, derive(each as Schema, existsAt, [...path, name])])
  }
  const target = targetOf(path)
  return {
    constant,
    children,
    part: 'Status' in properties ? fragment(path) : undefined,
    target,
    exists: target === undefined ? [] : existsAt(target),
    writeable: names.length > 0 ? names : undefined,
    inner: inner.filter(([, { constant, children, part, target, writeable, inner }]) =>
      [part, target, writeable, ...Object.keys(constant), ...children, ...inner].some((each) => each !== undefined)
    )
  }
}

/** Whether this machine has what these say so of. */
export function isThere(exists: readonly Exists<string>[], context: Parameters<Exists<string>>[0]): boolean {
  return exists.every((each) => each(context))
}

/** `#/MemorySummary`: an object in a resource, as a part of the machine. */
const fragment = (path: readonly string[]) => path.map((name, at) => `${at === 0 ? '#/' : '/'}${name}`).join('')

/** `/Actions/Oem/Contoso/Type.Act/` of the action at `Oem/Contoso/Actions/#Type.Act` in a resource (DSP0266 7.9). */
function targetOf(path: readonly string[]): string | undefined {
  const [name, actions] = [path.at(-1), path.at(-2)]
  if (actions !== 'Actions' || !name?.startsWith('#')) return undefined
  return ['', 'Actions', ...path.slice(0, -2), name.slice(1), ''].join('/')
}

/**
 * The value with the members that follow from its schema.
 *
 * @param uri of the resource, without a trailing slash
 * @param isWriteable whether it says what clients can write (DSP0266 9.9, WriteableProperties): what is there, also as
 *   undefined, which clients can set but do not see
 * @param context of the request: gives the status of parts, and says what there is
 * @param identity further members, before those of the value
 */
export function complete(
  value: object,
  { constant, children, part, target, writeable, inner }: Derived,
  uri: string,
  isWriteable: boolean,
  context: Pick<Context<string>, 'params' | 'machine' | 'state' | 'health'>,
  identity?: object
): Record<string, unknown> {
  const action = target === undefined ? {} : { target: `${uri}${target}` }
  // With so many members, Node.js assigns in a tenth of the time that it takes to spread.
  const whole: Record<string, unknown> = Object.assign(action, identity, constant, value)
  for (const [name, path, exists] of children) {
    if (isThere(exists, context)) whole[name] = { '@odata.id': `${uri}${path}` }
  }
  if (part !== undefined) {
    const own = whole.Status as OwnStatus | undefined
    // One with a rollup is that of another part.
    if (own === undefined || !('HealthRollup' in own)) whole.Status = context.health(`${uri}${part}`, own)
  }
  for (const [name, each] of inner) {
    const present = whole[name]
    if (typeof present !== 'object' || present === null) continue
    if (isThere(each.exists, context)) whole[name] = complete(present, each, uri, isWriteable, context)
    else delete whole[name]
  }
  if (isWriteable && writeable !== undefined) {
    const present = writeable.filter((name) => name in whole || name.startsWith('@'))
    if (present.length > 0) whole['@Redfish.WriteableProperties'] = present
  }
  return whole
}
