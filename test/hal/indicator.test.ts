import t from 'tap'
import { simIndicator } from '#hal/sim/indicators.ts'
import { indicatorContract } from '#test/hal/contracts/indicator.ts'

indicatorContract(t, 'simulator', async () => simIndicator({ timeout: 0 }))

t.test('stuck: it accepts every state and keeps its present one', async (t) => {
  const lamp = simIndicator({ initial: 'Lit', faults: { stuck: true } })
  lamp.on(() => t.fail('nothing has changed'))
  await lamp.set('Off')
  t.equal(lamp.state, 'Lit')
})

t.test('failNext, busyFor and hang: the state does not change', async (t) => {
  const lamp = simIndicator({ timeout: 0 })
  lamp.faults.failNext = 'EIO'
  await t.rejects(lamp.set('Lit'), { name: 'HalError', code: 'EIO' })
  lamp.faults.busyFor = 1
  await t.rejects(lamp.set('Lit'), { code: 'EBUSY' })
  lamp.faults.hang = true
  await t.rejects(lamp.set('Lit'), { code: 'ETIMEDOUT' })
  t.equal(lamp.state, 'Off')
  lamp.faults.hang = false
  await lamp.set('Lit')
  t.equal(lamp.state, 'Lit')
})

t.test('its state survives a restart of the service', async (t) => {
  const directory = t.testdir()
  await simIndicator({ directory, name: 'locator' }).set('Blinking')
  t.equal(simIndicator({ directory, name: 'locator' }).state, 'Blinking')
})

t.test('a damaged state file is a warning, and the lamp starts in its initial state', async (t) => {
  for (const text of ['{', 'null', '{"state":"Purple"}']) {
    const warnings: string[] = []
    const directory = t.testdir({ 'locator.json': text })
    const lamp = simIndicator({ directory, name: 'locator', initial: 'Lit', warn: (message) => warnings.push(message) })
    t.equal(lamp.state, 'Lit', text)
    t.match(warnings, [/locator\.json/], text)
  }
})
