import { rmSync } from 'node:fs'
import { HalError } from './errors.ts'
import { fileError, replaceFile } from './files.ts'
import { sleep } from './sleep.ts'
import { readText } from './sysfs/read.ts'

/** How often it is looked whether the file is still there, in milliseconds. */
const lookEvery = 50

/** How far off a clock may be that was set just now, in milliseconds. */
const exactness = 2000

/**
 * Has the program that may do so set the system's clock: it takes the file, which says by how many milliseconds the clock is
 * behind, and sets it (runtime/image/init/clock.h). Settles when that is done.
 *
 * @param time milliseconds since 1970
 * @param patience in milliseconds
 * @throws {HalError} `ETIMEDOUT` when nobody takes the file, `EIO` when the clock is not set then, others when the file cannot be
 *   written
 */
export async function setClock(file: string, time: number, patience = 10_000): Promise<void> {
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
    if (performance.now() - began >= patience) {
      rmSync(file, { force: true })
      if (isTaken) throw new HalError('EIO', 'clock: it was not set')
      throw new HalError('ETIMEDOUT', 'clock: nobody sets it')
    }
    await sleep(lookEvery)
  }
}
