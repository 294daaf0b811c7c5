/**
 * The two places of the controller's firmware: each has a partition `kernel-SLOT` for kernel, RAM disk and device tree,
 * and a partition `rofs-SLOT` for the root file system.
 */
/** @import { Board } from './boards.mjs' */

/** @typedef {'a' | 'b'} Slot */

/** @type {readonly Slot[]} */
export const slots = ['a', 'b']

/**
 * A flash with one slot, which has the room of both: Node.js needs it.
 *
 * @param {Board['flash']} flash
 * @returns {Board['flash']}
 */
export function withOneSlot(flash) {
  const kept = flash.partitions.filter(({ name }) => !name.endsWith('-b'))
  const partitions = kept.map((partition, index) => {
    const next = kept[index + 1]?.offset ?? flash.size
    return partition.name === 'rofs-a' ? { ...partition, size: next - partition.offset } : partition
  })
  return { ...flash, partitions }
}
