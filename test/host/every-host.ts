import t, { type Test } from 'tap'
import { type Host, hosts } from './hosts.ts'

/**
 * Runs the same tests on every host. One that is not here is skipped, with how to get it; under CI=true that is a
 * failure.
 *
 * @param seconds how long a host may take for all of it
 */
export function onEveryHost(run: (t: Test, host: Host) => Promise<void>, seconds = 60): void {
  t.setTimeout(hosts.reduce((sum, each) => sum + seconds * each.slowness, 0) * 1000)
  for (const each of hosts) needing(`on ${each.name}`, each.missing, (t) => run(t, each))
}

/** A test that needs something installed; `missing` says how to get it where it is not here. */
export function needing(name: string, missing: string | undefined, run: (t: Test) => Promise<void>): void {
  if (missing === undefined) t.test(name, run)
  else if (process.env.CI === 'true')
    t.test(name, async (t) => {
      t.fail(missing)
    })
  else t.test(name, { skip: missing }, async () => {})
}
