import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'

/**
 * A text file that the service has with it.
 *
 * @typedef {{ readonly name: string, readonly text: string }} Document
 */

/**
 * One archive of text files, each compressed, as `runtime/store/documents.ts` reads it: four bytes (little-endian) with
 * the length of the index; the index, JSON, `[name, length, entity tag]` of each file; then the files, in that order.
 * The tag of a file is made from its text, and a file that is a resource shows it (DSP0266 9.5).
 *
 * @param {readonly Document[]} files
 */
export function documents(files) {
  const packed = files.map(({ name, text }) => {
    const tag = `W/"${createHash('sha256').update(text).digest('hex').slice(0, 16)}"`
    const isResource = text.startsWith('{"@odata.')
    const shown = isResource ? `{"@odata.etag":${JSON.stringify(tag)},${text.slice(1)}` : text
    return { name, tag, body: gzipSync(shown, { level: 9 }) }
  })
  const index = Buffer.from(JSON.stringify(packed.map(({ name, tag, body }) => [name, body.length, tag])))
  const header = Buffer.alloc(4)
  header.writeUInt32LE(index.length)
  return Buffer.concat([header, index, ...packed.map(({ body }) => body)])
}
