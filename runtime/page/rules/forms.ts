/** A property as the published JSON Schema files have it (DSP0266 14). */
export interface Property {
  readonly type?: string | readonly string[]
  /** Null stands among the values of one that may be null. */
  readonly enum?: readonly (string | null)[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly format?: string
  readonly description?: string
  readonly readonly?: boolean
  readonly required?: readonly string[]
  readonly properties?: { readonly [name: string]: Property }
  readonly parameters?: { readonly [name: string]: Property & { readonly requiredParameter?: boolean } }
  readonly items?: Property
  readonly $ref?: string
}

/** A JSON Schema file. */
export interface SchemaFile {
  readonly $ref?: string
  readonly definitions?: { readonly [name: string]: Property }
}

/** Schema files by their names; undefined for one that is not there yet. */
export type Files = (name: string) => SchemaFile | undefined

/** A field of a form. */
export interface Field {
  /** Where its value stands in the body. */
  readonly path: readonly string[]
  /** How it is edited: a `list` line by line; `json` is what has no simpler form. */
  readonly kind: 'choice' | 'flag' | 'number' | 'text' | 'list' | 'json'
  /** The properties that stand between spaces on a line of a list; none where a line is a text. */
  readonly columns: readonly string[]
  readonly choices: readonly string[]
  readonly nullable: boolean
  readonly required: boolean
  /** Its present value; undefined without one. */
  readonly value: unknown
  readonly property: Property
}

type Resource = { readonly [name: string]: unknown }

/** The definition that a file is about. */
export function rootOf(file: SchemaFile | undefined, files: Files): Property {
  return file?.$ref === undefined ? {} : resolve({ $ref: file.$ref }, file, files).property
}

/** A property behind its references, and the file that it stands in. */
function resolve(property: Property, file: SchemaFile, files: Files): { property: Property; file: SchemaFile } {
  const [, name = '', definition = ''] = /^([^#]*)#\/definitions\/(.+)$/.exec(property.$ref ?? '') ?? []
  if (definition === '') return { property, file }
  const target = name === '' ? file : (files(name) ?? {})
  return { property: target.definitions?.[definition] ?? {}, file: target }
}

/** All that a schema file describes: its properties, and those inside of them, by their paths. */
export function describedIn(file: SchemaFile, files: Files): ReadonlyMap<string, Property> {
  const found = new Map<string, Property>()
  const look = (at: Property, within: SchemaFile, path: string, above: readonly Property[]) => {
    for (const [name, each] of Object.entries(at.properties ?? {})) {
      const next = resolve(each, within, files)
      const inner = resolve(next.property.items ?? next.property, next.file, files)
      found.set(`${path}${name}`, { ...inner.property, ...next.property, ...each })
      // A definition that is made of itself is described once; actions have forms of their own.
      if (name === 'Actions' || above.includes(inner.property)) continue
      look(inner.property, inner.file, `${path}${name} › `, [...above, inner.property])
    }
  }
  look(rootOf(file, files), file, '', [])
  return found
}

/** Whether a field is a rule for logins; directories have forms of their own. */
export const isLoginRule = ({ path: [first = ''] }: Field): boolean => !['ActiveDirectory', 'LDAP'].includes(first)

/** The fields of a resource that clients may write: those that it names in `@Redfish.WriteableProperties` (DSP0266 9.9). */
export function fieldsOf(resource: Resource, file: SchemaFile | undefined, files: Files): Field[] {
  return file === undefined ? [] : walk(resource, rootOf(file, files), file, files, [])
}

function walk(value: Resource, at: Property, file: SchemaFile, files: Files, path: readonly string[]): Field[] {
  const names = (value['@Redfish.WriteableProperties'] as readonly string[] | undefined) ?? []
  const own = names.map((name) => {
    const { property } = resolve(at.properties?.[name] ?? {}, file, files)
    return field([...path, name], property, value[name], value[`${name}@Redfish.AllowableValues`], false)
  })
  const inner = Object.entries(value).flatMap(([name, member]) => {
    if (names.includes(name) || name === 'Actions' || !isObject(member)) return []
    const next = resolve(at.properties?.[name] ?? {}, file, files)
    return walk(member, next.property, next.file, files, [...path, name])
  })
  return [...own, ...inner]
}

function isObject(value: unknown): value is Resource {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The values that a property is one of, if it is one of some. */
export const valuesOf = ({ enum: values = [] }: Property) => values.filter((each) => each !== null)

function field(
  path: readonly string[],
  property: Property,
  value: unknown,
  allowable: unknown,
  required: boolean
): Field {
  const types = [property.type ?? []].flat()
  const columns = columnsOf(property)
  const choices = Array.isArray(allowable) ? allowable.map(String) : valuesOf(property)
  const kind =
    choices.length > 0 && !types.includes('array')
      ? 'choice'
      : types.includes('boolean') && types.length <= 2
        ? 'flag'
        : types.includes('integer') || types.includes('number')
          ? 'number'
          : types.includes('string')
            ? 'text'
            : types.includes('array') && (isText(property.items) || columns.length > 0)
              ? 'list'
              : 'json'
  return { path, kind, columns, choices, nullable: types.includes('null'), required, value, property }
}

const isText = (items: Property = {}) => [items.type].flat().includes('string')

/** The properties of a list's members, where each of them is a number, or a text that its pattern keeps free of spaces. */
function columnsOf({ items }: Property): string[] {
  const all = Object.entries(items?.properties ?? {})
  const isPlain = all.every(([, each]) => each.type === 'integer' || each.pattern !== undefined)
  return isPlain ? all.map(([name]) => name) : []
}

/** An action that a resource offers. */
export interface OfferedAction {
  /** `ComputerSystem.Reset`. */
  readonly name: string
  readonly target: string
  /** The URI of its `ActionInfo`, if it has one. */
  readonly info: string | undefined
  readonly fields: readonly Field[]
}

/** A parameter as an ActionInfo has it (DSP0268, ActionInfo). */
export interface Parameter {
  readonly Name: string
  readonly Required?: boolean
  readonly DataType?: string
  readonly AllowableValues?: readonly string[]
}

/** The actions of a resource, with their parameters as far as the resource and its schema name them. */
export function actionsOf(resource: Resource, file: SchemaFile | undefined, files: Files): OfferedAction[] {
  const found: OfferedAction[] = []
  const look = (value: unknown) => {
    if (!isObject(value)) return
    for (const [name, member] of Object.entries(value)) {
      if (name.startsWith('#') && isObject(member) && typeof member.target === 'string')
        found.push(offered(name.slice(1), member, file, files))
      else look(member)
    }
  }
  look(resource.Actions)
  look((resource.Oem as Resource | undefined) ?? {})
  return found
}

function offered(name: string, member: Resource, file: SchemaFile | undefined, files: Files): OfferedAction {
  const short = name.slice(name.lastIndexOf('.') + 1)
  const all = [file, ...referenced(file).map(files)]
  const described = all.map((each) => each?.definitions?.[short]?.parameters).find((each) => each !== undefined) ?? {}
  const named = Object.keys(member).flatMap((each) => /^(.+)@Redfish\.AllowableValues$/.exec(each)?.[1] ?? [])
  const names = new Set([...Object.keys(described), ...named])
  const fields = [...names].map((each) => {
    const property = described[each] ?? { type: 'string' }
    const allowable = member[`${each}@Redfish.AllowableValues`]
    return field([each], property, undefined, allowable, described[each]?.requiredParameter ?? false)
  })
  const info = member['@Redfish.ActionInfo']
  return { name, target: String(member.target), info: typeof info === 'string' ? info : undefined, fields }
}

/** The names of the files that a file refers to. */
export function referenced(file: SchemaFile | undefined): string[] {
  const found = JSON.stringify(file ?? {}).matchAll(/"\$ref":"([^"#]+)#/g)
  return [...new Set([...found].map(([, name = '']) => name))]
}

/** The fields of an action with an ActionInfo, which knows all its parameters. */
export function parametersOf(parameters: readonly Parameter[]): Field[] {
  const types: Readonly<Record<string, string>> = { Boolean: 'boolean', Number: 'number', String: 'string' }
  return parameters.map(({ Name, Required = false, DataType = '', AllowableValues }) =>
    field([Name], { type: types[DataType] ?? [] }, undefined, AllowableValues, Required)
  )
}

/** The values that were entered into fields, by the field's path joined with `/`. */
export type Entered = ReadonlyMap<string, unknown>

/** The body that says what was entered. */
export function bodyOf(fields: readonly Field[], entered: Entered): Resource {
  const body: { [name: string]: unknown } = {}
  for (const { path } of fields) {
    const key = path.join('/')
    if (!entered.has(key)) continue
    let at = body
    for (const name of path.slice(0, -1)) {
      at[name] ??= {}
      at = at[name] as typeof body
    }
    at[path.at(-1)!] = entered.get(key)
  }
  return body
}

/** The text in an input for the value of a field. */
export function inputText({ kind, columns, value }: Field): string {
  if (value === undefined || value === null) return ''
  if (kind === 'json') return JSON.stringify(value)
  if (kind !== 'list') return String(value)
  const lineOf = (member: Resource) => columns.map((each) => member[each] ?? '-').join(' ')
  return (value as readonly Resource[]).map((each) => (columns.length === 0 ? each : lineOf(each))).join('\n')
}

/**
 * The value of what stands in an input.
 *
 * @throws SyntaxError if it has to be JSON and is not, or a line has more than its columns
 */
export function inputValue({ kind, nullable, columns, property }: Field, text: string): unknown {
  if (kind === 'list') {
    const lines = linesIn(text)
    return columns.length === 0 ? lines : lines.map((line) => memberIn(line, columns, property.items))
  }
  if (text === '' && nullable && kind !== 'text') return null
  if (kind === 'number') return Number(text)
  if (kind === 'json') return JSON.parse(text)
  if (kind === 'flag') return text === 'true'
  return text
}

/** A member of a list from its line. */
function memberIn(line: string, columns: readonly string[], items: Property = {}): Resource {
  const texts = line.split(/\s+/)
  if (texts.length > columns.length) throw new SyntaxError(line)
  const valueIn = (name: string, text: string) => {
    if (text === '-') return null
    return items.properties?.[name]?.type === 'integer' ? Number(text) : text
  }
  return Object.fromEntries(texts.map((text, index) => [columns[index]!, valueIn(columns[index]!, text)]))
}

/** The lines of a text that say something. */
export const linesIn = (text: string) => text.split('\n').flatMap((line) => line.trim() || [])
