import t from 'tap'
import { SerialQueue } from '#runtime/base/serial-queue.ts'

t.test('tasks run one after another, in order', async (t) => {
  const queue = new SerialQueue()
  const seen: string[] = []
  let release = () => {}
  const first = queue.run(async () => {
    seen.push('first begins')
    await new Promise<void>((resolve) => {
      release = resolve
    })
    seen.push('first ends')
  })
  const second = queue.run(() => seen.push('second'))
  await new Promise(setImmediate)
  t.same(seen, ['first begins'])
  release()
  await Promise.all([first, second])
  t.same(seen, ['first begins', 'first ends', 'second'])
})

t.test('a task that fails is its caller’s alone, and the next one runs', async (t) => {
  const queue = new SerialQueue()
  const failed = queue.run(() => {
    throw new Error('broken')
  })
  const next = queue.run(() => 'done')
  await t.rejects(failed, { message: 'broken' })
  t.equal(await next, 'done')
})

t.test('a queue is idle when all its work has ended, failures included', async (t) => {
  const queue = new SerialQueue()
  await queue.idle()
  let ended = false
  const failed = queue.run(async () => {
    await new Promise(setImmediate)
    ended = true
    throw new Error('broken')
  })
  await Promise.all([queue.idle(), t.rejects(failed)])
  t.ok(ended)
})
