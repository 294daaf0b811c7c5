import { HalError } from './errors.ts'

/** A device that keeps the power of a chassis below a limit. It does not remember the limit: each process sets it again. */
export interface PowerLimit {
  /** The lowest limit that the hardware can hold, and the highest that it takes; watts. */
  readonly range: { readonly minimum: number; readonly maximum: number }

  /** The limit that was set last, in watts; undefined without one. From memory: cheap, never fails. */
  readonly watts: number | undefined

  /**
   * Resolves when the hardware has taken the limit; with undefined it no longer limits the power.
   *
   * @throws {HalError} `EINVAL` outside of the range, `EIO`, `EACCES` or `EBUSY` when the limit cannot be set, `ETIMEDOUT`
   *   when the hardware does not answer, `ENODEV` after `close`. The limit then is what it was before.
   */
  set(watts: number | undefined): Promise<void>

  /** Lets go of the hardware. The limit stays as it is. */
  close(): Promise<void>
}

/** @throws {HalError} `EINVAL` for a limit outside of the range */
export function checkLimit(name: string, { minimum, maximum }: PowerLimit['range'], watts: number | undefined): void {
  if (watts !== undefined && (watts < minimum || watts > maximum))
    throw new HalError('EINVAL', `${name}: ${watts} W is not between ${minimum} and ${maximum}`)
}
