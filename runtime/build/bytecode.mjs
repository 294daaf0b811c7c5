import { existsSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { run } from './command.mjs'
import { compile, language } from './objects.mjs'
import { quickjs } from './quickjs.mjs'
import { hostArch, sysroot } from './sysroot.mjs'

/**
 * Turns an ES module into QuickJS bytecode, compressed as `runtime/embedded/bytecode.h` has it.
 *
 * @param {string} bundle file
 * @param {string} out file
 * @throws {Error} with the engine's words and the place
 */
export function writeBytecode(bundle, out) {
  run([compiler(), 'minnow', bundle, out])
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
