/** In place of `recordings.ts` in a binary that makes and serves none (`node build.mjs --without recording`). */
export const recordings = undefined
