import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'

const { MINNOW_CAMPAIGN_POINTS: more, MINNOW_CAMPAIGN_SEED } = process.env

/** How many points a campaign tries: a few, unless `npm run campaign` sets more. */
export const points = (few: number) => Number(more ?? few)

/** Of the points that are chosen at random. `npm run campaign` has another one each time. */
export const seed = MINNOW_CAMPAIGN_SEED ?? (more === undefined ? '1' : String(Date.now() % 1_000_000))

/** Files in memory, where there are any: what is tested is not how fast a disk is. */
export const memory = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

/** Numbers from 0 to below 1 that are the same for the same seed (mulberry32). */
export function random(seed: string): () => number {
  let at = Number(seed)
  return () => {
    at = (at + 0x6d2b79f5) | 0
    let mixed = Math.imul(at ^ (at >>> 15), 1 | at)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
