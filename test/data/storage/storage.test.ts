import t from 'tap'
import { capacityOf, chooseDrives, takesDrives } from '#data/storage'

t.test('each RAID type takes a number of drives and loses some of them to redundancy', async (t) => {
  const sizes = [4, 5, 6, 7, 8, 9]
  const drives = Object.fromEntries(sizes.map((capacityBytes, id) => [id, { capacityBytes }]))
  const storage = { drives } as unknown as Parameters<typeof capacityOf>[0]
  const ids = (count: number) => Object.keys(drives).slice(0, count)
  for (const [type, from, to, odd, capacity] of [
    ['RAID0', 1, 32, true, 16],
    ['RAID1', 2, 2, true, 4],
    ['RAID5', 3, 32, true, 12],
    ['RAID6', 4, 32, true, 8],
    ['RAID10', 4, 32, false, 8]
  ] as [Parameters<typeof takesDrives>[0], number, number, boolean, number][]) {
    const taken = Array.from({ length: 40 }, (_, count) => count).filter((count) => takesDrives(type, count))
    const expected = Array.from({ length: to - from + 1 }, (_, index) => from + index)
    t.same(
      taken,
      expected.filter((count) => odd || count % 2 === 0),
      type
    )
    t.equal(capacityOf(storage, type, ids(4)), capacity, type)
    t.same(chooseDrives(storage, { volumes: {} } as never, type), ids(from), type)
    t.same(chooseDrives(storage, { volumes: {} } as never, type, 1000), undefined, type)
  }
})
