/**
 * Writes an update file: `npm run update -- --version 1.63 [--component controller|bios] [--minimum 1.60] [--board
 * FILE] [--key FILE] [--lms-key FILE] [--out FOLDER] NAME=FILE …`, a part for each `NAME=FILE`. Without parts there is
 * one of a few random bytes, which the simulated machine takes.
 *
 * It is signed with `--key`, a JSON Web Key, or else with the private key in the board's file, which the simulated and
 * the virtual machine have: development keys, which no other board accepts. Botan 3 signs it with `--lms-key` as well.
 * `docs/updates.md` describes the file.
 */
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { lmsSigner } from './lms.mjs'
import { updateFile } from './update-file.mjs'

const sim = fileURLToPath(new URL('../../data/boards/sim.json', import.meta.url))

function readOptions() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      version: { type: 'string' },
      component: { type: 'string', default: 'controller' },
      minimum: { type: 'string' },
      board: { type: 'string', default: sim },
      key: { type: 'string' },
      'lms-key': { type: 'string' },
      out: { type: 'string', default: '.' }
    }
  })
  const { version, minimum, component } = values
  for (const each of [version ?? '', minimum ?? '0']) {
    if (!/^\d{1,9}(\.\d{1,9}){0,3}$/.test(each)) throw new Error('--version and --minimum are numbers with dots, 1.63')
  }
  if (!['controller', 'bios'].includes(component)) throw new Error('--component is controller or bios')
  const parts = positionals.map((each) => {
    const [, name, file] = /^([a-z][a-z0-9-]{0,31})=(.+)$/s.exec(each) ?? []
    if (name === undefined || file === undefined) throw new Error(`${each} is not NAME=FILE`)
    return /** @type {[string, Uint8Array]} */ ([name, readFileSync(file)])
  })
  return { ...values, version: version ?? '', parts: Object.fromEntries(parts) }
}

try {
  const { board: file, key: keyFile, 'lms-key': lmsKey, component, version, minimum, out, parts } = readOptions()
  const read = (/** @type {string} */ file) => JSON.parse(readFileSync(file, 'utf8'))
  const { name: board, updateKey } = read(file)
  const key = keyFile === undefined ? updateKey : read(keyFile)
  if (key?.d === undefined) throw new Error(`${keyFile ?? file} has no private key for updates`)
  const image = { board, component, version, ...(minimum !== undefined && { minimum }) }
  const path = join(out, `minnow-${board}-${component === 'bios' ? 'bios-' : ''}${version}.update`)
  const content = Object.keys(parts).length > 0 ? parts : { image: randomBytes(65_536) }
  writeFileSync(path, updateFile(key, image, content, lmsKey === undefined ? undefined : lmsSigner(lmsKey)))
  process.stdout.write(`${path}\n`)
} catch (error) {
  process.stderr.write(`update: ${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 2
}
