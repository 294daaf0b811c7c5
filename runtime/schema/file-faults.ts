import { display, isSecret, shorten } from './display.ts'
import type { Property, Schema } from './schema.ts'
import { type Fault, walk } from './walk.ts'

/**
 * Everything that is wrong with what a JSON file holds, in one line each: `chassis/1/type is Sledgehammer, not one of
 * RackMount, Blade`.
 *
 * @param separator between the names of a path
 * @param at where the value stands in its file
 */
export function fileFaults(schema: Schema, value: unknown, separator = '/', at: readonly string[] = []): string[] {
  return walk(schema, value, 'file').faults.map((fault) => {
    const path = [...at, ...fault.path].map(shorten).join(separator)
    return oneLine(`${path === '' ? 'it' : path} ${describe(fault)}`)
  })
}

function describe({ kind, name, property, value }: Fault): string {
  if (kind === 'Missing') return 'is missing'
  if (property === undefined) return 'is not known'
  const { minLength, maxLength, maxItems, pattern, format } = property as {
    readonly [word in 'minLength' | 'maxLength' | 'maxItems' | 'pattern' | 'format']?: string | number
  }
  const shown = display(value, isSecret(name))
  switch (kind) {
    case 'TooShort':
      return `has fewer than ${minLength} characters`
    case 'TooLong':
      return `has more than ${maxLength} characters`
    case 'TooMany':
      return `has more than ${maxItems} elements`
    case 'ValueFormatError':
      if (pattern !== undefined) return `is ${shown}, which does not match ${pattern}`
      return `is ${shown}, which is not ${format === undefined ? 'text' : `a ${format}`}`
    case 'ValueTypeError':
      return `is not ${wanted(property)}`
    default:
      return `is ${shown}, not ${wanted(property)}`
  }
}

const types: Readonly<Record<string, string>> = {
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object'
}

function wanted(property: Property): string {
  const list = [property.type, 'nullable' in property && property.nullable ? 'null' : []].flat(2) as string[]
  if ('enum' in property && property.enum !== undefined)
    return `one of ${[...property.enum, ...list.slice(1)].join(', ')}`
  const { minimum, maximum } = property as { readonly minimum?: number; readonly maximum?: number }
  const from = minimum === undefined ? '' : ` from ${minimum}`
  const to = maximum === undefined ? '' : ` ${minimum === undefined ? 'up ' : ''}to ${maximum}`
  const words = list.map((type) => types[type] ?? type)
  return words.join(', ').replace(/, ([^,]*)$/, ' or $1') + from + to
}

/** A file's own text may have line ends and other control characters, which a terminal acts on. */
function oneLine(text: string): string {
  return text.replace(/[\0-\x1f]/g, (character) => JSON.stringify(character).slice(1, -1))
}
