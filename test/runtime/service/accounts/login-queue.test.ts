import t from 'tap'
import type { MessageError } from '#runtime/contract'
import { LoginQueue } from '#runtime/service/accounts/login-queue.ts'

/** A queue whose tasks end when the test says so, and a record of who began and who was refused. */
function queueOf(atOnce: number, places: number) {
  const queue = new LoginQueue(atOnce, places)
  const ends: (() => void)[] = []
  const began: string[] = []
  const refused: string[] = []
  return {
    began,
    refused,
    ask(name: string, address: string, user = '') {
      const task = () =>
        new Promise<void>((resolve) => {
          began.push(name)
          ends.push(resolve)
        })
      queue.run({ address, user }, task).catch((error: MessageError) => {
        refused.push(`${name} ${error.status} ${error.headers['Retry-After']}`)
      })
    },
    /** Ends the task that began first, and lets the next one begin. */
    async end() {
      ends.shift()?.()
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
}

t.test('at most `limits.logins` tasks run at once, and the others wait', async (t) => {
  const queue = queueOf(2, 4)
  for (const name of ['a', 'b', 'c']) queue.ask(name, '192.0.2.1')
  t.same(queue.began, ['a', 'b'])
  await queue.end()
  t.same(queue.began, ['a', 'b', 'c'])
  await queue.end()
  await queue.end()
  queue.ask('d', '192.0.2.1')
  queue.ask('e', '192.0.2.1')
  t.same(queue.began, ['a', 'b', 'c', 'd', 'e'], 'nothing is left of those before')
})

t.test('addresses take turns, however much one of them asks', async (t) => {
  const queue = queueOf(1, 16)
  for (let n = 0; n < 8; n++) queue.ask(`flood ${n}`, '192.0.2.1')
  queue.ask('friend', '192.0.2.2')
  await queue.end()
  await queue.end()
  t.ok(queue.began.includes('friend'), queue.began.join(', '))
})

t.test('users of one address take turns, and names of no account are one user together', async (t) => {
  const queue = queueOf(1, 16)
  for (let n = 0; n < 8; n++) queue.ask(`flood ${n}`, '192.0.2.1', '')
  queue.ask('friend', '192.0.2.1', 'admin')
  await queue.end()
  await queue.end()
  t.ok(queue.began.includes('friend'), queue.began.join(', '))
})

t.test('when all places are taken the greediest gives one up, with 503', async (t) => {
  const queue = queueOf(1, 3)
  for (const name of ['runs', 'a', 'b', 'c']) queue.ask(name, '192.0.2.1')
  queue.ask('friend', '192.0.2.2')
  await queue.end()
  t.same(queue.refused, ['c 503 2'])
  queue.ask('d', '192.0.2.1')
  queue.ask('e', '192.0.2.1')
  await queue.end()
  t.ok(queue.began.includes('friend'))
})

t.test('the user whose last turn is longest ago has the next one, and an empty queue forgets all turns', async (t) => {
  const queue = queueOf(1, 16)
  const ask = (name: string) => queue.ask(name, name.slice(0, 1), name.slice(0, 2))
  for (const name of ['Au', 'Au1', 'Au2', 'Av1', 'Bw1', 'Bw2']) ask(name)
  for (let tasks = 0; tasks < 6; tasks += 1) await queue.end()
  t.same(queue.began.splice(0), ['Au', 'Au1', 'Bw1', 'Av1', 'Bw2', 'Au2'])
  for (const name of ['Cx', 'Au3', 'Bw3']) ask(name)
  await queue.end()
  t.same(queue.began, ['Cx', 'Au3'])
})

t.test('of the address with most places its greediest user gives one up, and of equals the last', async (t) => {
  for (const [places, names, refused] of [
    [3, ['Av1', 'Av2', 'Bw1', 'Au1'], 'Av2'],
    [1, ['Au1', 'Bw1'], 'Bw1'],
    [1, ['Au1', 'Av1'], 'Av1']
  ] as const) {
    const queue = queueOf(1, places)
    for (const name of ['runs', ...names]) queue.ask(name, name.slice(0, 1), name.slice(0, 2))
    await new Promise((resolve) => setImmediate(resolve))
    t.same(queue.refused, [`${refused} 503 2`])
  }
})
