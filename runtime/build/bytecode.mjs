/**
 * Where a line or column of a module begins in its bytecode; all count from 1.
 *
 * @typedef {{ number: number, place: number, line: number, column: number }} Position `number` of the function
 */
import { existsSync, readFileSync, renameSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { join } from 'node:path'
import { encode } from '@jridgewell/sourcemap-codec'
import { run } from './command.mjs'
import { compile, language } from './objects.mjs'
import { quickjs } from './quickjs.mjs'
import { hostArch, sysroot } from './sysroot.mjs'

/**
 * Turns an ES module into QuickJS bytecode, compressed as `runtime/embedded/bytecode.h` has it.
 *
 * @param {string} name by which other modules import it
 * @param {string} module file
 * @param {string} out file
 * @param {number} before how many functions the modules before it have
 * @returns {{ positions: Position[], count: number }} what the places in stack traces are in the module; how many
 *   functions there are with it
 * @throws {Error} with the engine's words and the place
 */
export function writeBytecode(name, module, out, before) {
  const count = Number(run([compiler(), name, module, out, `${out}.positions`, String(before)]))
  const positions = readFileSync(`${out}.positions`, 'utf8')
    .trimEnd()
    .split('\n')
    .map((row) => {
      const [number = 0, place = 0, line = 0, column = 0] = row.split(' ').map(Number)
      return { number, place, line, column }
    })
  return { positions, count }
}

/**
 * The source map of the bytecode: its lines are the numbers of functions, its columns places in their bytecode.
 *
 * @param {readonly { readonly positions: readonly Position[], readonly map: string }[]} modules in the order of their
 *   functions; positions are ascending, the map is the source map of the module, JSON
 * @returns {string} JSON
 */
export function sourceMapOf(modules) {
  /** @type {Map<string, number>} */
  const sources = new Map()
  /** @type {import('@jridgewell/sourcemap-codec').SourceMapMappings} */
  const mappings = []
  for (const { positions, map: text } of modules) {
    const map = new SourceMap(JSON.parse(text))
    for (const { number, place, line, column } of positions) {
      while (mappings.length < number) mappings.push([])
      const origin = map.findEntry(line - 1, column - 1)
      if (!('originalSource' in origin)) continue
      const { originalSource, originalLine, originalColumn } = origin
      const source = sources.get(originalSource) ?? sources.size
      sources.set(originalSource, source)
      mappings[number - 1]?.push([place - 1, source, originalLine, originalColumn])
    }
  }
  return JSON.stringify({ version: 3, sources: [...sources.keys()], names: [], mappings: encode(mappings) })
}

/** The program that does it, built for this machine and kept in the cache. */
function compiler() {
  const { cc, lib } = sysroot(hostArch)
  const { include, archive } = quickjs(hostArch)
  const object = compile([...cc, '-O1', ...language, '-isystem', include], 'runtime/embedded/compile.c')
  const program = object.replace(/\.o$/, '.compile')
  if (!existsSync(program)) {
    const libraries = [archive, join(lib, 'liblzma.a'), '-lm', '-lpthread']
    run([...cc, '-static', object, ...libraries, '-o', `${program}.${process.pid}`])
    renameSync(`${program}.${process.pid}`, program)
  }
  return program
}
