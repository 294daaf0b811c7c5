/** Flash chips as files: erased where nothing is put. */
/** @import { Board, Flash } from './boards.mjs' */
import { readFileSync, statSync } from 'node:fs'

/** A byte of NOR flash before it is programmed. */
export const erased = 0xff

/**
 * Files by the names of the partitions that they are for.
 *
 * @typedef {Readonly<Record<string, string>>} Contents
 */

/**
 * @param {Flash['partitions']} partitions
 * @param {string} wanted
 * @throws {Error} if no partition has this name
 */
export function partition(partitions, wanted) {
  const found = partitions.find(({ name }) => name === wanted)
  if (found === undefined) throw new Error(`the flash has no partition ${wanted}`)
  return found
}

/**
 * @param {Flash} flash
 * @param {Contents} contents
 * @returns the bytes of the whole chip
 * @throws {Error} naming the partition that something does not fit in
 */
export function flashImage({ size, partitions }, contents) {
  const bytes = Buffer.alloc(size, erased)
  for (const { name, offset, size: room } of partitions) {
    const file = contents[name]
    if (file === undefined) continue
    const part = readFileSync(file)
    if (part.length > room) throw new Error(`${name}: ${part.length} bytes do not fit into ${room}`)
    part.copy(bytes, offset)
  }
  return bytes
}

/**
 * A line for each partition: name, offset, size, what of it is used; then the sums, for which there may be a budget.
 *
 * @param {Pick<Board, 'flash' | 'budget'>} board
 * @param {Contents} contents
 * @param {string} kernel file, which is in each slot
 */
export function sizes({ flash: { partitions }, budget }, contents, kernel) {
  const used = (/** @type {string} */ name) => {
    const file = contents[name]
    return file === undefined ? 0 : statSync(file).size
  }
  const kernels = Object.keys(contents).filter((name) => name.startsWith('kernel-'))
  const whole = partitions.reduce((sum, { name }) => sum + used(name), 0)
  const besidesKernel = whole - kernels.length * statSync(kernel).size
  return {
    lines: [
      ...partitions.map(({ name, offset, size }) =>
        [name.padEnd(12), hex(offset), hex(size), mebibytes(used(name))].join('  ')
      ),
      `besides the kernels ${mebibytes(besidesKernel)}${budget ? ` of ${mebibytes(budget.besidesKernel)}` : ''}`,
      `the whole           ${mebibytes(whole)}${budget ? ` of ${mebibytes(budget.whole)}` : ''}`
    ],
    whole,
    besidesKernel,
    held: !budget || (whole <= budget.whole && besidesKernel <= budget.besidesKernel)
  }
}

/** @param {number} number */
const hex = (number) => `0x${number.toString(16).padStart(8, '0')}`
/** @param {number} bytes */
const mebibytes = (bytes) => `${(bytes / 1048576).toFixed(2).padStart(6)} MiB`
