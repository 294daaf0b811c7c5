import t, { type Test } from 'tap'
import { type Host, hosts, undelivered } from './hosts.ts'

/** `test/run.mjs --rest` has had Node.js, and `test/run/mutants.mjs` has mutants for Node.js only. */
const some: Readonly<Record<string, readonly Host[]>> = { binary: hosts.slice(1), node: hosts.slice(0, 1) }
const every = some[process.env.MINNOW_HOSTS ?? ''] ?? hosts
/** An emulated processor takes ten times as long: `npm run campaign:hosts` runs every test on it, others the essential. */
const native = process.env.MINNOW_HOSTS === 'all' ? hosts : every.filter(({ slowness }) => slowness === 1)

/**
 * Runs the same tests on Node.js, in the binary and in that for ARMv7, for what depends on the size of a word or on the
 * instructions of a processor. A host that is not here is skipped, with how to get it; under CI=true that is a failure.
 */
export const onEveryHost = (run: Suite) => on(every, run)

/** As {@link onEveryHost}, without the emulated processor. */
export const onBothHosts = (run: Suite) => on(native, run)

type Suite = (t: Test, host: Host) => Promise<void>

/** Seconds that a host may take for a file of tests: many times what it takes on a machine that has nothing else to do. */
const most = 600

let allowed = 0

function on(some: readonly Host[], run: Suite): void {
  for (const { slowness } of some) allowed += most * slowness
  t.setTimeout(allowed * 1000)
  for (const each of some) needing(`on ${each.name}`, each.missing, (t) => run(t, each))
}

/** A test that needs something installed; `missing` says how to get it. It belongs to the test `of`. */
export function needing(
  name: string,
  missing: string | undefined,
  run: (t: Test) => Promise<void>,
  of = t as Test
): void {
  if (missing === undefined) of.test(name, run)
  else if (process.env.CI === 'true' && !undelivered.some((arch) => missing.includes(`--arch ${arch}`)))
    of.test(name, async (t) => {
      t.fail(missing)
    })
  else of.test(name, { skip: missing }, async () => {})
}
