import { gzipSync } from 'node:zlib'

/**
 * One archive of text files, each compressed, as `runtime/documents.ts` reads it: four bytes (little-endian) with the
 * length of the index; the index, JSON, `[name, length]` of each file; then the files, in that order.
 *
 * @param files `{ name, text }` of each file
 */
export function documents(files) {
  const bodies = files.map(({ text }) => gzipSync(text, { level: 9 }))
  const index = Buffer.from(JSON.stringify(files.map(({ name }, i) => [name, bodies[i].length])))
  const header = Buffer.alloc(4)
  header.writeUInt32LE(index.length)
  return Buffer.concat([header, index, ...bodies])
}
