// own process: it starts what was built
/** Presses end in time whatever becomes of the process: of Node.js, and of the binary, whose kernel is linked in. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { command, missing as missingFor, program, script } from '#test/embedded/programs.ts'
import { Board } from './board.ts'
import { missing, nodeOn } from './gpio-kernel.ts'

interface Host {
  readonly name: string
  readonly skip: string | false
  /** How to start the fixture on a board. */
  prepare(): Promise<(board: Board, operation: string) => ChildProcess>
}

const sources = ['hal/native/gpio.c', 'hal/native/gpio_binding.c', 'test/hal/fixtures/gpio_kernel.c']
const wraps = { x86_64: ['open64', 'ioctl'], armv7: ['open64', '__ioctl_time64'] }

const hosts: Host[] = [
  {
    name: 'Node.js',
    skip: missing(),
    async prepare() {
      const file = await script('gpio')
      return (board, operation) => nodeOn(board, [file, board.folder, operation])
    }
  },
  ...(['x86_64', 'armv7'] as const).map((arch) => ({
    name: `the binary for ${arch}`,
    skip: missingFor(arch),
    async prepare() {
      const built = await program('gpio', { arch, modules: { gpio: { sources, libraries: [], wraps: wraps[arch] } } })
      const [executable, ...words] = command(arch, built)
      return (board: Board, operation: string) =>
        spawn(executable, [...words, board.folder, operation], {
          env: { ...process.env, MINNOW_GPIO_BOARD: board.folder }
        })
    }
  }))
]

for (const { name, skip, prepare } of hosts) {
  t.test(name, { skip }, async (t) => {
    const run = await prepare()
    const board = new Board(mkdtempSync(join(tmpdir(), 'minnow-gpio-')), { override: 2000 })
    await board.start()
    t.teardown(async () => {
      await board.stop()
      rmSync(board.folder, { recursive: true })
    })
    /** Starts an operation in a process that is there when `what` happens at the board. */
    const until = async (t: Test, operation: string, what: string, power: boolean) => {
      await board.free()
      board.reset(power)
      const seen = board.next(what)
      const child = run(board, operation)
      t.teardown(async () => {
        if (child.kill('SIGKILL')) await once(child, 'exit')
      })
      await seen
      return child
    }

    for (const signal of ['SIGKILL', 'SIGTERM', 'SIGSEGV'] as const) {
      t.test(`a press ends with a process that ends by ${signal}`, async (t) => {
        const child = await until(t, 'forceOff', 'POWER_OUT pressed', true)
        const released = board.next('POWER_OUT released')
        child.kill(signal)
        await released
        t.ok((board.pressed.get('POWER_OUT') ?? Infinity) < board.times.override, 'before it has become a long one')
      })
    }

    t.test('a host is let out of reset by the end of the process that held it', async (t) => {
      const child = await until(t, 'forceRestart', 'RESET_OUT pressed', true)
      const released = board.next('RESET_OUT released')
      child.kill('SIGKILL')
      await released
      t.equal(board.isHeld('RESET_OUT'), false)
    })

    t.test('a short press stays a short one when the process hangs', async (t) => {
      board.ignoresButton = true
      const child = await until(t, 'gracefulShutdown', 'POWER_OUT pressed', true)
      const released = board.next('POWER_OUT released')
      child.kill('SIGSTOP')
      await released
      const time = board.pressed.get('POWER_OUT') ?? 0
      t.ok(time >= 299 && time < board.times.override, `${time} ms`)
    })

    t.test('the lines are free for the next process at once, which continues with the state of the host', async (t) => {
      const child = await until(t, 'forceOff', 'POWER_OUT pressed', true)
      const released = board.next('POWER_OUT released')
      child.kill('SIGKILL')
      await Promise.all([released, board.free()])
      board.reset(false)
      const next = run(board, 'on')
      let output = ''
      next.stdout!.on('data', (data) => {
        output += data
      })
      const [status] = await once(next, 'close')
      t.equal(output, 'Off\nPoweringOn\naccepted\nboot\nOn\n')
      t.equal(status, 0)
    })
  })
}
