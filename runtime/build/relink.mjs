/**
 * The files that the owner of a static binary needs to link it again with a C library of their own (LGPL-2.1, section
 * 6).
 */
/** @import { Command } from './command.mjs' */
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

/**
 * The parts of a binary as the linker takes them.
 *
 * @typedef {object} Parts
 * @property {Command} command the compiler that links, with flags
 * @property {readonly string[]} flags of this binary
 * @property {readonly string[]} objects files, in their order
 * @property {readonly string[]} archives static libraries but for those that the compiler brings
 */

/**
 * Fills a folder with the objects and libraries of a binary, and `link.sh`, which makes a binary of them.
 *
 * @param {string} folder
 * @param {Parts} parts
 */
export function keepObjects(folder, { command, flags, objects, archives }) {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const kept = (/** @type {readonly string[]} */ files) =>
    files.map((file, index) => {
      const name = `${String(index).padStart(3, '0')}-${basename(file)}`
      copyFileSync(file, join(folder, name))
      return name
    })
  const [compiler, ...own] = command
  // The path of this machine's sysroot is meaningless elsewhere.
  const compilers = [compiler, ...own.filter((flag) => !/^(--sysroot=|-B|-L)/.test(flag))].join(' ')
  const script = `#!/bin/sh
# sh link.sh OUT [COMPILER [FLAG ...]] links the program anew, with the C library that the compiler brings. The libraries
# here are those of Debian 13: they need its glibc, or a newer one.
set -eu
case $1 in /*) out=$1 ;; *) out=$PWD/$1 ;; esac
shift
cd "$(dirname "$0")"
[ $# -gt 0 ] || set -- ${compilers}
exec "$@" ${flags.join(' ')} \\
${kept(objects)
  .map((name) => `  ${name} \\\n`)
  .join('')}  -Wl,--start-group \\
${kept(archives)
  .map((name) => `  ${name} \\\n`)
  .join('')}  -Wl,--end-group -lm -lpthread -o "$out"
`
  writeFileSync(join(folder, 'link.sh'), script)
}
