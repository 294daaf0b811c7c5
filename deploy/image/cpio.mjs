/**
 * A file: `mode` has its type and permissions (stat.h).
 *
 * @typedef {{ name: string, mode: number, contents?: Buffer }} Entry
 */

/**
 * An initial RAM disk: an archive in the `newc` format of cpio (Linux, Documentation/driver-api/early-userspace/
 * buffer-format.rst), in which every file belongs to root and has no time.
 *
 * @param {readonly Entry[]} entries
 */
export function cpio(entries) {
  /** @type {readonly Entry[]} */
  const all = [...entries, { name: 'TRAILER!!!', mode: 0 }]
  const parts = []
  for (const [index, { name, mode, contents = Buffer.alloc(0) }] of all.entries()) {
    // inode, mode, user, group, links, time, size, major and minor of the device and of the special file, name, sum
    const fields = [index + 1, mode, 0, 0, 1, 0, contents.length, 0, 0, 0, 0, name.length + 1, 0]
    const header = `070701${fields.map((field) => field.toString(16).padStart(8, '0')).join('')}${name}\0`
    parts.push(padded(Buffer.from(header)), padded(contents))
  }
  return Buffer.concat(parts)
}

/** @param {Buffer} bytes */
const padded = (bytes) => Buffer.concat([bytes, Buffer.alloc(-bytes.length & 3)])

/** The type of a file, for `mode` (stat.h). */
export const file = 0o100000
