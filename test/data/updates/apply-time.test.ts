import t from 'tap'
import { placeIn } from '#data/updates'

t.test('a maintenance window begins at its start and ends after its seconds', async (t) => {
  const start = '2025-06-01T12:00:00Z'
  for (const [time, place] of [
    ['2025-06-01T11:59:59.999Z', 'before'],
    [start, 'in'],
    ['2025-06-01T12:09:59.999Z', 'in'],
    ['2025-06-01T12:10:00Z', 'after']
  ] as const)
    t.equal(placeIn({ start, seconds: 600 }, Date.parse(time)), place, time)
})
