import t from 'tap'
import { opening } from '#runtime/base/opening.ts'

/** Things that say when they are closed. */
function things() {
  const closed: string[] = []
  const thing = (name: string, failure?: string) => ({
    name,
    async close() {
      await new Promise(setImmediate)
      closed.push(name)
      if (failure !== undefined) throw new Error(failure)
    }
  })
  return { closed, thing }
}

t.test('resources are closed in reverse order, one at a time, and once', async (t) => {
  const { closed, thing } = things()
  const opened = await opening(async (keep) => {
    const first = keep(thing('first'))
    keep(thing('second'))
    keep({ close: () => void closed.push('at once') })
    return { first }
  })
  t.equal(opened.first.name, 'first')
  t.same(closed, [])
  await opened.close()
  t.same(closed, ['at once', 'second', 'first'])
  await opened.close()
  t.equal(closed.length, 3)
})

t.test('when opening fails halfway, everything opened so far is closed', async (t) => {
  const { closed, thing } = things()
  const failing = opening(async (keep) => {
    keep(thing('first'))
    keep(thing('second', 'cannot be closed'))
    await new Promise(setImmediate)
    throw new Error('cannot be opened')
  })
  await t.rejects(failing, { message: 'cannot be opened' })
  t.same(closed, ['second', 'first'])
})

t.test('a resource that fails to close does not keep the others open', async (t) => {
  const { closed, thing } = things()
  const opened = await opening(async (keep) => {
    keep(thing('first', 'the first is stuck'))
    keep(thing('second', 'the second is stuck'))
    keep(thing('third'))
    return {}
  })
  await t.rejects(opened.close(), { message: 'the second is stuck' })
  t.same(closed, ['third', 'second', 'first'])
})
