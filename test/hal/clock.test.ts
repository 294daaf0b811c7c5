import { existsSync, readFileSync, rmSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { setClock, simulatedClock, systemClock } from '#hal/clock.ts'

/** Takes the file as the init process does; the number that it says, in milliseconds. */
async function taken(file: string): Promise<number> {
  while (!existsSync(file)) await pause(1)
  const text = readFileSync(file, 'utf8')
  rmSync(file)
  return Number(/^(-?\d+)\n$/.exec(text)?.[1])
}

const fileIn = (t: Test) => `${t.testdir()}/clock`

t.test('the program that sets the clock gets the time by which it is behind', async (t) => {
  const file = fileIn(t)
  const done = setClock(file, Date.now() + 1000)
  const behind = await taken(file)
  t.ok(behind > -1000 && behind <= 1000, String(behind))
  await done
})

t.test('a simulated clock begins as the system’s, and setting it moves no other', async (t) => {
  const [clock, other] = [simulatedClock(), simulatedClock()]
  const ahead = ({ now }: typeof clock) => now() - systemClock.now()
  t.ok(Math.abs(ahead(clock)) < 1000)
  for (const by of [3_600_000, -7_200_000]) {
    await clock.set?.(systemClock.now() + by)
    t.ok(Math.abs(ahead(clock) - by) < 1000, `${by}`)
    t.ok(Math.abs(clock.elapsed() - systemClock.elapsed()) < 1000, 'durations are as before')
  }
  t.ok(Math.abs(ahead(other)) < 1000)
})

t.test('a clock that does not show the time then was not set', async (t) => {
  const file = fileIn(t)
  const done = setClock(file, Date.now() - 86_400_000, 500)
  const refused = t.rejects(done, { name: 'HalError', code: 'EIO', message: 'clock: the time was not set' })
  const behind = await taken(file)
  t.ok(behind <= -86_400_000, String(behind))
  await refused
})

t.test('a file that no program takes is removed', async (t) => {
  const file = fileIn(t)
  await t.rejects(setClock(file, 0, 1), {
    code: 'ETIMEDOUT',
    message: 'clock: the time was not set within the timeout'
  })
  t.notOk(existsSync(file))
})

t.test('a file that cannot be written is a failure of the clock', async (t) => {
  await t.rejects(setClock(`${fileIn(t)}/none`, 0), { code: 'ENODEV' })
})
