// own process: it starts itself once more under sanitizers
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, chmodSync, readFileSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import t, { type Test } from 'tap'
import { openFlash } from '#hal/native'
import { passesUnderSanitizers, sanitized } from '#test/embedded/dropIn.ts'
import { flashContract } from '#test/hal/contracts/flash.ts'

const { buildNative } = await import(pathToFileURL('runtime/build/addon.mjs').href)

const folder = resolve(sanitized ? 'dist/native-sanitized' : 'dist/native')
const { missing } = buildNative({ out: folder, sanitize: sanitized })
process.env.MINNOW_NATIVE = folder
const addon = `${folder}/flash.node`

/** Under CI nothing is left out: without a compiler these tests fail. */
const skip = missing.length > 0 && process.env.CI !== 'true' && `it needs ${missing.join(', ')}`
const test = (title: string, body: (t: Test) => void | Promise<void>) => t.test(title, { skip }, async (t) => body(t))

/** An erased flash in a file of its own. */
function image(t: Test, size = 16 * 4096): string {
  const path = `${t.testdir()}/flash.bin`
  writeFileSync(path, new Uint8Array(size).fill(0xff))
  return path
}

const enodev = { name: 'HalError', code: 'ENODEV' }
const einval = { name: 'HalError', code: 'EINVAL' }

test('contract', (t) => {
  flashContract(t, 'file', (t) => {
    const path = image(t)
    return () => openFlash(path)
  })
  flashContract(t, 'file with large blocks', (t) => {
    const path = image(t, 4 * 65536)
    return () => openFlash(path, { eraseSize: 65536 })
  })
})

test('the file has the content of the flash, byte for byte', (t) => {
  const path = image(t)
  const flash = openFlash(path)
  t.equal(flash.kind, 'file')
  flash.program(5000, Uint8Array.of(0xaa, 0x55))
  flash.sync()
  const file = readFileSync(path)
  t.strictSame([file.length, file[4999], file[5000], file[5001], file[5002]], [flash.size, 0xff, 0xaa, 0x55, 0xff])
  flash.close()
})

test('a path that cannot be a flash is ENODEV or EINVAL, with the path and the reason', (t) => {
  const directory = t.testdir({ empty: '', ragged: 'x'.repeat(5000) })
  spawnSync('mkfifo', [`${directory}/fifo`])
  symlinkSync('/dev/null', `${directory}/null`)
  t.throws(() => openFlash(`${directory}/none`), { ...enodev, message: /none: open: No such file/ })
  t.throws(() => openFlash(directory), enodev)
  t.throws(() => openFlash(`${directory}/fifo`), enodev)
  t.throws(() => openFlash(`${directory}/fifo`, { readOnly: true }), enodev, 'without waiting for a writer')
  t.throws(() => openFlash(`${directory}/null`), enodev, 'a character device, but not an MTD')
  t.throws(() => openFlash(`${directory}/empty/below`), enodev)
  t.throws(() => openFlash(`${directory}/empty`), einval)
  t.throws(() => openFlash(`${directory}/ragged`), einval)
  t.throws(() => openFlash(`${directory}/ragged`, { eraseSize: 3000 }), einval)
  t.throws(() => openFlash(`${directory}/ragged`, { eraseSize: -1 }), einval)
  t.throws(() => openFlash(`${directory}/ragged`, { eraseSize: 1.5 }), einval)
  t.throws(() => openFlash(`${directory}/ragged\0`, { eraseSize: 1000 }), einval, 'a path is not cut off at a NUL')
  t.throws(() => openFlash('x'.repeat(5000)), einval)
  openFlash(`${directory}/ragged`, { eraseSize: 1000 }).close()
  t.pass('and what was refused is not left locked')
})

test('read-only, changes are EROFS and the file needs no write permission', (t) => {
  const path = image(t)
  chmodSync(path, 0o444)
  const flash = openFlash(path, { readOnly: true })
  const erofs = { name: 'HalError', code: 'EROFS' }
  t.throws(() => flash.program(0, Uint8Array.of(0)), erofs)
  t.throws(() => flash.erase(0, 4096), erofs)
  t.equal(flash.read(0, 1)[0], 0xff)
  t.throws(() => openFlash(path, { readOnly: true }), { code: 'EBUSY' }, 'readers lock each other out as well')
  flash.close()
})

test('a file that gets shorter under it is EIO', (t) => {
  const path = image(t)
  const flash = openFlash(path)
  truncateSync(path, 4096)
  t.throws(() => flash.read(0, flash.size), { name: 'HalError', code: 'EIO' })
  t.throws(() => flash.program(8192, Uint8Array.of(0)), { name: 'HalError', code: 'EIO' })
  t.equal(flash.read(0, 4096).length, 4096)
  flash.close()
})

/** Whether the lock goes within a minute: who looks at the descriptors of a process in /proc holds its files a bit longer. */
async function freed(path: string): Promise<boolean> {
  for (let tries = 0; tries < 3000; tries++) {
    try {
      openFlash(path).close()
      return true
    } catch (error) {
      if ((error as { code?: string }).code !== 'EBUSY') throw error
      await pause(20)
    }
  }
  return false
}

test('the lock holds against another process, and ends with the process that has it', async (t) => {
  const path = image(t)
  const flash = openFlash(path)
  const attempt = `try { require(${JSON.stringify(addon)}).open(${JSON.stringify(path)}, 0, false); console.log('open') }
    catch (error) { console.log(error.code) }`
  const first = spawnSync(process.execPath, ['-e', attempt], { encoding: 'utf8' })
  t.equal(first.stdout, 'EBUSY\n', first.stderr)
  flash.close()

  const child = spawn(process.execPath, ['-e', `${attempt}; setInterval(() => {}, 1e6)`])
  const [line] = await once(child.stdout, 'data')
  t.equal(String(line), 'open\n')
  t.throws(() => openFlash(path), { name: 'HalError', code: 'EBUSY' })
  child.kill('SIGKILL')
  await once(child, 'exit')
  const free = await freed(path)
  t.ok(free, 'free after SIGKILL')
})

test('a flash that was not closed is released by the garbage collector', (t) => {
  const path = image(t)
  const script = `const { open } = require(${JSON.stringify(addon)})
    open(${JSON.stringify(path)}, 0, false)
    setImmediate(() => { gc(); setImmediate(() => open(${JSON.stringify(path)}, 0, false)) })`
  const { status, stderr } = spawnSync(process.execPath, ['--expose-gc', '-e', script], { encoding: 'utf8' })
  t.equal(status, 0, stderr)
})

test('a process that ends while an erase is at work ends cleanly', (t) => {
  const path = image(t, 4096 * 4096)
  const script = `const { open, eraseAsync } = require(${JSON.stringify(addon)})
    const { handle, size } = open(${JSON.stringify(path)}, 0, false)
    eraseAsync(handle, 0, size)
    process.exit(0)`
  const { status, signal, stderr } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' })
  t.strictSame([status, signal], [0, null], stderr)
})

test('the binding refuses arguments of other types', (t) => {
  const binding = createRequire(import.meta.url)(addon)
  const { handle } = binding.open(image(t), 0, false)
  const wrong: [name: string, ...values: unknown[]][] = [
    ['open'],
    ['open', 1, 0, false],
    ['open', 'x', '0', false],
    ['open', 'x', 0, 0],
    ['read'],
    ['read', {}, 0, new Uint8Array(1)],
    ['read', null, 0, new Uint8Array(1)],
    ['read', handle, 0],
    ['read', handle, '0', new Uint8Array(1)],
    ['read', handle, 0, new Uint16Array(1)],
    ['read', handle, 0, [0]],
    ['read', handle, 2 ** 32, new Uint8Array(0)],
    ['program', handle, -1, new Uint8Array(0)],
    ['program', handle, 0, 'text'],
    ['erase', handle, 0, 0.5],
    ['eraseAsync', handle, 0, undefined],
    ['sync', undefined],
    ['close', 'handle']
  ]
  for (const [name, ...values] of wrong) {
    t.throws(() => binding[name](...values), { code: 'EINVAL' }, `${name} of ${values.length} arguments`)
  }
  binding.close(handle)
})

test('a build without changes does nothing, one after a change compiles', (t) => {
  const out = t.testdir()
  const built = ['channel', 'flash', 'gpio', 'lldp', 'tty'].map((name) => `${out}/${name}.node`)
  t.strictSame(buildNative({ out, sanitize: sanitized }), { built, missing: [] })
  const { ino } = statSync(`${out}/flash.node`)
  buildNative({ out, sanitize: sanitized })
  t.equal(statSync(`${out}/flash.node`).ino, ino)
  appendFileSync(`${out}/flash.node.key`, 'of other sources')
  buildNative({ out, sanitize: sanitized })
  t.not(statSync(`${out}/flash.node`).ino, ino)
})

t.test('without a compiler the build names the missing part, and using a flash is ENODEV', async (t) => {
  const out = t.testdir()
  const { CC, MINNOW_NATIVE } = process.env
  process.env.CC = `${out}/no-such-compiler`
  process.env.MINNOW_NATIVE = out
  t.teardown(() => {
    process.env.MINNOW_NATIVE = MINNOW_NATIVE
    if (CC === undefined) delete process.env.CC
    else process.env.CC = CC
  })
  t.match(buildNative({ out }), { built: [], missing: [/C compiler/] })
  t.throws(() => openFlash('/dev/mtd0'), { ...enodev, message: /native parts are not built: npm run build says/ })
})

if (!sanitized) {
  test('all of this holds under AddressSanitizer and UBSan', (t) =>
    passesUnderSanitizers(t, fileURLToPath(import.meta.url), /ok \d+ - the lock holds/))
}
