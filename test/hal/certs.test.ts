import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import t from 'tap'
import { fileCerts } from '#hal/file/certs.ts'
import { type FileCalls, fileCalls } from '#runtime/base/files.ts'
import { certsContract } from '#test/hal/contracts/certs.ts'

certsContract(t, 'files', (place) => fileCerts(place))

const mode = (path: string) => statSync(path).mode & 0o777

/** The system calls, of which the nth does not happen: the process ends there, or the system refuses. */
function failing(at: number, code: string, half = false): { calls: FileCalls; made: () => number } {
  let made = 0
  const next = <A extends unknown[]>(call: (...args: A) => void, before?: (...args: A) => void) => {
    return (...args: A) => {
      made += 1
      if (made < at || (code !== 'crash' && made > at)) {
        call(...args)
        return
      }
      if (made === at) before?.(...args)
      throw Object.assign(new Error(code), { code })
    }
  }
  const torn = half ? (file: string, content: string) => fileCalls.create(file, content.slice(0, 3)) : undefined
  const calls = {
    create: next(fileCalls.create, torn),
    rename: next(fileCalls.rename),
    remove: next(fileCalls.remove),
    sync: next(fileCalls.sync)
  }
  return { calls, made: () => made }
}

t.test('files and directory are made private to their owner, whatever their mode was', async (t) => {
  const place = `${t.testdir()}/certs`
  mkdirSync(place, { mode: 0o755 })
  chmodSync(place, 0o755)
  writeFileSync(`${place}/server.pem.tmp`, 'left over', { mode: 0o644 })
  writeFileSync(`${place}/server.pem`, 'old', { mode: 0o644 })
  const certs = fileCerts(place)
  await certs.set('server', 'new')
  t.same([mode(place), mode(`${place}/server.pem`)], [0o700, 0o600])
  t.same(readdirSync(place), ['server.pem'])
})

t.test('a process that ends at any point of a replacement leaves the old text or the new one', async (t) => {
  const seen = new Set<string>()
  let ended = false
  for (let at = 1; !ended; at += 1) {
    for (const half of [false, true]) {
      const place = t.testdir()
      await fileCerts(place).set('server', 'old key, old certificate')
      const { calls, made } = failing(at, 'crash', half)
      const result = await fileCerts(place, calls)
        .set('server', 'new key, new certificate')
        .then(
          () => 'done',
          () => 'ended'
        )
      const left = fileCerts(place).get('server') ?? ''
      t.match(left, /^(old key, old|new key, new) certificate$/, `call ${at}`)
      if (result === 'done') t.equal(left, 'new key, new certificate', `${made()} calls`)
      ended = result === 'done'
      seen.add(left)
      await fileCerts(place).set('server', 'the next one')
      t.equal(fileCerts(place).get('server'), 'the next one', 'what was left does not stand in its way')
    }
  }
  t.equal(seen.size, 2)
})

t.test('the new text is synced before it takes the place of the old one, and the directory after', async (t) => {
  const place = t.testdir()
  const done: string[] = []
  const told = (name: string, path: string) => done.push(`${name} ${path.slice(place.length + 1)}`)
  const calls: FileCalls = {
    create(file, content) {
      told('create', file)
      fileCalls.create(file, content)
    },
    rename(from, to) {
      told('rename to', to)
      fileCalls.rename(from, to)
    },
    remove: fileCalls.remove,
    sync(path) {
      told('sync', path)
      fileCalls.sync(path)
    }
  }
  await fileCerts(place, calls).set('server', 'text')
  t.same(done, ['create server.pem.tmp', 'sync server.pem.tmp', 'rename to server.pem', 'sync '])
})

t.test('a failed system call is a HalError, and the state in memory stays that of the disk', async (t) => {
  for (const [code, expected] of [
    ['EACCES', 'EACCES'],
    ['EPERM', 'EACCES'],
    ['EROFS', 'EROFS'],
    ['ENOSPC', 'ENOSPC'],
    ['EIO', 'EIO'],
    ['ENOENT', 'ENODEV']
  ]) {
    for (let at = 1; at <= 5; at += 1) {
      const place = t.testdir()
      await fileCerts(place).set('server', 'old')
      const certs = fileCerts(place, failing(at, code ?? '').calls)
      await t.rejects(certs.set('server', 'new'), { name: 'HalError', code: expected ?? '' }, `${code} at ${at}`)
      t.equal(certs.get('server'), fileCerts(place).get('server'))
      t.equal(certs.get('server'), at === 5 ? 'new' : 'old')
    }
  }
})

t.test('a place that cannot be is a failure of the device', async (t) => {
  const directory = t.testdir({ file: 'no directory' })
  t.throws(() => fileCerts(`${directory}/file`), { name: 'HalError', code: 'EIO' })
  t.throws(() => fileCerts(`${directory}/file/below`), { name: 'HalError', code: 'ENODEV' })
  mkdirSync(`${directory}/certs/server.pem`, { recursive: true })
  t.throws(() => fileCerts(`${directory}/certs`), { name: 'HalError', code: 'EIO' })
})
