import t from 'tap'
import { tens } from '#runtime/service/updates/records.ts'

t.test('progress is in whole tens between its two ends', async (t) => {
  for (const [share, from, to, percent] of [
    [0, 40, 90, 40],
    [0.19, 40, 90, 40],
    [0.2, 40, 90, 50],
    [0.99, 40, 90, 80],
    [1, 40, 90, 90],
    [0.5, 0, 40, 20]
  ] as const)
    t.equal(tens(share, from, to), percent, `${share} of ${from} to ${to}`)
})
