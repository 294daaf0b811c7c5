/** A number from 0 to 1 that three integers decide: an integer hash by xor and multiplication. */
export function chance(seed: number, which: number, place: number): number {
  let hash = Math.imul(seed, 0x9e3779b1) ^ Math.imul(which + 1, 0x85ebca6b) ^ Math.imul(place | 0, 0xc2b2ae35)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  hash = Math.imul(hash ^ (hash >>> 13), 0x297a2d39)
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32
}
