import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'

const { makeHostFlash } = await import(pathToFileURL('deploy/image/image.mjs').href)

t.test('the flash of a host is made empty once, and stays as the host left it', async (t) => {
  const flash = { size: 0x100000, layout: '4M' }
  const file = join(t.testdir(), 'host.img')
  makeHostFlash(flash, file)
  const made = readFileSync(file)
  t.equal(made.length, flash.size)
  made.write('used', 0x80000)
  writeFileSync(file, made)
  makeHostFlash(flash, file)
  t.ok(readFileSync(file).equals(made))
  t.throws(() => makeHostFlash({ ...flash, size: 0x200000 }, file), /1048576 bytes, not 2097152: remove it/)
  t.ok(readFileSync(file).equals(made))
})
