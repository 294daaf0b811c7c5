import { pathToFileURL } from 'node:url'
import t from 'tap'
import { handlers } from '#generated'
import facts from './standard-types.json' with { type: 'json' }

/**
 * `standard-types.json` has what the service serves of the standard's types (DSP0268, SNIA Swordfish): by the minor
 * version of a type that brought them, the paths of members. It was written by hand, and compared with the standard's
 * JSON Schema files, which say `versionAdded` of each member, for LicenseService, ComputerSystem v1_26 and parts of
 * EventService and Resource only: these take precedence. A new member needs a line there, and its type that version or
 * a later one. Objects that many types have are `shared`; they have no version of their own. `required` names what an
 * object of a type may not lack.
 */
type Facts = { readonly [type: string]: Readonly<Record<string, string>> }

interface Property {
  readonly title?: string
  readonly items?: Property
  readonly properties?: Readonly<Record<string, Property>>
  readonly required?: readonly string[]
}

interface Type {
  readonly title: string
  readonly name: string
  readonly namespace: string
  readonly schema: Property
}

const { collectTypes } = await import(pathToFileURL('runtime/build/types.mjs').href)
const served = (collectTypes(handlers) as Type[]).filter(({ name }) => !name.startsWith('Vendor'))

/** The properties that the specification of the service adds to types of the standard. */
const own = ['ServiceRoot Links/ComponentIntegrity', /^AttributeRegistry RegistryEntries\/SupportedSystems/]

/** In every resource (DSP0268, Resource). */
const everywhere = ['Id', 'Name', 'Description']

const shared = new Map(Object.entries(facts.shared).map(([name, list]) => [name, list.split(' ')]))

/** The minor version that brought each path of a type. */
function added(type: string): Map<string, number> {
  const versions = Object.entries((facts.types as Facts)[type] ?? {})
  return new Map(versions.flatMap(([minor, list]) => list.split(' ').map((path) => [path, Number(minor)] as const)))
}

/** Each object in a type that has no type of its own, by its path. */
function* objects(schema: Property, path: readonly string[] = []): Generator<[path: readonly string[], Property]> {
  yield [path, schema]
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (name === 'Oem' || name.includes('@')) continue
    const inner = property.items ?? property
    const isLink = Object.keys(inner.properties ?? {}).join() === '@odata.id'
    if (inner.properties && inner.title === undefined && !isLink) yield* objects(inner, [...path, name])
  }
}

/** The members of an object, without annotations, which any object may have (DSP0266 9.10). */
const members = ({ properties = {} }: Property, path: readonly string[]) =>
  Object.keys(properties)
    .filter(
      (name) =>
        !name.includes('@') && name !== 'target' && name !== 'Oem' && !(path.length === 0 && everywhere.includes(name))
    )
    .map((name) => [...path, name])

t.test('no resource has a member that the announced version of its type does not have', async (t) => {
  const wrong: string[] = []
  for (const { name, namespace, schema } of served) {
    if (name.endsWith('Collection')) continue
    const known = added(name)
    const announced = Number(/\.v1_(\d+)_\d+$/.exec(namespace)?.[1])
    for (const [path, object] of objects(schema)) {
      for (const member of members(object, path)) {
        const where = member.join('/')
        if (
          own.some((each) => (typeof each === 'string' ? each === `${name} ${where}` : each.test(`${name} ${where}`)))
        )
          continue
        const at = member.findLastIndex((each, index) => index < member.length - 1 && shared.has(each))
        const isShared = shared.get(member[at] ?? '')?.includes(member.slice(at + 1).join('/'))
        const since = isShared && !known.has(where) ? 0 : known.get(where)
        const instead =
          since === undefined
            ? 'add it to test/conformance/standard-types.json, by the minor version that brought it'
            : `announce v1_${since}_0`
        if (since === undefined || since > announced) wrong.push(`${namespace} ${where}: ${instead}`)
      }
    }
  }
  t.same(wrong, [])
})

t.test('a collection has members, and the properties of every resource', async (t) => {
  const collections = served.filter(({ name }) => name.endsWith('Collection'))
  t.ok(collections.length > 20)
  for (const { name, schema } of collections) t.same(members(schema, []), [['Members']], name)
})

t.test('members that the standard requires are required in the published schemas', async (t) => {
  for (const [type, list] of Object.entries(facts.required)) {
    const schema = served.find(({ name }) => name === type)?.schema
    t.ok(schema, type)
    const required = [...objects(schema ?? {})].flatMap(([path, object]) =>
      (object.required ?? []).map((name) => [...path, name].join('/'))
    )
    t.same(
      list.split(' ').filter((path) => !required.includes(path)),
      [],
      type
    )
  }
})
