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
    const body = gzipSync(shown, { level: 9 })
    return { entry: /** @type {const} */ ([name, body.length, tag]), body }
  })
  return archiveOf(packed)
}

/**
 * An archive with some of the files of another one.
 *
 * @param {Buffer} archive
 * @param {(name: string) => boolean} isWanted
 */
export function someDocuments(archive, isWanted) {
  const start = 4 + archive.readUInt32LE(0)
  let at = start
  const files = JSON.parse(archive.toString('utf8', 4, start)).map((/** @type {[string, number, string]} */ entry) => {
    const [name, length] = entry
    at += length
    return { name, entry, body: archive.subarray(at - length, at) }
  })
  const wanted = files.filter((/** @type {{ name: string }} */ { name }) => isWanted(name))
  return archiveOf(wanted)
}

/** @param {readonly { readonly entry: readonly [name: string, length: number, tag: string], readonly body: Buffer }[]} files */
function archiveOf(files) {
  const index = Buffer.from(JSON.stringify(files.map(({ entry }) => entry)))
  const header = Buffer.alloc(4)
  header.writeUInt32LE(index.length)
  return Buffer.concat([header, index, ...files.map(({ body }) => body)])
}
