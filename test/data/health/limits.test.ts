import t from 'tap'
import { isBeyond, type Limits, limitsOf, severityOf } from '#data/health'
import type { TemperatureThreshold } from '#data/sensors'
import { context } from '#test/handlers/context.ts'

const { machine } = context()

const all = (found: Limits) => [...found.values()].flat()

/** The thresholds of chassis 1, in short. */
function limits(temperatureThreshold: Record<string, TemperatureThreshold> = {}) {
  const { state } = context({ tables: { temperatureThreshold } })
  return all(limitsOf(state, '1', machine.chassis('1')))
}

const short = (number: number, temperatureThreshold?: Record<string, TemperatureThreshold>) =>
  limits(temperatureThreshold)
    .filter(({ sensor }) => sensor.number === number)
    .map((limit) => [limit.threshold, limit.reading, severityOf(limit)])

t.test('a temperature has the thresholds of the board, and those of users that are in effect', async (t) => {
  const board = [
    ['UpperCritical', 90, 'Critical'],
    ['UpperFatal', 95, 'Critical']
  ]
  t.same(short(2), board)
  const users = { '1/2/Warning': { effective: 60, pending: null }, '1/2/Critical': { effective: null, pending: 40 } }
  t.same(short(2, users), [['Warning', 60, 'Warning'], ...board])
})

t.test('a fan is slow at half its lowest speed, and stopped at a standstill', async (t) => {
  t.same(short(21), [
    ['LowerCritical', 1, 'Critical'],
    ['LowerCaution', 4, 'Warning']
  ])
})

t.test('a fan that stands still on standby counts only while the host is on', async (t) => {
  const chassis = machine.chassis('1')
  const [fan] = chassis.fans
  const still = all(limitsOf(context().state, '1', { ...chassis, temperatures: [], fans: [{ ...fan!, standby: 0 }] }))
  t.same(
    still.map(({ threshold, whileOn }) => [threshold, whileOn]),
    [['LowerCritical', true]]
  )
  t.ok(limits().every(({ whileOn }) => !whileOn))
})

t.test('a reading has to return by the hysteresis', async (t) => {
  const [upper] = limits().filter(({ sensor }) => sensor.number === 2)
  const beyond = (reading: number, was: boolean) => isBeyond(upper!, reading, was)
  t.same([beyond(89, false), beyond(90, false)], [false, true])
  t.same([beyond(88, true), beyond(87, true)], [true, false])
  const [lower] = limits().filter(({ sensor }) => sensor.number === 21)
  const below = (reading: number, was: boolean) => isBeyond({ ...lower!, hysteresis: 2 }, reading, was)
  t.same([below(2, false), below(1, false), below(3, true), below(4, true)], [false, true, true, false])
})
