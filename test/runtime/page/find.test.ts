import t from 'tap'
import { findIn } from '#runtime/page/rules/find.ts'
import { healthOf } from '#runtime/page/rules/health.ts'
import { criticalLimit } from '#runtime/page/rules/sensors.ts'
import { hottest } from '#runtime/page/rules/summary.ts'
import type { Sensor } from '#runtime/page/types.ts'

t.test('all words are found in any case, first where a word of the text begins with the first one', async (t) => {
  const names = ['Autoboot delay', 'Boot order', 'Quiet boot', 'Fan 1']
  const find = (words: string) => findIn(names, (name) => name, words)
  t.same(find('boot'), ['Boot order', 'Quiet boot', 'Autoboot delay'])
  t.same(find(' BOOT  quiet'), ['Quiet boot'])
  t.same(find('boot fan'), [])
  t.same(find(''), names)
})

t.test('the hottest sensor is the temperature nearest to its critical limit', async (t) => {
  const sensor = (Name: string, Reading: number | null, limit: number | null, ReadingType = 'Temperature') =>
    ({ Name, Reading, ReadingType, Thresholds: { UpperCritical: { Reading: limit } } }) as Sensor
  const warm = sensor('Exhaust', 60, 70)
  t.equal(hottest([sensor('Processor', 70, 95), warm, sensor('Load', 99, 100, 'Percent')]), warm)
  t.equal(hottest([sensor('Inlet', 20, null), sensor('Drive', null, 60)])?.Name, 'Inlet')
  t.equal(hottest([]), undefined)
  t.equal(criticalLimit(warm), 70)
  t.equal(criticalLimit(sensor('Inlet', 20, null)), undefined)
})

t.test('the health of several is the worst, and a cause that several report is shown once', async (t) => {
  const cause = { MessageId: 'Hot', OriginOfCondition: { '@odata.id': '/1' } }
  const status = (HealthRollup: string, ...Conditions: object[]) => ({ HealthRollup, Conditions }) as never
  t.same(healthOf([undefined, null]), { worst: undefined, causes: [] })
  t.same(healthOf([status('OK'), status('Critical', cause), status('Warning', cause)]), {
    worst: 'Critical',
    causes: [cause]
  })
  t.equal(healthOf([{ State: 'Enabled', Health: 'Warning' } as never, undefined]).worst, 'Warning')
})
