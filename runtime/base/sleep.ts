import type { Listeners } from './listeners.ts'

/**
 * Settles after a time, or as soon as `wake` is emitted.
 *
 * @param time in milliseconds
 */
export function sleep(time: number, wake?: Listeners<void>): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      stop?.()
      resolve()
    }
    const timer = setTimeout(end, time)
    const stop = wake?.add(end)
  })
}
