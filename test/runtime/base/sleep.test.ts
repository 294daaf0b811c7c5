import t from 'tap'
import { Listeners } from '#runtime/base/listeners.ts'
import { sleep } from '#runtime/base/sleep.ts'

t.test('a sleep lasts as long as it should', async (t) => {
  const before = performance.now()
  await sleep(30)
  // Timers count in whole milliseconds.
  t.ok(performance.now() - before >= 29)
})

t.test('all who sleep end it when they are woken', async (t) => {
  const wake = new Listeners<void>()
  const before = performance.now()
  const asleep = Promise.all([sleep(100_000, wake), sleep(100_000, wake)])
  wake.emit()
  await asleep
  t.ok(performance.now() - before < 50_000)
})

t.test('who has slept listens no more', async (t) => {
  const wake = new Listeners<void>()
  let listening = 0
  const add = wake.add.bind(wake)
  wake.add = (listener) => {
    const stop = add(listener)
    listening += 1
    return () => {
      listening -= 1
      stop()
    }
  }
  await sleep(1, wake)
  t.equal(listening, 0)
})
