import { gzipSync } from 'node:zlib'

/**
 * A text file that the service has with it.
 *
 * @typedef {{ readonly name: string, readonly text: string }} Document
 */

/**
 * One archive of text files, each compressed, as `runtime/store/documents.ts` reads it: four bytes (little-endian) with
 * the length of the index; the index, JSON, `[name, length]` of each file; then the files, in that order.
 *
 * @param {readonly Document[]} files
 */
export function documents(files) {
  const packed = files.map(({ name, text }) => ({ name, body: gzipSync(text, { level: 9 }) }))
  const index = Buffer.from(JSON.stringify(packed.map(({ name, body }) => [name, body.length])))
  const header = Buffer.alloc(4)
  header.writeUInt32LE(index.length)
  return Buffer.concat([header, index, ...packed.map(({ body }) => body)])
}
