/**
 * Prints a license key: `npm run license -- --class Advanced [--days N] [--serial NUMBER] [--board FILE]`.
 *
 * It is signed with the private key in the board's file, which only the simulated machine's has: a development key,
 * that no other board accepts. `runtime/service/license/key.ts` has the format of a key.
 */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { licenseKey } from './license-key.mjs'

const sim = fileURLToPath(new URL('../../data/boards/sim.json', import.meta.url))

function readOptions() {
  const { values } = parseArgs({
    options: {
      class: { type: 'string', default: 'Advanced' },
      days: { type: 'string' },
      serial: { type: 'string' },
      board: { type: 'string', default: sim }
    }
  })
  if (!['Essentials', 'Advanced'].includes(values.class)) throw new Error('--class is Essentials or Advanced')
  if (values.days !== undefined && !/^-?\d+(\.\d+)?$/.test(values.days)) throw new Error('--days is a number')
  return values
}

try {
  const { class: name, days, serial, board } = readOptions()
  const { licenseKey: pair } = JSON.parse(readFileSync(board, 'utf8'))
  if (pair?.d === undefined) throw new Error(`${board} has no private key for licenses`)
  const iat = Math.floor(Date.now() / 1000)
  const ends = days === undefined ? {} : { exp: iat + Math.round(Number(days) * 86_400) }
  const owner = serial === undefined ? {} : { sub: serial }
  process.stdout.write(`${licenseKey(pair, { jti: randomUUID(), class: name, iat, ...owner, ...ends })}\n`)
} catch (error) {
  process.stderr.write(`license: ${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 2
}
