import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import { ledIndicator } from '#hal/sysfs/indicators.ts'
import { indicatorContract } from '#test/hal/contracts/indicator.ts'

/** A LED as sysfs has it, but that plain files keep the rest of what was longer. */
function leds(t: Test, { trigger = '[none] timer heartbeat', brightness = '0' } = {}) {
  const files = { trigger, brightness, max_brightness: '255\n', delay_on: '0', delay_off: '0' }
  const folder = t.testdir({ identify: { ...files }, 'power:green': { ...files } })
  const has = (file: string) => readFileSync(`${folder}/identify/${file}`, 'utf8')
  return { folder, has, options: { name: 'indicator-1', folder, led: 'identify' } }
}

indicatorContract(t, 'LED', async () => ledIndicator(leds(t).options))

t.test('lit is as bright as it gets, blinking is the trigger timer, off is dark without a trigger', async (t) => {
  const { options, has } = leds(t)
  const lamp = ledIndicator({ ...options, delayOn: 250, delayOff: 750 })
  await lamp.set('Lit')
  t.match(has('trigger'), /^none/)
  t.match(has('brightness'), /^255/)
  await lamp.set('Blinking')
  t.match(has('trigger'), /^timer/)
  t.strictSame([has('delay_on'), has('delay_off')], ['250', '750'])
  await lamp.set('Off')
  t.match(has('trigger'), /^none/)
  t.match(has('brightness'), /^0/)
})

t.test('at the start the state is that of the LED', async (t) => {
  const shown = (files: Parameters<typeof leds>[1]) => ledIndicator(leds(t, files).options).state
  t.equal(shown({ brightness: '0\n' }), 'Off')
  t.equal(shown({ brightness: '17\n' }), 'Lit')
  t.equal(shown({ trigger: 'none [timer] heartbeat\n', brightness: '255' }), 'Blinking')
  t.equal(shown({ trigger: 'none timer [heartbeat]\n', brightness: '255' }), 'Lit', 'a trigger of another purpose')
})

t.test('a LED that disappears is ENODEV, and the lamp keeps its state', async (t) => {
  const { folder, options } = leds(t)
  const lamp = ledIndicator(options)
  lamp.on(() => t.fail('nothing has changed'))
  rmSync(`${folder}/identify/trigger`)
  await t.rejects(lamp.set('Lit'), { name: 'HalError', code: 'ENODEV', message: /^indicator-1: .*trigger/ })
  t.equal(lamp.state, 'Off')
})

t.test('delays that are right already are not written: their files are root’s', async (t) => {
  const { folder, options } = leds(t)
  const file = `${folder}/identify/delay_on`
  writeFileSync(file, '500 ')
  await ledIndicator(options).set('Blinking')
  t.strictSame(readFileSync(file, 'utf8'), '500 ')
})

t.test('a failure half way is reported with the state that it left', async (t) => {
  const { folder, options } = leds(t, { brightness: '255' })
  const lamp = ledIndicator(options)
  const seen: string[] = []
  lamp.on((state) => seen.push(state))
  rmSync(`${folder}/identify/delay_on`)
  mkdirSync(`${folder}/identify/delay_on`)
  writeFileSync(`${folder}/identify/brightness`, '0')
  await t.rejects(lamp.set('Blinking'), { name: 'HalError', code: 'EIO' })
  t.strictSame(seen, ['Off'])
})

t.test('options that are wrong are one sentence', async (t) => {
  const { folder, options } = leds(t)
  const wrong: [object, string, RegExp][] = [
    [{ led: undefined }, 'EINVAL', /^indicator-1: it needs the name of a led$/],
    [{ led: '../power' }, 'EINVAL', /^indicator-1: it needs the name of a led$/],
    [{ led: 'uid' }, 'ENODEV', /^indicator-1: there is no LED \S+uid: there is identify, power:green$/],
    [{ delayOn: 0 }, 'EINVAL', /^indicator-1: delayOn and delayOff are milliseconds$/],
    [{ delayOff: '5' }, 'EINVAL', /^indicator-1: delayOn and delayOff are milliseconds$/],
    [{ folder: 7 }, 'EINVAL', /^indicator-1: folder must be a folder$/],
    [{ folder: `${folder}/none` }, 'ENODEV', /^indicator-1: there is no LED \S+: there is no \S+none$/]
  ]
  for (const [change, code, message] of wrong) {
    t.throws(() => ledIndicator({ ...options, ...change }), { name: 'HalError', code, message }, message.source)
  }
})
