/** `npm run bench`: bundles the benchmarks, which are TypeScript, and runs them. */
import { build } from 'esbuild'

const outfile = 'dist/bench/main.mjs'
await build({
  entryPoints: ['bench/main.ts'],
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  outfile
})
// Some benchmarks use what the tests use of tap, which would stop them after 30 seconds.
process.env.TAP_TIMEOUT = '0'
await import(`../${outfile}`)
