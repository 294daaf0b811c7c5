import t from 'tap'
import { blankTrigger, judge, rulesOf, type Standing, type Trigger, triggerEvents } from '#data/telemetry'

const seen = { trigger: 'hot', property: '/metric', origin: '/sensor' }
const numeric = (thresholds: Trigger['thresholds'], more: Partial<Trigger> = {}): Trigger => ({
  ...blankTrigger,
  name: 'Hot',
  type: 'Numeric',
  condition: null,
  actions: [],
  settle: 'PT0S',
  thresholds,
  ...more
})
const limit = (reading: number, activation: 'Increasing' | 'Decreasing' | 'Either' | 'Disabled', dwell = 'PT0S') => ({
  reading,
  activation,
  dwell
})
const both = { UpperWarning: limit(70, 'Increasing'), UpperCritical: limit(80, 'Increasing') } as const

/** The messages of a trigger for values, each so many seconds after the one before; `*` if its condition is met. */
function follow(trigger: Trigger, settleTime = 0) {
  let standing: Standing = { held: [] }
  let now = 0
  return (value: number, after = 0) => {
    now += after * 1000
    const before = standing.held
    standing = judge(rulesOf(trigger, settleTime), standing, value, now)
    return triggerEvents(trigger, { ...seen, value }, before, standing.held).map(({ event: { message }, isMet }) => {
      t.equal(message.args[0], '/metric')
      t.equal(message.args.at(-1), 'hot')
      return `${message.key.replace(/^Telemetry.Trigger(Numeric)?/, '')}${isMet ? '*' : ''}`
    })
  }
}

t.test('a value that rises through thresholds, and falls, is told at each of them', async (t) => {
  const at = follow(numeric(both))
  t.same(at(69), [])
  t.same(at(70), ['AboveUpperWarning*'], 'a value that reaches it')
  t.same(at(75), [])
  t.same(at(80), ['AboveUpperCritical*'])
  t.same(at(79), ['BelowUpperCritical'])
  t.same(at(69), ['ReadingNormal'])
})

t.test('lower thresholds are the mirror of upper ones', async (t) => {
  const at = follow(numeric({ LowerCritical: limit(5, 'Decreasing'), LowerWarning: limit(10, 'Decreasing') }))
  t.same(
    [11, 10, 5, 6, 11].map((value) => at(value)),
    [[], ['BelowLowerWarning*'], ['BelowLowerCritical*'], ['AboveLowerCritical'], ['ReadingNormal']]
  )
})

t.test('of two thresholds that are crossed at once, the critical one is told', async (t) => {
  const at = follow(numeric(both))
  t.same(at(90), ['AboveUpperCritical*'])
  t.same(at(20), ['ReadingNormal'])
})

t.test('a value that leaves one side for the other is not called normal', async (t) => {
  const at = follow(numeric({ LowerWarning: limit(10, 'Decreasing'), UpperWarning: limit(70, 'Increasing') }))
  t.same(at(70), ['AboveUpperWarning*'])
  t.same(at(9), ['BelowLowerWarning*'])
  t.same(at(40), ['ReadingNormal'])
})

t.test('the activation says which direction meets the condition', async (t) => {
  const told = (activation: 'Increasing' | 'Decreasing' | 'Either' | 'Disabled') => {
    const at = follow(numeric({ UpperWarning: limit(70, activation) }))
    return [...at(70), ...at(69)]
  }
  t.same(told('Increasing'), ['AboveUpperWarning*', 'ReadingNormal'])
  t.same(told('Decreasing'), ['ReadingNormal*'])
  t.same(told('Either'), ['AboveUpperWarning*', 'ReadingNormal*'])
  t.same(told('Disabled'), [])
})

t.test('a value must be beyond a threshold for its DwellTime, without a break', async (t) => {
  const at = follow(numeric({ UpperWarning: limit(70, 'Increasing', 'PT10S') }))
  t.same(at(70), [])
  t.same(at(69, 9), [])
  t.same(at(70, 1), [], 'the time begins anew')
  t.same(at(71, 9), [])
  t.same(at(72, 1), ['AboveUpperWarning*'])
})

t.test('a value that goes to and fro is told once: it must return by the hysteresis, and for its time', async (t) => {
  const at = follow(numeric({ UpperWarning: limit(70, 'Increasing') }, { hysteresis: 2, settle: 'PT10S' }))
  t.same(at(70), ['AboveUpperWarning*'])
  for (let times = 0; times < 100; times += 1) t.same([...at(67, 5), ...at(70, 5)], [])
  t.same(at(68, 100), [], 'not by more than the hysteresis')
  t.same(at(67, 100), [])
  t.same(at(67, 10), ['ReadingNormal'])
})

t.test('a trigger that does not say for how long has the time of conditions', async (t) => {
  const at = follow(numeric({ UpperWarning: limit(70, 'Increasing') }, { settle: null }), 10)
  t.same(at(70), ['AboveUpperWarning*'])
  t.same([...at(60), ...at(60, 9)], [])
  t.same(at(60, 1), ['ReadingNormal'])
})

t.test('a threshold that is gone, or disabled, is told as the end of it once nothing else holds', async (t) => {
  const held = ['UpperWarning', 'UpperCritical']
  for (const UpperCritical of [undefined, limit(80, 'Disabled')]) {
    const trigger = numeric({ UpperWarning: both.UpperWarning, ...(UpperCritical && { UpperCritical }) })
    const standing = judge(rulesOf(trigger, 0), { held }, 90, 0)
    t.same(standing, { held: ['UpperWarning'] })
    t.same(triggerEvents(trigger, { ...seen, value: 90 }, held, standing.held), [])
    const none = numeric(UpperCritical === undefined ? {} : { UpperCritical })
    t.match(triggerEvents(none, { ...seen, value: 90 }, ['UpperCritical'], []), [
      { event: { message: { key: 'Telemetry.TriggerNumericReadingNormal' } }, isMet: false }
    ])
  }
})

t.test('a value that is waited for is told with its severity, and that it is gone is not', async (t) => {
  const value = { name: null, dwell: null, severity: null }
  const trigger = numeric(
    {},
    {
      type: 'Discrete',
      condition: 'Specified',
      values: [
        { ...value, value: '0', severity: 'Critical' },
        { ...value, value: '100.0', dwell: 'PT5S' }
      ]
    }
  )
  const rules = rulesOf(trigger, 0)
  const stopped = judge(rules, { held: [] }, 0, 0)
  t.match(triggerEvents(trigger, { ...seen, value: 0 }, [], stopped.held), [
    {
      event: {
        message: { key: 'Telemetry.TriggerDiscreteConditionMet', args: ['/metric', '0', 'hot'] },
        origin: '/sensor',
        severity: 'Critical'
      },
      isMet: true
    }
  ])
  const full = judge(rules, stopped, 100, 0)
  t.same(triggerEvents(trigger, { ...seen, value: 100 }, stopped.held, full.held), [])
  const [triggerEvent] = triggerEvents(trigger, { ...seen, value: 100 }, full.held, judge(rules, full, 100, 5000).held)
  t.equal(triggerEvent?.event.severity, undefined, 'that of the registry')
})
