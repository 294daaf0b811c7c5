import t, { type Test } from 'tap'
import { needing } from '#test/host/every-host.ts'
import { missingImage } from './board.ts'

/** A test that `npm run campaign:boards` runs: CI has forty minutes, of which a boot takes one. */
export function inCampaign(name: string, run: (t: Test) => Promise<void>): void {
  if (process.env.MINNOW_BOARDS === 'all') needing(name, missingImage, run)
  else t.test(name, { skip: 'npm run campaign:boards' }, async () => {})
}
