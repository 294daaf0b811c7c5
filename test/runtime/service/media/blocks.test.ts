import t from 'tap'
import { Blocks, blockSize, mostAsked } from '#runtime/service/media/blocks.ts'

const file = Uint8Array.from({ length: 20 * blockSize + 2048 }, (_, index) => (index >> 8) % 251)
const limits = { cache: 4 * blockSize, wait: 0.05 }

/** A source that notes what it is asked for, and answers when it may. */
function source(answers: (index: number) => Promise<void> | void = () => undefined) {
  const asked: number[] = []
  return {
    asked,
    read: async (offset: number, length: number) => {
      asked.push(offset / blockSize)
      await answers(offset / blockSize)
      return file.slice(offset, offset + length)
    }
  }
}

const never = () => new Promise<void>(() => {})
const turn = () => new Promise((resolve) => setImmediate(resolve))

t.test('any part is read, also across blocks and at the end', async (t) => {
  const blocks = new Blocks(file.length, limits)
  blocks.connect(source())
  for (const [offset, length] of [
    [0, 2048],
    [blockSize - 1, 2],
    [5 * blockSize + 100, blockSize],
    [file.length - 2048, 2048]
  ] as const) {
    t.ok(Buffer.from(await blocks.read(offset, length)).equals(file.subarray(offset, offset + length)), `${offset}`)
  }
})

t.test('a block is asked for once, the next ones ahead, and the oldest is forgotten', async (t) => {
  const from = source()
  const blocks = new Blocks(file.length, limits)
  blocks.connect(from)
  await Promise.all([blocks.read(0, 2048), blocks.read(2048, 2048)])
  await turn()
  t.same(from.asked, [0, 1, 2, 3])
  await blocks.read(blockSize, 2048)
  await turn()
  t.same(from.asked, [0, 1, 2, 3, 4], 'one more ahead')
  await blocks.read(10 * blockSize, blockSize)
  await turn()
  t.same(from.asked, [0, 1, 2, 3, 4, 10], 'none ahead of a jump')
  await blocks.read(4 * blockSize, 2048)
  await blocks.read(0, 2048)
  await turn()
  t.same(from.asked.slice(6), [0], 'the first is not kept any longer, and the fourth is')
})

t.test('as many blocks are asked for at once as may be', async (t) => {
  const from = source(never)
  const blocks = new Blocks(file.length, limits)
  blocks.connect(from)
  const reads = [3, 5, 7, 9, 11, 13].map((index) => blocks.read(index * blockSize, 1))
  t.equal(from.asked.length, mostAsked)
  await Promise.allSettled(reads)
})

t.test('reads that waited for a source are asked for a few at once, and the others after these', async (t) => {
  for (const [title, fails] of [
    ['answers', false],
    ['failures', true]
  ] as const) {
    const held: (() => void)[] = []
    const from = source(async (index) => {
      if (index > 9) return
      await new Promise<void>((resolve) => held.push(resolve))
      if (fails) throw new Error('unreadable')
    })
    const blocks = new Blocks(file.length, { ...limits, wait: 60 })
    const reads = [3, 5, 7, 9, 11, 13].map((index) => blocks.read(index * blockSize, 1))
    const ended = Promise.allSettled(reads)
    blocks.connect(from)
    t.same(from.asked, [3, 5, 7, 9], title)
    for (const release of held) release()
    const outcome = fails ? 'rejected' : 'fulfilled'
    t.same(
      (await ended).map(({ status }) => status),
      [...Array(4).fill(outcome), 'fulfilled', 'fulfilled'],
      title
    )
  }
})

t.test('blocks that no read waits for are not asked of the next source', async (t) => {
  const blocks = new Blocks(file.length, { ...limits, wait: 60 })
  blocks.connect(source((index) => (index === 0 ? undefined : never())))
  await blocks.read(0, 1)
  const read = blocks.read(2 * blockSize, 1)
  const next = source()
  blocks.connect(next)
  await read
  t.same(next.asked, [2])
})

t.test('a block that comes too late for its read is there for the next one', async (t) => {
  let arrive = () => {}
  const late = new Promise<void>((resolve) => {
    arrive = resolve
  })
  const from = source(() => late)
  const blocks = new Blocks(file.length, limits)
  blocks.connect(from)
  await t.rejects(blocks.read(3 * blockSize, 1), { message: 'no answer in 0.05 s' })
  const read = blocks.read(3 * blockSize, 1)
  arrive()
  t.equal((await read).length, 1)
  t.same(from.asked, [3, 4, 5, 6], 'it is not asked for again')
})

t.test('a block that is read again stays, and the one that was not is forgotten', async (t) => {
  const from = source()
  const blocks = new Blocks(file.length, { ...limits, cache: 2 * blockSize })
  blocks.connect(from)
  for (const index of [5, 9, 5, 13, 5, 9]) await blocks.read(index * blockSize, 1)
  t.same(from.asked, [5, 9, 13, 9])
})

t.test('after a jump the second sector of a block is enough for the next blocks to be fetched', async (t) => {
  const from = source()
  const blocks = new Blocks(file.length, limits)
  blocks.connect(from)
  for (const offset of [0, 2048]) await blocks.read(10 * blockSize + offset, 2048)
  t.same(from.asked, [10, 11, 12, 13])
})

t.test('nothing is asked for behind the end of a file', async (t) => {
  const from = source()
  const blocks = new Blocks(2 * blockSize, limits)
  blocks.connect(from)
  await blocks.read(0, 2 * blockSize)
  t.same(from.asked, [0, 1])
})

t.test('a block that could not be fetched ahead is asked for again when it is read', async (t) => {
  let fails = true
  const from = source((index) => {
    if (index === 1 && fails) throw new Error('unreadable')
  })
  const blocks = new Blocks(file.length, limits)
  blocks.connect(from)
  await blocks.read(0, 1)
  await turn()
  fails = false
  t.equal((await blocks.read(blockSize, 1)).length, 1)
  t.same(
    from.asked.filter((index) => index === 1),
    [1, 1]
  )
})

t.test('a read waits for a source that has gone, and asks the next one', async (t) => {
  const [first, second] = [source(never), source()]
  const blocks = new Blocks(file.length, { ...limits, wait: 60 })
  blocks.connect(first)
  const read = blocks.read(3 * blockSize, 2048)
  t.same(first.asked, [3])
  blocks.connect(undefined)
  blocks.connect(second)
  t.equal((await read).length, 2048)
  t.same(second.asked, [3])
})

t.test('an answer of a source that has gone is not taken for a failure', async (t) => {
  let fail = (_: Error) => {}
  const first = {
    read: () =>
      new Promise<Uint8Array>((_, reject) => {
        fail = reject
      })
  }
  const blocks = new Blocks(file.length, { ...limits, wait: 60 })
  blocks.connect(first)
  const read = blocks.read(3 * blockSize, 2048)
  blocks.connect(undefined)
  fail(new Error('the connection has ended'))
  await turn()
  blocks.connect(source())
  t.equal((await read).length, 2048)
})

t.test('a read that waits for too long fails, and the next one can succeed', async (t) => {
  const blocks = new Blocks(file.length, limits)
  await t.rejects(blocks.read(3 * blockSize, 2048), { message: 'no answer in 0.05 s' })
  const from = source()
  blocks.connect(from)
  t.same(from.asked, [], 'the failed read is dropped')
  t.equal((await blocks.read(3 * blockSize, 2048)).length, 2048)
})

t.test('what the source cannot read fails alone', async (t) => {
  const blocks = new Blocks(file.length, limits)
  blocks.connect(
    source((index) => {
      if (index === 3) throw new Error('unreadable')
    })
  )
  await t.rejects(blocks.read(3 * blockSize, 1), { message: 'unreadable' })
  t.equal((await blocks.read(4 * blockSize, 1)).length, 1)
})

t.test('while it refuses, reads fail at once', async (t) => {
  const blocks = new Blocks(file.length, { ...limits, wait: 60 })
  const read = blocks.read(0, 1)
  blocks.refuse(true)
  await t.rejects(read, { message: 'the drive is being emptied' })
  await t.rejects(blocks.read(0, 1), { message: 'the drive is being emptied' })
  blocks.refuse(false)
  blocks.connect(source())
  t.equal((await blocks.read(0, 1)).length, 1)
})

t.test('a drive that was not emptied after all reads on from the same source', async (t) => {
  let answers = never
  const blocks = new Blocks(file.length, { ...limits, wait: 60 })
  blocks.connect(source(() => answers()))
  const read = blocks.read(3 * blockSize, 1)
  blocks.refuse(true)
  await t.rejects(read, { message: 'the drive is being emptied' })
  blocks.refuse(false)
  answers = async () => {}
  t.equal((await blocks.read(3 * blockSize, 1)).length, 1)
})
