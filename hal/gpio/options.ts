import { HalError } from '../errors.ts'
import type { BeforeBoot } from '../power.ts'
import { lineOptions } from './lines.ts'

/**
 * The back end `gpio` of a board file: lines as {@link import('./lines.ts').LineOptions} has them, and times in
 * milliseconds. For example:
 *
 *     { "type": "gpio",
 *       "powerButton": { "name": "POWER_OUT", "activeLow": true },
 *       "reset": { "name": "RESET_OUT", "activeLow": true },
 *       "powerGood": { "name": "PS_PWROK" },
 *       "gracefulTime": 120000 }
 */
export interface GpioPowerOptions extends Partial<Readonly<Record<keyof Times, unknown>>> {
  readonly name: string
  readonly warn: (text: string) => void
  readonly beforeBoot?: BeforeBoot | undefined
  /** Output to the power button of the host. */
  readonly powerButton?: unknown
  /** Input: the host's supply is up. */
  readonly powerGood?: unknown
  /** Output to the reset line. Without it `forceRestart` is `EINVAL`, and a host that resets itself is not held. */
  readonly reset?: unknown
  /** Input: the host is in reset, such as PLTRST#. Without it a host that resets itself is not seen. */
  readonly platformReset?: unknown
  /** Input: the watchdog timer of the host has expired. Without it the host has none. */
  readonly watchdog?: unknown
  /** Output that causes an NMI. Without it `nmi` is `EINVAL`. */
  readonly nmi?: unknown
  /** Output that interrupts the standby supply. Without it `auxCycle` is `EINVAL`. */
  readonly auxCycle?: unknown
  /** The folder of the chips' devices. Default `/dev`. */
  readonly devices?: unknown
}

/** Milliseconds. */
export interface Times {
  /** Of a press of the power button, and of an NMI. */
  readonly pressTime: number
  /** The longest press that is to cut the power (ACPI, "Power Button Override": over 4 s). It ends when the power does. */
  readonly holdTime: number
  /** That the reset line is held at least. */
  readonly resetTime: number
  /** Between off and on in a power cycle. */
  readonly cycleTime: number
  /** Until the power is good after a press; if it is not, the host stays off. */
  readonly onTime: number
  /** Until the operating system has shut down after a press; if it has not, the host stays on. */
  readonly gracefulTime: number
  /** That the standby supply is interrupted. */
  readonly auxTime: number
}

const defaults: Times = {
  pressTime: 200,
  holdTime: 15_000,
  resetTime: 500,
  cycleTime: 5000,
  onTime: 8000,
  gracefulTime: 300_000,
  auxTime: 500
}

/** A day: what is longer is a mistake in the board file. */
const longest = 86_400_000

const time = (name: keyof Times, description: string) =>
  ({
    type: 'integer',
    minimum: 1,
    maximum: longest,
    description: `Milliseconds ${description}; default ${defaults[name]}`
  }) as const

/** {@link GpioPowerOptions} in a board file. */
export const gpioPowerOptions = {
  type: 'object',
  required: ['powerButton', 'powerGood'],
  properties: {
    powerButton: { ...lineOptions, description: 'Output to the power button of the host' },
    powerGood: { ...lineOptions, description: "Input: the host's supply is up" },
    reset: { ...lineOptions, description: 'Output to the reset line' },
    platformReset: { ...lineOptions, description: 'Input: the host is in reset' },
    watchdog: { ...lineOptions, description: 'Input: the watchdog timer of the host has expired' },
    nmi: { ...lineOptions, description: 'Output that causes an NMI' },
    auxCycle: { ...lineOptions, description: 'Output that interrupts the standby supply' },
    devices: { type: 'string', description: "The folder of the chips' devices; default /dev" },
    pressTime: time('pressTime', 'of a press of the power button, and of an NMI'),
    holdTime: time('holdTime', 'of the longest press that is to cut the power'),
    resetTime: time('resetTime', 'that the reset line is held at least'),
    cycleTime: time('cycleTime', 'between off and on in a power cycle'),
    onTime: time('onTime', 'until the power is good after a press'),
    gracefulTime: time('gracefulTime', 'until the operating system has shut down after a press'),
    auxTime: time('auxTime', 'that the standby supply is interrupted')
  }
} as const

/** @throws {HalError} `EINVAL` for an invalid time */
export function readTimes(options: Partial<Readonly<Record<keyof Times, unknown>>>): Times {
  const times = Object.entries(defaults).map(([name, time]) => {
    const given = options[name as keyof Times] ?? time
    if (Number.isInteger(given) && (given as number) >= 1 && (given as number) <= longest) return [name, given]
    throw new HalError('EINVAL', `${name} must be 1 to ${longest} ms`)
  })
  return Object.fromEntries(times) as Times
}
