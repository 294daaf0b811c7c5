import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

/** Sources whose lines count. */
const counted = /^(handlers|runtime|data|hal)\/.*\.ts$/
const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/**
 * A source map (version 3), with the members that matter here.
 *
 * @typedef {{ mappings: string, sources: string[] }} SourceMap
 */

/**
 * A script's map as V8 writes it: with the lengths of the script's lines.
 *
 * @typedef {{ lineLengths: number[], data: SourceMap }} ScriptMap
 */

/**
 * A function of a script, and how often its parts ran.
 *
 * @typedef {{ ranges: { startOffset: number, endOffset: number, count: number }[] }} FunctionCoverage
 */

/** Which lines of TypeScript with code in them have run, from what V8 writes when a process ends (NODE_V8_COVERAGE). */
export class Coverage {
  /**
   * Whether each line has run, by `file:line`.
   *
   * @type {Map<string, boolean>}
   */
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

  /**
   * @param {string} url
   * @param {readonly FunctionCoverage[]} functions
   * @param {ScriptMap} map
   */
  #takeScript(url, functions, { lineLengths, data }) {
    let end = 0
    const starts = lineLengths.map((length) => {
      const start = end
      end += length + 1
      return start
    })
    const hasRun = new Uint8Array(end)
    // The inner of two ranges knows better.
    const ranges = functions.flatMap(({ ranges }) => ranges)
    ranges.sort((a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset)
    for (const { startOffset, endOffset, count } of ranges) hasRun.fill(Math.min(count, 1), startOffset, endOffset)
    for (const { file, line, at } of mappings(data, url)) {
      const key = `${file}:${line}`
      this.#lines.set(key, this.#lines.get(key) || hasRun[(starts[at.line] ?? end) + at.column] === 1)
    }
  }
}

/**
 * Where a source map leads: from lines and columns of the bundle to lines of the sources that count.
 *
 * @param {SourceMap} map
 * @param {string | URL} base of the paths of its sources
 */
function* mappings({ mappings, sources }, base) {
  const files = sources.map((source) => relative('.', decodeURIComponent(new URL(source, base).pathname)))
  let index = 0
  let line = 0
  for (const [number, segments] of mappings.split(';').entries()) {
    let column = 0
    for (const segment of segments.split(',').filter(Boolean)) {
      const [toColumn = 0, toSource = 0, toLine = 0] = numbers(segment)
      column += toColumn
      index += toSource
      line += toLine
      const file = files[index] ?? ''
      if (counted.test(file)) yield { file, line, at: { line: number, column } }
    }
  }
}

/**
 * Base 64 VLQ: five bits a digit, the lowest first; the sixth says that more follow; the first of all is the sign.
 *
 * @param {string} segment
 */
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
