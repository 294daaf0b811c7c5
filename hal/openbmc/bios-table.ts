import type { BiosAttribute, BiosValue, BiosValues } from '../bios.ts'
import type { Condensing } from '../dbus/mirror.ts'
import { type Value, Variant } from '../dbus/values.ts'
import { wordOf } from './objects.ts'

/** The most attributes, the most characters of each of their texts, and how deep their menus are at most. */
const mostAttributes = 10_000
const longestText = 4096
const deepestMenu = 16

const types = ['Enumeration', 'String', 'Integer', 'Boolean', 'Password'] as const

/** The table of a firmware's attributes, as far as it is in memory. */
export interface Table {
  /** The same object as in the table before, if no value has changed. */
  readonly current: BiosValues
  readonly definitions: string
  readonly values: string
}

/** An attribute, and the type of D-Bus that its values have. */
export interface Row {
  readonly attribute: BiosAttribute
  readonly signature: string
}

/**
 * `BaseBIOSTable` as it is kept: the definitions of the attributes, a line for each, and their values, since the rows of a
 * thousand attributes would take megabytes as objects. Rows that are not valid are left out, and those beyond the limit.
 * Its type is a{s(sbsssvva(sv))}, or a{s(sbsssvva(svs))} by the version of the interface; anything else is no table.
 */
export const condensedTable: Condensing = {
  entry: (name, row) => rowOf(name, row) ?? false,
  whole(table) {
    const rows = table instanceof Map ? [...(table as ReadonlyMap<string, Kept | false>)] : []
    const kept = rows.filter((row): row is [string, Kept] => Array.isArray(row[1])).slice(0, mostAttributes)
    const values = kept.map(([name, [, value]]) => `${JSON.stringify(name)}:${value}`)
    return [kept.map(([, [definition]]) => `${definition}\n`).join(''), `{${values.join()}}`]
  }
}

/** A row as two texts. */
type Kept = readonly [definition: string, value: string]

/** @param kept as {@link condensedTable} made it. @returns undefined for a table without attributes */
export function tableOf(kept: Value, before: Table | undefined): Table | undefined {
  const [definitions, values] = kept as readonly [string, string]
  if (definitions === '') return undefined
  const current = values === before?.values ? before.current : (JSON.parse(values) as BiosValues)
  return { current, values, definitions }
}

/** The attributes of a table, made one after the other. */
export function* rowsOf({ definitions }: Table): Iterable<Row> {
  for (let at = 0, end = 0; at < definitions.length; at = end + 1) {
    end = definitions.indexOf('\n', at)
    yield rowFrom(JSON.parse(definitions.slice(at, end)) as Definition)
  }
}

const isMenu = (name: string) => name !== '' && name !== '.'

function rowFrom(definition: Definition): Row {
  const [name, type, signature, isReadOnly, displayName, description, menu, standard, bounds, options] = definition
  const [least, most, step] = bounds.map((each) => each ?? undefined)
  const attribute = {
    ...{ name, type, isReadOnly, displayName, description, standard, least, most, step },
    menu: menu.split('/').filter(isMenu).slice(0, deepestMenu),
    options: options.map(([value, text]) => ({ value, displayName: text }))
  }
  return { signature, attribute }
}

/** A value of an attribute as others see it. @returns undefined if it is not of the attribute's type */
export function plain(type: BiosAttribute['type'], value: Value | undefined): BiosValue | undefined {
  switch (type) {
    case 'Password':
      return null
    case 'Integer':
      return numberOf(value)
    case 'Boolean':
      // Before the union of values had booleans, they were numbers.
      if (typeof value === 'boolean') return value
      return numberOf(value) === 0 ? false : numberOf(value) === 1 ? true : undefined
    default:
      return typeof value === 'string' && value.length <= longestText ? value : undefined
  }
}

/** A value with a type. @returns undefined if it cannot have the type */
export function variantOf(signature: string, value: BiosValue): Variant | undefined {
  if (typeof value === 'string') return signature === 's' ? new Variant('s', value) : undefined
  if (signature === 'b') return typeof value === 'boolean' ? new Variant('b', value) : undefined
  if (value === null || signature === 's' || !Number.isSafeInteger(Number(value))) return undefined
  return new Variant(signature, /^[xt]$/.test(signature) ? BigInt(Number(value)) : Number(value))
}

/** The type of an attribute by the value of its enumeration. */
export function typeOfAttribute(value: Value | undefined): BiosAttribute['type'] | undefined {
  return types.find((each) => each === wordOf(value))
}

/** A row in few characters: bounds are the least, the most and the step, options a value and its text. */
type Definition = readonly [
  name: string,
  type: BiosAttribute['type'],
  signature: string,
  isReadOnly: boolean,
  displayName: string,
  description: string,
  menu: string,
  standard: BiosValue,
  bounds: readonly (number | null)[],
  options: readonly (readonly [string, string])[]
]

function rowOf(name: Value, row: Value): Kept | undefined {
  if (typeof name !== 'string' || name.length > longestText || !/^[A-Za-z]\w*$/.test(name)) return undefined
  if (!Array.isArray(row)) return undefined
  const [kind, isReadOnly, displayName, description, menu, now, standard, bounds] = row as Value[]
  const type = typeOfAttribute(kind)
  const current = type && now instanceof Variant ? plain(type, now.value) : undefined
  if (type === undefined || current === undefined) return undefined
  const limits = Array.isArray(bounds) ? (bounds as Value[]).map(boundOf) : []
  const limit = (...words: string[]) =>
    limits.find(({ word, value }) => words.includes(word) && value !== undefined)?.value ?? null
  const definition: Definition = [
    name,
    type,
    (now as Variant).signature,
    isReadOnly === true,
    textOf(displayName),
    textOf(description),
    textOf(menu),
    (standard instanceof Variant ? plain(type, standard.value) : undefined) ?? null,
    [limit('LowerBound', 'MinStringLength'), limit('UpperBound', 'MaxStringLength'), limit('ScalarIncrement')],
    limits.flatMap(({ option }) => (option === undefined ? [] : [option]))
  ]
  return [JSON.stringify(definition), JSON.stringify(current)]
}

/** A bound, (sv) or (svs): a number, or one of the values of an enumeration and its text. */
function boundOf(bound: Value) {
  const [kind, content, text] = Array.isArray(bound) ? (bound as Value[]) : []
  const word = wordOf(kind) ?? ''
  const value = content instanceof Variant ? content.value : undefined
  const isOption = word === 'OneOf' && typeof value === 'string' && value.length <= longestText
  const option = isOption ? ([value, textOf(text) || value] as const) : undefined
  return { word, value: numberOf(value), option }
}

const textOf = (value: Value | undefined) => (typeof value === 'string' ? value.slice(0, longestText) : '')

function numberOf(value: Value | undefined): number | undefined {
  const number = typeof value === 'bigint' ? Number(value) : value
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : undefined
}
