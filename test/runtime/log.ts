import process from 'node:process'
import type { Test } from 'tap'
import { setLogLevel } from '#runtime/base/log.ts'

export type Line = Readonly<Record<string, unknown>>

/** Sets the log to the level debug for one test. The function gives the lines written since it was last called. */
export function debugLines(t: Test): () => Line[] {
  const written = t.capture(process.stderr, 'write', () => true)
  setLogLevel('debug')
  t.teardown(() => setLogLevel('info'))
  return () => written().map(({ args }) => JSON.parse(String(args[0])))
}
