import { rmSync } from 'node:fs'
import { replaceFile } from '#runtime/base/files.ts'
import { sleep } from '#runtime/base/sleep.ts'
import { fileError, HalError } from './errors.ts'
import { readText } from './sysfs/read.ts'

/** The time, as the machine has it. */
export interface Clock {
  /** Milliseconds since 1970. It leaps when the clock is set. */
  readonly now: () => number
  /** Milliseconds from some moment on. It never leaps: durations are measured with it. */
  readonly elapsed: () => number
  /** Sets it, in milliseconds since 1970; absent if only another program may: see `setClock`. */
  readonly set?: (time: number) => Promise<void>
}

export const systemClock: Clock = { now: () => Date.now(), elapsed: () => performance.now() }

/** A clock that begins as the system's, and can be set, which moves no other clock. */
export function simulatedClock(): Clock {
  let ahead = 0
  const now = () => systemClock.now() + ahead
  return {
    ...systemClock,
    now,
    async set(time) {
      ahead += time - now()
    }
  }
}

/**
 * When something that is stored was, or is to be, on the clock that never leaps. The clock that it was noted by may have
 * been set since, so that it is never further ahead than it can be.
 *
 * @param noted milliseconds since 1970
 * @param most how far ahead it can be, in milliseconds; what has happened can not be ahead
 */
export function measured({ now, elapsed }: Clock, noted: number, most = 0): number {
  return elapsed() + Math.min(noted - now(), most)
}

/** The time of day at a time of the clock that never leaps, in whole milliseconds since 1970. */
export function timeOfDay({ now, elapsed }: Clock, time: number): number {
  return Math.round(now() + time - elapsed())
}

/** How often it is looked whether the file is still there, in milliseconds. */
const lookEvery = 50

/** How far off a clock may be that was set just now, in milliseconds. */
const exactness = 2000

/**
 * Has the program that may do so set the system's clock: it takes the file, which says by how many milliseconds the clock is
 * behind, and sets it (deploy/image/init/clock.h). Settles when that is done.
 *
 * @param time milliseconds since 1970
 * @param timeout in milliseconds
 * @throws {HalError} `ETIMEDOUT` when the file stays, `EIO` when the clock is not set then, others when the file cannot be
 *   written
 */
export async function setClock(file: string, time: number, timeout = 10_000): Promise<void> {
  const began = performance.now()
  const wanted = () => time + performance.now() - began
  try {
    replaceFile(file, `${Math.round(wanted() - Date.now())}\n`)
  } catch (error) {
    throw fileError('clock', 'set', error)
  }
  for (;;) {
    const isTaken = readText(file) === undefined
    if (isTaken && Math.abs(wanted() - Date.now()) <= exactness) return
    if (performance.now() - began >= timeout) {
      rmSync(file, { force: true })
      if (isTaken) throw new HalError('EIO', 'clock: the time was not set')
      throw new HalError('ETIMEDOUT', 'clock: the time was not set within the timeout')
    }
    await sleep(lookEvery)
  }
}
