import t from 'tap'
import { Readings } from '#hal/readings.ts'

t.test('changes are readings that are new, other or gone, since they were asked for last', async (t) => {
  const readings = new Readings()
  readings.set(1, 20)
  readings.set(2, 30)
  readings.set(3, 0)
  t.same([...readings.changes()], [1, 2, 3])
  t.same([...readings.changes()], [])
  readings.set(1, 20)
  readings.set(2, 31)
  readings.delete(3)
  readings.delete(4)
  t.same([...readings.changes()], [2, 3])
  t.same(
    [...readings],
    Object.entries({ 1: 20, 2: 31 }).map(([number, value]) => [Number(number), value])
  )
  readings.clear()
  t.same([...readings.changes()], [1, 2])
  t.ok(readings.isEmpty)
})
