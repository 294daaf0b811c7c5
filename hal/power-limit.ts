import { HalError } from './errors.ts'
import type { SharedState } from './shared-state.ts'

/** The lowest limit that the hardware can hold, and the highest that it takes; watts. */
export interface PowerRange {
  readonly minimum: number
  readonly maximum: number
}

/** The limit that is set. */
export interface PowerLimitSetting {
  /** Also while it is not in effect. */
  readonly watts: number
  readonly enabled: boolean
}

/**
 * A device that keeps the power of a chassis below a limit. It does not remember the limit, so each process sets it again,
 * unless another program holds it.
 */
export interface PowerLimit {
  /** Undefined until it is known. */
  readonly range: PowerRange | undefined

  /** The setting, if another program holds the limit. */
  readonly shared?: SharedState<PowerLimitSetting>

  /** The limit that was set last, in watts; undefined without one. From memory: cheap, never fails. */
  readonly watts: number | undefined

  /**
   * Resolves when the hardware has taken the limit; with undefined it no longer limits the power.
   *
   * @throws {HalError} `EINVAL` outside of the range, `EIO`, `EACCES` or `EBUSY` when the limit cannot be set, `ETIMEDOUT`
   *   when the hardware does not answer, `ENODEV` after `close` and while the range is unknown. The limit then is what it
   *   was before.
   */
  set(watts: number | undefined): Promise<void>

  /** Lets go of the hardware. The limit stays as it is. */
  close(): Promise<void>
}

/** @throws {HalError} `EINVAL` for a limit outside of the range */
export function checkLimit(name: string, { minimum, maximum }: PowerRange, watts: number | undefined): void {
  if (watts !== undefined && (watts < minimum || watts > maximum))
    throw new HalError('EINVAL', `${name}: ${watts} W is not between ${minimum} and ${maximum}`)
}
