// own process: it reads what is built beside the binary
import { existsSync } from 'node:fs'
import t from 'tap'
import { licensesOf } from './licenses.ts'

const bill = 'dist/minnow-x86_64.cdx.json'
const skip = !existsSync(bill) && process.env.CI !== 'true' && 'it needs npm run binary'

t.test('each part of the binary and of its page has a license of SPDX', { skip }, async (t) => {
  const { names, unlicensed } = licensesOf(bill)
  t.strictSame(unlicensed, [])
  for (const name of ['libc6-dev', 'quickjs', 'find-my-way', 'preact']) t.ok(names.includes(name), name)
})
