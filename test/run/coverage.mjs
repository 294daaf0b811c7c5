import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Sources whose lines count. */
const counted = /^(handlers|runtime|data|hal)\/.*\.ts$/
const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** Which lines of TypeScript with code in them have run, from what V8 writes when a process ends (NODE_V8_COVERAGE). */
export class Coverage {
  /** Whether each line has run, by `file:line`. */
  #lines = new Map()

  /**
   * @param {string} folder where processes leave what they know
   * @param {string} bundle the product, with its source map beside it: what no test runs is known from there
   */
  constructor(folder, bundle) {
    this.folder = resolve(folder)
    mkdirSync(this.folder, { recursive: true })
    const map = JSON.parse(readFileSync(`${bundle}.map`, 'utf8'))
    for (const { file, line } of mappings(map, pathToFileURL(resolve(bundle))))
      this.#lines.set(`${file}:${line}`, false)
  }

  /** Takes what processes that have ended wrote, and empties the folder. */
  take() {
    for (const name of readdirSync(this.folder)) {
      const path = join(this.folder, name)
      const { result, 'source-map-cache': maps = {} } = JSON.parse(readFileSync(path, 'utf8'))
      rmSync(path)
      for (const { url, functions } of result)
        if (url.includes('/dist/test-') && maps[url]?.data) this.#takeScript(url, functions, maps[url])
    }
  }

  /** Percents. */
  get figure() {
    return (100 * [...this.#lines.values()].filter(Boolean).length) / this.#lines.size
  }

  #takeScript(url, functions, { lineLengths, data }) {
    const starts = [0]
    for (const length of lineLengths) starts.push(starts.at(-1) + length + 1)
    const hasRun = new Uint8Array(starts.at(-1))
    // The inner of two ranges knows better.
    const ranges = functions.flatMap(({ ranges }) => ranges)
    ranges.sort((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset)
    for (const { startOffset, endOffset, count } of ranges) hasRun.fill(Math.min(count, 1), startOffset, endOffset)
    for (const { file, line, at } of mappings(data, url)) {
      const key = `${file}:${line}`
      this.#lines.set(key, this.#lines.get(key) || hasRun[starts[at.line] + at.column] === 1)
    }
  }
}

/** Where a source map (version 3) leads: from lines and columns of the bundle to lines of the sources that count. */
function* mappings({ mappings, sources }, base) {
  const files = sources.map((source) => relative('.', decodeURIComponent(new URL(source, base).pathname)))
  let source = 0
  let line = 0
  for (const [number, segments] of mappings.split(';').entries()) {
    let column = 0
    for (const segment of segments.split(',').filter(Boolean)) {
      const [toColumn, toSource = 0, toLine = 0] = numbers(segment)
      column += toColumn
      source += toSource
      line += toLine
      if (counted.test(files[source])) yield { file: files[source], line, at: { line: number, column } }
    }
  }
}

/** Base 64 VLQ: five bits a digit, the lowest first; the sixth says that more follow; the first of all is the sign. */
function numbers(segment) {
  const list = []
  let value = 0
  let shift = 0
  for (const digit of segment) {
    const bits = digits.indexOf(digit)
    value += (bits & 31) << shift
    shift += 5
    if (bits & 32) continue
    list.push(value & 1 ? -(value >> 1) : value >> 1)
    value = 0
    shift = 0
  }
  return list
}
