import { HalError } from '../errors.ts'
import type { EdgeListener, Gpio, InputLine, OutputLine } from './gpio.ts'
import { type FoundLine, findLines } from './lines.ts'
import type { GpioPowerOptions } from './options.ts'

/** The lines of one host, requested until they are closed. */
export interface HostLines {
  readonly powerGood: InputLine
  readonly powerButton: OutputLine
  readonly reset: OutputLine | undefined
  readonly nmi: OutputLine | undefined
  readonly auxCycle: OutputLine | undefined

  /** Closes all of them. @throws {HalError} of the first that could not be released */
  close(): void
}

/** @param listener hears the edges of power-good @throws {HalError} and then no line stays requested */
export function openHostLines(gpio: Gpio, options: GpioPowerOptions, listener: EdgeListener): HostLines {
  const { devices = '/dev', powerButton, powerGood, reset, nmi, auxCycle } = options
  if (powerButton === undefined) throw new HalError('EINVAL', 'it needs the line powerButton')
  if (powerGood === undefined) throw new HalError('EINVAL', 'it needs the line powerGood')
  if (typeof devices !== 'string') throw new HalError('EINVAL', 'devices must be a folder')
  const places = findLines(gpio, devices, { powerButton, powerGood, reset, nmi, auxCycle })
  const opened: { close(): void }[] = []
  const keep = <Line extends { close(): void }>(line: Line): Line => {
    opened.push(line)
    return line
  }
  const output = (place: FoundLine | undefined) => place && keep(gpio.output(place))
  try {
    return {
      powerGood: keep(gpio.input(places.powerGood!, listener)),
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
