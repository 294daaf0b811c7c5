import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { emptyStore, flashStore, simStore, storeInFile } from '#hal/edk2/devices.ts'
import { edk2Layouts, layoutEnd } from '#hal/edk2/layout.ts'
import { HalError } from '#hal/errors.ts'
import { simFlash } from '#hal/sim/flash.ts'
import { variable } from '#test/hal/contracts/nvram.ts'

/** A flash with what a file has, as it is now. */
const flashOf = (file: string) => {
  const content = readFileSync(file)
  const flash = simFlash({ size: content.length }).open()
  flash.program(0, content)
  return flash
}

t.test('a missing file is created with an empty store of the layout that is named', async (t) => {
  const directory = t.testdir()
  for (const create of ['4M', '2M'] as const) {
    const store = flashStore(flashOf, { path: `${create}.fd`, directory, create })
    t.match(store.health, { state: 'ok', faults: [] })
    t.same(store.list(), [])
    t.same(readFileSync(`${directory}/${create}.fd`), Buffer.from(emptyStore(create)))
    t.equal(emptyStore(create).length, layoutEnd(edk2Layouts[create]))
    await store.close()
  }
  writeFileSync(`${directory}/there.fd`, 'other')
  t.match(flashStore(flashOf, { path: 'there.fd', directory, create: '4M' }).health, { state: /absent|damaged/ })
  t.equal(readFileSync(`${directory}/there.fd`, 'utf8'), 'other', 'a file that is there is not made anew')
})

t.test('without a layout to create, no file is created, and the store names the missing one', async (t) => {
  const directory = t.testdir()
  const gone = (code: 'ENODEV' | 'EIO') => () => {
    throw new HalError(code, 'the flash is gone')
  }
  for (const [code, state] of [
    ['ENODEV', 'absent'],
    ['EIO', 'damaged']
  ] as const) {
    const store = flashStore(gone(code), { path: 'nvram.fd', directory })
    t.same(store.health, { state, faults: ['the flash is gone'] })
    t.same([store.list(), store.space], [[], { total: 0, free: 0, largest: 0 }])
    await t.rejects(store.acquire(), { code: 'EROFS', message: `variable store: ${state}: the flash is gone` })
  }
  t.notOk(existsSync(`${directory}/nvram.fd`))
  const bug = () => {
    throw new TypeError('a bug')
  }
  t.throws(() => flashStore(bug, { path: 'nvram.fd', directory }), TypeError)
  const { health } = flashStore(flashOf, { path: 'no/nvram.fd', directory, create: '4M' })
  t.match(health, { state: 'damaged', faults: [/no\/nvram\.fd cannot be created: ENOENT/] })
})

t.test('options that are wrong are one sentence', async (t) => {
  const directory = t.testdir()
  for (const [options, message] of [
    [{}, 'nvram: the back end edk2 needs the path of a flash'],
    [{ path: 7 }, 'nvram: the back end edk2 needs the path of a flash'],
    [{ path: 'x', create: '8M' }, 'nvram: there is no layout 8M'],
    [{ path: 'x', create: 7 }, 'nvram: there is no layout 7'],
    [{ path: 'x', create: 'toString' }, 'nvram: there is no layout toString']
  ] as const)
    t.throws(() => flashStore(flashOf, { ...options, directory }), { code: 'EINVAL', message })
})

t.test('a store in a file is read, also while another process has it', async (t) => {
  const directory = t.testdir()
  const store = simStore({ directory, name: 'nvram' })
  await store.acquire()
  await store.set([variable('Lang', 'eng')])
  const read = storeInFile(`${directory}/nvram.fd`)
  t.same(
    read.list().map(({ name }) => name),
    ['Lang']
  )
  await read.close()
  await store.close()
  t.throws(() => storeInFile(`${directory}/none.fd`), { code: 'ENOENT' })
})
