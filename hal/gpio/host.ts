import { HalError } from '../errors.ts'
import type { Edge, Gpio, InputLine, OutputLine } from './gpio.ts'
import { findLines, type LineInfo } from './lines.ts'
import type { GpioPowerOptions } from './options.ts'

/** The lines of one host, requested until they are closed. */
export interface HostLines {
  readonly powerGood: InputLine
  readonly watchdog: InputLine | undefined
  readonly powerButton: OutputLine
  readonly reset: OutputLine | undefined
  readonly nmi: OutputLine | undefined
  readonly auxCycle: OutputLine | undefined

  /** Closes all of them. @throws {HalError} of the first that could not be released */
  close(): void
}

/** The listeners for the edges of each input. */
export type Senses = Readonly<Record<'powerGood' | 'platformReset' | 'watchdog', (edge: Edge) => void>>

/**
 * @param unwatched hears why a line is not watched any more
 * @throws {HalError} and then no line stays requested
 */
export function openHostLines(
  gpio: Gpio,
  options: GpioPowerOptions,
  senses: Senses,
  unwatched: (error: Error) => void
): HostLines {
  const { devices = '/dev', powerButton, powerGood, reset, platformReset, watchdog, nmi, auxCycle } = options
  if (powerButton === undefined) throw new HalError('EINVAL', 'the line powerButton is missing')
  if (powerGood === undefined) throw new HalError('EINVAL', 'the line powerGood is missing')
  if (typeof devices !== 'string') throw new HalError('EINVAL', 'devices must be a folder')
  const wanted = { powerButton, powerGood, reset, platformReset, watchdog, nmi, auxCycle }
  const places = findLines(gpio, devices, wanted)
  const opened: { close(): void }[] = []
  const keep = <Line extends { close(): void }>(line: Line): Line => {
    opened.push(line)
    return line
  }
  const input = (sense: keyof Senses) => {
    const place = places[sense]
    return place && keep(gpio.input(place, (edge) => (edge instanceof Error ? unwatched(edge) : senses[sense](edge))))
  }
  const output = (place: LineInfo | undefined) => place && keep(gpio.output(place))
  try {
    input('platformReset')
    return {
      powerGood: input('powerGood')!,
      watchdog: input('watchdog'),
      powerButton: output(places.powerButton)!,
      reset: output(places.reset),
      nmi: output(places.nmi),
      auxCycle: output(places.auxCycle),
      close: () => closeAll(opened)
    }
  } catch (error) {
    closeAll(opened)
    throw error
  }
}

function closeAll(lines: readonly { close(): void }[]): void {
  const errors = lines.flatMap((line) => {
    try {
      line.close()
      return []
    } catch (error) {
      return [error]
    }
  })
  if (errors.length > 0) throw errors[0]
}
