// own process: it loads an addon
import { openSync, readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import t from 'tap'
import { adoptTty, openTty } from '#hal/native'
import { ttyConsole } from '#hal/tty/console.ts'
import { consoleContract, Screen } from '#test/hal/contracts/console.ts'
import { missing, openPty } from '#test/hal/pty.ts'

process.env.MINNOW_NATIVE = resolve('dist/native')

const name = 'console-1'
const skip = missing !== undefined && process.env.CI !== 'true' && `it needs ${missing}`
const warn = (text: string) => t.fail(text)

t.test('serial line', { skip }, async (t) => {
  consoleContract(t, 'tty', async (t) => ttyConsole(openTty, { name, path: (await openPty(t)).path, warn }))

  t.test('input that the line does not accept at once is queued up to a limit', async (t) => {
    const { path } = await openPty(t)
    const console = ttyConsole(openTty, { name, path, warn })
    t.teardown(() => console.close())
    const screen = new Screen(console)
    const much = Buffer.alloc(65_000, 'x')
    much.write('end', much.length - 3)
    console.write(much)
    t.throws(() => console.write(much), { code: 'EBUSY' })
    t.equal((await screen.until('end')).length, much.length)
  })

  t.test('a break is begun, and ended', async (t) => {
    const { path } = await openPty(t)
    const breaks: boolean[] = []
    const console = ttyConsole(
      (...given) => {
        const line = openTty(...given)
        const setBreak = (on: boolean) => {
          line.setBreak(on)
          breaks.push(on)
        }
        return { ...line, setBreak }
      },
      { name, path, warn }
    )
    await console.sendBreak?.()
    t.same(breaks, [true, false])
    const interrupted = console.sendBreak!()
    await console.close()
    await interrupted
    t.same(breaks, [true, false, true], 'a line that is closed has none')
    await t.rejects(console.sendBreak!(), { code: 'ENODEV' })
  })

  t.test('a lost line is a warning, and then writing fails', async (t) => {
    const { path, hangUp } = await openPty(t)
    const warned = new Promise<string>((resolve) => {
      const console = ttyConsole(openTty, {
        name,
        path,
        warn: (text) => {
          t.throws(() => console.write(Buffer.from('x')), { code: 'ENODEV' })
          resolve(text)
        }
      })
    })
    await hangUp()
    t.match(await warned, /^console-1: \/dev\/pts\/\d+: read: /)
  })
})

t.test('a path that is not a serial line, or an unknown speed, is a warning', { skip }, async (t) => {
  for (const [path, speed, expected] of [
    ['/dev/no-such-line', 115_200, /^console-1: \/dev\/no-such-line: open: No such file/],
    ['/dev/null', 115_200, /^console-1: \/dev\/null: open: No such device/],
    ['/dev/null', 12, /^console-1: \/dev\/null: open: Invalid argument/]
  ] as const) {
    const warnings: string[] = []
    const console = ttyConsole(openTty, { name, path, speed, warn: (text) => warnings.push(text) })
    t.match(warnings, [expected])
    t.throws(() => console.write(Buffer.from('x')), { code: 'ENODEV' })
    await console.close()
  }
})

t.test('a descriptor that cannot be watched is refused, and closed', { skip }, async (t) => {
  const events = { data: () => t.fail(), failed: () => t.fail() }
  const open = () => readdirSync('/proc/self/fd').length
  // Opens the descriptors that the event loop itself needs, before they are counted.
  const { path } = await openPty(t)
  await ttyConsole(openTty, { name, path, warn }).close()
  const before = open()
  const descriptor = openSync('package.json', 'r')
  const refusal = { name: 'HalError', code: 'EACCES', message: /^a file: open: / }
  t.throws(() => adoptTty(descriptor, 'a file', events), refusal)
  t.throws(() => readFileSync(descriptor), { code: 'EBADF' })
  const noLine = openTty('/dev/ptmx', 9600, events)
  t.doesNotThrow(() => noLine.setBreak(true))
  noLine.close()
  t.throws(() => noLine.setBreak(false), { code: 'ENODEV' })
  t.throws(() => adoptTty(-1, 'none', events), { code: 'EINVAL' })
  t.equal(open(), before)
})
