import { readdirSync } from 'node:fs'
import { HalError } from '../errors.ts'
import type { ChipFacts, Gpio, LinePlace } from './gpio.ts'

/**
 * How a board file says which line it means: `{ "name": "POWER_OUT", "activeLow": true }`, by the name that the board's
 * device tree gives it, or `{ "chip": "1e780000.gpio", "offset": 120 }`, where the chip is a path, a name
 * (`gpiochip0`) or a label. A name that several lines have takes the chip as well.
 */
interface LineOptions {
  readonly name?: string
  readonly chip?: string
  readonly offset?: number
  /** The line is active when it is low. Default false. */
  readonly activeLow?: boolean
  /** An output that is pulled low or left to a resistor, never driven high. Default false. */
  readonly openDrain?: boolean
}

/** {@link LineOptions} in a board file. */
export const lineOptions = {
  type: 'object',
  properties: {
    name: { type: 'string', description: 'The name that the device tree of the board gives it' },
    chip: { type: 'string', description: 'Path, name or label of its chip' },
    offset: { type: 'integer', minimum: 0, description: 'Its number at its chip, if it has no name' },
    activeLow: { type: 'boolean', description: 'The line is active when it is low' },
    openDrain: { type: 'boolean', description: 'An output that is pulled low, never driven high' }
  }
} as const

export type LineInfo = LinePlace & { readonly openDrain: boolean }

interface Chip extends ChipFacts {
  readonly path: string
}

/**
 * The places of the lines of a board, by use. A use that is undefined in `wanted` is undefined in the result.
 *
 * @param folder that the chips' devices are in, `/dev`
 * @throws {HalError} one sentence: `EINVAL` for options that are wrong or mean several lines, `ENODEV` for a line or chip
 *   that is not there, `EBUSY` for a line that is in use or meant twice, `EACCES` when this process may look at no chip
 */
export function findLines<Use extends string>(
  gpio: Gpio,
  folder: string,
  wanted: Readonly<Record<Use, unknown>>
): Record<Use, LineInfo | undefined> {
  const uses = Object.entries(wanted).filter(([, options]) => options !== undefined)
  const checked = uses.map(([use, options]) => [use, check(use, options)] as const)
  const chips = listChips(gpio, folder)
  const taken = new Map<string, string>()
  const found = checked.map(([use, options]) => {
    const { activeLow = false, openDrain = false } = options
    const { chip, offset } = find(use, options, chips, folder)
    const { name, consumer, used } = chip.lines[offset]!
    const place = `${chip.path} line ${offset}`
    if (used) throw new HalError('EBUSY', `${use}: ${place} (${name}) is in use by ${consumer || 'the kernel'}`)
    const other = taken.get(place)
    if (other !== undefined) throw new HalError('EBUSY', `${use}: ${place} (${name}) is ${other} already`)
    taken.set(place, use)
    return [use, { path: chip.path, offset, activeLow, openDrain }] as const
  })
  return Object.fromEntries(found) as Record<Use, LineInfo | undefined>
}

function check(use: string, options: unknown): LineOptions {
  const { properties: types } = lineOptions
  const refuse = (reason: string) => new HalError('EINVAL', `${use}: ${reason}`)
  if (typeof options !== 'object' || options === null) throw refuse('a line is {"name"} or {"chip", "offset"}')
  for (const [option, value] of Object.entries(options)) {
    const known = Object.hasOwn(types, option) ? types[option as keyof LineOptions].type : undefined
    if (known === undefined) throw refuse(`a line has no option ${option}: it has ${Object.keys(types).join(', ')}`)
    const type = known === 'integer' ? 'number' : known
    if (typeof value !== type) throw refuse(`${option} must be a ${type}`)
  }
  const line: LineOptions = options
  const byName = line.name !== undefined && line.name !== '' && line.offset === undefined
  const byPlace = line.name === undefined && line.chip !== undefined && line.offset !== undefined
  if (!byName && !byPlace) throw refuse('a line is {"name"} or {"chip", "offset"}')
  return line
}

/** The chips in the order of their numbers. Other names for them are symbolic links, and stand for no further chips. */
function listChips(gpio: Gpio, folder: string): Chip[] {
  let names: string[] = []
  try {
    names = readdirSync(folder)
  } catch (error) {
    throw new HalError('ENODEV', `there are no GPIO chips: ${(error as Error).message}`, { cause: error })
  }
  const numbers = names.flatMap((name) => /^gpiochip(\d+)$/.exec(name)?.[1] ?? []).map(Number)
  if (numbers.length === 0) throw new HalError('ENODEV', `there is no GPIO chip: ${folder}/gpiochip0 and so on`)
  const paths = numbers.sort((a, b) => a - b).map((number) => `${folder}/gpiochip${number}`)
  let denied: unknown
  const chips = paths.flatMap((path) => {
    try {
      return [{ path, ...gpio.describe(path) }]
    } catch (error) {
      // A chip that this process may not look at is not for it.
      if (!(error instanceof HalError) || error.code !== 'EACCES') throw error
      denied = error
      return []
    }
  })
  if (chips.length === 0) throw denied
  return chips
}

function find(use: string, { name, chip, offset }: LineOptions, all: readonly Chip[], folder: string) {
  const chips = all.filter((each) => chip === undefined || [each.path, each.name, each.label].includes(chip))
  const known = all.map(({ name, label, lines }) => `${name} (${label}, ${lines.length} lines)`).join(', ')
  if (chips.length === 0) throw new HalError('ENODEV', `${use}: there is no GPIO chip ${chip}: there is ${known}`)
  if (offset !== undefined) {
    if (chips.length > 1) throw new HalError('EINVAL', `${use}: ${chip} names several GPIO chips: ${known}`)
    const [only] = chips as [Chip]
    if (only.lines[offset] !== undefined) return { chip: only, offset }
    throw new HalError('ENODEV', `${use}: ${chip} has no line ${offset}, only 0 to ${only.lines.length - 1}`)
  }
  const places = chips.flatMap((each) =>
    each.lines.flatMap((line, offset) => (line.name === name ? [{ chip: each, offset }] : []))
  )
  if (places.length === 1) return places[0]!
  const where = places.map((place) => `${place.chip.path} line ${place.offset}`).join(', ')
  if (places.length > 1) throw new HalError('EINVAL', `${use}: several lines are named ${name}: ${where}`)
  throw new HalError('ENODEV', `${use}: no GPIO line is named ${name}: ${chip ?? folder} has ${known}`)
}
