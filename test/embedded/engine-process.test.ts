import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { workFolder } from './dropIn.ts'
import { missing, native, program, script } from './programs.ts'

t.setTimeout(900_000)

if (missing(native)) {
  t.test('how a program ends', { skip: missing(native) }, async () => {})
} else {
  const endings = await program('endings')
  const onNode = await script('endings')

  const run = (way: string, env = {}) => {
    const { stdout, stderr, status, signal } = spawnSync(endings, [way], {
      encoding: 'utf8',
      env: { ...process.env, ...env }
    })
    return { stdout, stderr, status, signal }
  }

  t.test('a program ends as it does on Node.js, with the same output and status', async (t) => {
    const ways = ['end', 'status', 'exit', 'throw', 'throw later', 'throw no error', 'reject', 'kill']
    for (const way of ways) {
      const expected = spawnSync(process.execPath, [onNode, way], { encoding: 'utf8' })
      const { stdout, status, signal } = run(way)
      t.same(
        { stdout, status, signal },
        { stdout: expected.stdout, status: expected.status, signal: expected.signal },
        way
      )
    }
  })

  t.test('a program whose promise never settles exits with 13 and a reason, as in Node.js', async (t) => {
    const { stderr, status } = run('await for ever')
    t.equal(status, 13)
    t.match(JSON.parse(stderr), { level: 'error', message: /awaits/ })
  })

  t.test('an uncaught error is one JSON line on standard error', async (t) => {
    const cases = {
      throw: { level: 'error', message: 'RangeError: thrown "words"\nand more' },
      'throw later': { level: 'error', message: 'TypeError: thrown later', origin: 'uncaughtException' },
      'throw no error': { level: 'error', message: 'only words' },
      'throw in the handler': { level: 'error', message: 'Error: thrown in the handler' },
      reject: { level: 'error', message: 'Error: rejected', origin: 'unhandledRejection' },
      'fill the heap for good': { level: 'error', message: 'InternalError: out of memory' }
    }
    for (const [way, expected] of Object.entries(cases)) {
      const { stderr, stdout, status } = run(way)
      t.match(JSON.parse(stderr), { ...expected, time: /^\d{4}-\d\d-\d\dT/ }, way)
      t.same([stderr.split('\n').length, stdout, status], [2, '', 1], way)
    }
  })

  t.test('a signal with a listener arrives while the program waits', async (t) => {
    const child = spawn(endings, ['terminated while waiting'])
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text
      if (output === 'ready\n') child.kill('SIGTERM')
    })
    t.same(await once(child, 'close'), [0, null])
    t.equal(output, 'ready\nSIGTERM 15\n')
  })

  t.test('a closed pipe does not end the program', async (t) => {
    const child = spawn('sh', ['-c', '"$0" "$1" 2>&3 3>&- | true', endings, 'write without a reader'], {
      stdio: ['ignore', 'inherit', 'inherit', 'pipe']
    })
    let output = ''
    child.stdio[3]!.on('data', (data) => {
      output += data
    })
    await once(child, 'close')
    t.equal(output, 'still here\n')
  })

  t.test('memory and stack have limits that throw', async (t) => {
    t.equal(run('fill the heap').stdout, 'InternalError: out of memory, after many\n')
    t.equal(run('fill the heap', { MINNOW_HEAP_MIB: '1' }).stdout, 'InternalError: out of memory, after few\n')
    t.equal(run('fill the stack').stdout, 'InternalError: stack overflow\n')
    t.equal(run('deep JSON').stdout, 'refused: true\n')
  })

  t.test('a large allocation that fails does not end the program', async (t) => {
    const { stdout, stderr, status } = run('want too much later')
    t.match(JSON.parse(stderr), { level: 'error', message: 'InternalError: out of memory' })
    t.same([stdout, status], ['1\n', 0])
  })

  t.test('the limits are configuration, and a wrong one is said', async (t) => {
    t.equal(run('end', { MINNOW_HEAP_MIB: '8', MINNOW_STACK_KIB: '256' }).stdout, 'the end\n')
    for (const wrong of ['0', '-1', 'many', '1x', '', '99999999999999999999']) {
      const { stderr, status } = run('end', { MINNOW_HEAP_MIB: wrong })
      t.same([stderr, status], [`minnow: MINNOW_HEAP_MIB must be a positive number, not '${wrong}'\n`, 2])
    }
  })

  t.test('no core file is written', async (t) => {
    t.equal(run('limits').stdout, 'core 0 0\n')
  })

  t.test('documents are part of the program', async (t) => {
    const blob = join(workFolder, 'blob')
    writeFileSync(blob, `ïblob${'x'.repeat(100_000)}\x07`)
    const built = await program('documents', { documents: blob })
    const { stdout } = spawnSync(built, { encoding: 'utf8' })
    t.equal(stdout, '100007 ïblo 7 true\n')
  })

  t.test('a program is static and needs nothing beside it', async (t) => {
    const elf = readFileSync(endings)
    const headers = Array.from(
      { length: elf.readUInt16LE(56) },
      (_, index) => Number(elf.readBigUInt64LE(32)) + index * elf.readUInt16LE(54)
    )
    const types = headers.map((at) => elf.readUInt32LE(at))
    t.notOk(types.includes(3), 'no interpreter')
    t.notOk(types.includes(2), 'no dynamic section')
  })
}
