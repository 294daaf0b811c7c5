import type { Test } from 'tap'

/** Has new timers end when the test calls their functions, and not by themselves. */
export function heldTimers(t: Test) {
  let timer = 0
  const timers = t.capture(globalThis, 'setTimeout', ((_: () => void) => ++timer) as unknown as typeof setTimeout)
  const cleared = t.capture(globalThis, 'clearTimeout', () => {})
  return {
    /** The timers since the last call: their functions, and their times. */
    timers: () => timers().map(({ args }) => args as [() => void, number]),
    /** The timers that were cleared since the last call, numbered from 1. */
    cleared: () => cleared().flatMap(({ args }) => (args[0] === undefined ? [] : [args[0]]))
  }
}

/** The new timers of so many milliseconds, too many to pass in a test, that have not been cleared. */
export function pendingTimers(t: Test, milliseconds: number): ReadonlySet<unknown> {
  const pending = new Set<unknown>()
  const { setTimeout, clearTimeout } = globalThis
  t.capture(globalThis, 'setTimeout', ((run: () => void, time = 0) => {
    const timer = setTimeout(run, time)
    if (time === milliseconds) pending.add(timer)
    return timer
  }) as typeof setTimeout)
  t.capture(globalThis, 'clearTimeout', ((timer?: NodeJS.Timeout) => {
    pending.delete(timer)
    clearTimeout(timer)
  }) as typeof clearTimeout)
  return pending
}
