/** In place of `recordings.ts` in a binary that is flashed: its board is the one that it is flashed on. */
export const recordings = undefined
