/** Flash chips as files: erased where nothing is put. */
import { readFileSync, statSync } from 'node:fs'

/** What a byte of NOR flash is before it is programmed. */
export const erased = 0xff

/**
 * @param contents by the name of the partition, paths
 * @returns the bytes of the whole chip
 * @throws Error naming the partition that something does not fit in
 */
export function flashImage({ size, partitions }, contents) {
  const bytes = Buffer.alloc(size, erased)
  for (const { name, offset, size: room } of partitions) {
    if (contents[name] === undefined) continue
    const part = readFileSync(contents[name])
    if (part.length > room) throw new Error(`${name}: ${part.length} bytes do not fit into ${room}`)
    part.copy(bytes, offset)
  }
  return bytes
}

/** A line for each partition: name, offset, size, what of it is used; then the sums, for which there may be a budget. */
export function sizes({ flash: { partitions }, budget }, contents, kernel) {
  const used = (name) => (contents[name] === undefined ? 0 : statSync(contents[name]).size)
  const whole = partitions.reduce((sum, { name }) => sum + used(name), 0)
  const besidesKernel = whole - statSync(kernel).size
  return {
    lines: [
      ...partitions.map(({ name, offset, size }) =>
        [name.padEnd(12), hex(offset), hex(size), mebibytes(used(name))].join('  ')
      ),
      `besides the kernel  ${mebibytes(besidesKernel)}${budget ? ` of ${mebibytes(budget.besidesKernel)}` : ''}`,
      `the whole           ${mebibytes(whole)}${budget ? ` of ${mebibytes(budget.whole)}` : ''}`
    ],
    whole,
    besidesKernel,
    held: !budget || (whole <= budget.whole && besidesKernel <= budget.besidesKernel)
  }
}

const hex = (number) => `0x${number.toString(16).padStart(8, '0')}`
const mebibytes = (bytes) => `${(bytes / 1048576).toFixed(2).padStart(6)} MiB`
