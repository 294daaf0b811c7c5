import { parseDuration } from '#runtime/base/duration.ts'
import { type Message, message } from '#runtime/contract'
import { display } from '#runtime/schema'

/** The faults of a duration. @param least seconds; @param most milliseconds */
export function durationFaults(value: string, name: string, within: string, least: number, most: number): Message[] {
  const at = `${within}/${name}`
  const length = parseDuration(value)
  if (length === undefined) return [fault('Format', value, name, at)]
  return length < least * 1000 || length > most ? [fault('Range', value, name, at)] : []
}

const keys = {
  Format: 'Base.PropertyValueFormatError',
  Range: 'Base.PropertyValueOutOfRange',
  List: 'Base.PropertyValueNotInList'
} as const

/** A value that is wrong. @param at a pointer to it */
export function fault(what: keyof typeof keys, value: string | number, name: string, at: string): Message {
  return { ...message(keys[what], display(value, false), name), related: [at] }
}

/** A property that is missing in an object. @param within a pointer to that */
export function missing(name: string, within: string): Message {
  return { ...message('Base.PropertyMissing', name), related: [`${within}/${name}`] }
}
