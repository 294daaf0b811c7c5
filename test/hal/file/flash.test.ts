import { truncateSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { fileFlash } from '#hal/file/flash.ts'

t.test('a file is a flash of its size, and is only read', async (t) => {
  const path = `${t.testdir()}/flash`
  for (const size of [0, 1, 2, 3, 4, 5, 7, 8, 9, 1000, 4096]) {
    const content = Buffer.alloc(size, 'minnow')
    writeFileSync(path, content)
    const flash = fileFlash(path)
    t.equal(flash.size, size)
    t.same(Buffer.from(flash.read(0, size)), content)
    t.throws(() => flash.read(1, size), { code: 'EINVAL' })
    for (const write of [() => flash.program(0, content), () => flash.erase(0, size)])
      t.throws(write, { name: 'HalError', code: 'EROFS' })
    await t.rejects(async () => flash.eraseAsync(0, size), { name: 'HalError', code: 'EROFS' })
    if (size > 0) {
      truncateSync(path, size - 1)
      t.throws(() => flash.read(0, size), { name: 'HalError', code: 'EIO' })
    }
    flash.close()
  }
})
