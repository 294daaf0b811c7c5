import type { Test } from 'tap'
import type { Nvram, Variable } from '#hal/nvram.ts'

/** Opens the same store, again and again. */
export type Device = (clock?: () => Date | undefined) => Nvram

const vendor = '4f1a6c1e-93d2-4b1f-8d5a-6f0d3c2b1a90'
const other = '8be4df61-93ca-11d2-aa0d-00e098032b8c'
const ordinary = 0x07
const timeBased = 0x27
const erofs = { name: 'HalError', code: 'EROFS' }
const einval = { name: 'HalError', code: 'EINVAL' }
const enospc = { name: 'HalError', code: 'ENOSPC' }

/** A variable of this namespace. */
export function variable(name: string, data: string | Uint8Array, attributes = ordinary): Variable {
  const bytes = typeof data === 'string' ? Uint8Array.from(data, (character) => character.charCodeAt(0)) : data
  return { name, guid: vendor, attributes, data: bytes }
}

/** All that can be read, to compare: a line for each variable. */
export function contents(nvram: Pick<Nvram, 'list' | 'get'>): string[] {
  return nvram
    .list()
    .map(({ name, guid }) => {
      const { attributes, data, timestamp } = nvram.get(name, guid)!
      const hex = [...data].map((byte) => byte.toString(16).padStart(2, '0')).join('')
      return `${guid} ${name} 0x${attributes.toString(16)} ${timestamp?.toISOString() ?? '-'} ${hex}`
    })
    .sort()
}

/**
 * The contract of every back end of hal/nvram.ts.
 *
 * @param device makes an empty store with room for 20 KiB at least
 */
export function nvramContract(t: Test, backEnd: string, device: (t: Test) => Device) {
  const withStore = (title: string, body: (t: Test, nvram: Nvram, open: Device) => Promise<void>) =>
    t.test(`${backEnd}: ${title}`, async (t) => {
      const open = device(t)
      const nvram = open()
      await nvram.acquire()
      await body(t, nvram, open)
    })

  withStore('empty, it is sound, lists nothing, and has room', async (t, nvram) => {
    t.strictSame(nvram.health, { state: 'ok', faults: [] })
    t.strictSame(nvram.list(), [])
    t.equal(nvram.get('None', vendor), undefined)
    const { total, free, largest } = nvram.space
    t.equal(free, total)
    t.ok(largest < total)
  })

  withStore('after a reset it is empty and writable', async (t, nvram, open) => {
    await nvram.set([variable('First', '1'), variable('Second', new Uint8Array(3000).fill(2))])
    const { total } = nvram.space
    await nvram.reset()
    t.strictSame(nvram.list(), [])
    t.match({ ...nvram.space, ...nvram.health }, { total, free: total, state: 'ok' })
    await nvram.set([variable('Third', '3')])
    const seen = contents(nvram)
    await nvram.release()
    await t.rejects(nvram.reset(), erofs, 'the host owns it')
    await nvram.close()
    t.strictSame(contents(open()), seen)
  })

  withStore('what is set is read, at once and when it is opened again', async (t, nvram, open) => {
    const first = variable('First', Uint8Array.of(1, 2, 3))
    const second = { ...variable('Second', 'x'), guid: other, attributes: 0x03 }
    await nvram.set([first, second])
    const seen = contents(nvram)
    t.strictSame(seen, [`${vendor} First 0x7 - 010203`, `${other} Second 0x3 - 78`])
    await nvram.close()
    t.strictSame(contents(open()), seen)
  })

  withStore('a variable is known by its whole name and its GUID', async (t, nvram) => {
    const names = ['A', 'a', 'AB', 'A\u00e9', '\ud83d\ude00', ' ']
    await nvram.set(names.map((name) => variable(name, name.slice(0, 1))))
    await nvram.set([{ ...variable('A', 'other'), guid: other }])
    t.equal(nvram.list().length, 7)
    t.strictSame([...nvram.get('A', other)!.data].length, 5)
    for (const name of names) t.equal(nvram.get(name, vendor)?.data[0], name.charCodeAt(0) & 0xff, JSON.stringify(name))
  })

  withStore('a new value replaces the old, with its attributes', async (t, nvram, open) => {
    await nvram.set([variable('Value', 'old')])
    await nvram.set([variable('Value', 'a longer one', 0x03)])
    t.equal(nvram.list().length, 1)
    await nvram.close()
    t.equal(open().get('Value', vendor)?.attributes, 0x03)
  })

  withStore('what a caller does to its bytes afterwards changes nothing', async (t, nvram) => {
    const data = Uint8Array.of(1, 2, 3)
    const done = nvram.set([variable('Mine', data)])
    data.fill(9)
    await done
    nvram.get('Mine', vendor)!.data.fill(7)
    t.strictSame([...nvram.get('Mine', vendor)!.data], [1, 2, 3])
  })

  withStore('a variable ends with null or no data; one that is not there may end too', async (t, nvram, open) => {
    await nvram.set([variable('One', '1'), variable('Two', '2'), variable('Three', '3')])
    await nvram.set([{ name: 'One', guid: vendor, data: null }, variable('Two', ''), variable('Four', '')])
    t.strictSame(nvram.list(), [{ name: 'Three', guid: vendor }])
    await nvram.close()
    t.strictSame(open().list(), [{ name: 'Three', guid: vendor }])
  })

  withStore('changes are made in their order', async (t, nvram) => {
    await nvram.set([
      variable('X', '1'),
      { name: 'X', guid: vendor, data: null },
      variable('X', '2'),
      variable('X', '3')
    ])
    t.strictSame(contents(nvram), [`${vendor} X 0x7 - 33`])
  })

  withStore('overlapping sets run one after the other', async (t, nvram) => {
    await Promise.all(
      Array.from({ length: 20 }, (_, i) => nvram.set([variable('Last', `${i}`), variable(`N${i}`, 'n')]))
    )
    t.equal(nvram.list().length, 21)
    t.strictSame([...nvram.get('Last', vendor)!.data], [0x31, 0x39])
  })

  withStore('space is the free space, and deletions restore it', async (t, nvram) => {
    const { free } = nvram.space
    await nvram.set([variable('Big', new Uint8Array(1000))])
    const taken = free - nvram.space.free
    t.ok(taken >= 1000 && taken < 1100, `${taken} bytes`)
    for (let i = 0; i < 100; i += 1) await nvram.set([variable('Big', new Uint8Array(1000).fill(i))])
    t.equal(free - nvram.space.free, taken)
    await nvram.set([{ name: 'Big', guid: vendor, data: null }])
    t.equal(nvram.space.free, free)
  })

  withStore('what does not fit is ENOSPC, and then nothing is changed', async (t, nvram) => {
    await nvram.set([variable('Kept', 'kept')])
    const half = new Uint8Array(Math.floor(nvram.space.largest / 2))
    const many = Array.from({ length: Math.ceil(nvram.space.free / half.length) + 1 }, (_, i) =>
      variable(`N${i}`, half)
    )
    const before = contents(nvram)
    await t.rejects(nvram.set([variable('Kept', 'changed'), ...many]), enospc)
    t.strictSame(contents(nvram), before)
    for (const each of many.slice(0, -2)) await nvram.set([each])
    await nvram.set([variable('Kept', 'changed')])
    await t.rejects(nvram.set(many.slice(-2)), enospc)
    await nvram.set([variable('N0', ''), variable('N1', 'small')])
    t.strictSame([...nvram.get('Kept', vendor)!.data].length, 7)
  })

  withStore('the largest variable fits, and one byte more is EINVAL', async (t, nvram) => {
    const overhead = nvram.space.free - (await after(nvram, [variable('L', 'xxxx')])) - 4
    const most = nvram.space.largest - overhead
    await t.rejects(nvram.set([variable('L', new Uint8Array(most + 1))]), einval)
    await nvram.set([variable('L', new Uint8Array(most).fill(1))])
    t.equal(nvram.get('L', vendor)?.data.length, most)
  })

  withStore('what no variable can be is EINVAL, and then nothing is changed', async (t, nvram) => {
    const refused: Partial<Variable>[] = [
      { name: '' },
      { name: 'a\0b' },
      { guid: '' },
      { guid: vendor.toUpperCase() },
      { guid: `{${vendor}}` },
      { guid: `${vendor}0` },
      { attributes: 0 },
      { attributes: 0x06 },
      { attributes: 0x01 },
      { attributes: 0x47 },
      { attributes: 0x107 },
      { attributes: -1 },
      { attributes: 7.5 },
      { attributes: Number.NaN }
    ]
    for (const wrong of refused) {
      const changes = [variable('Good', 'good'), { ...variable('Bad', 'bad'), ...wrong }]
      await t.rejects(nvram.set(changes), einval, JSON.stringify(wrong))
    }
    t.strictSame(nvram.list(), [])
  })

  withStore('only a time-based variable has a time: the one wanted, or the present one', async (t, empty, open) => {
    await empty.close()
    const now = new Date('2031-05-06T07:08:09Z')
    const nvram = open(() => now)
    await nvram.acquire()
    const wanted = new Date('2020-01-02T03:04:05Z')
    await nvram.set([
      { ...variable('Plain', 'x'), timestamp: wanted },
      variable('Now', 'x', timeBased),
      { ...variable('Wanted', 'x', timeBased), timestamp: wanted }
    ])
    const times = ['Plain', 'Now', 'Wanted'].map((name) => nvram.get(name, vendor)?.timestamp)
    t.strictSame(times, [undefined, now, wanted])
  })

  withStore('a time neither decreases nor lies in the future', async (t, empty, open) => {
    await empty.close()
    let now: Date | undefined = new Date('2031-01-01T00:00:00Z')
    const nvram = open(() => now)
    await nvram.acquire()
    const time = () => nvram.get('Keys', vendor)?.timestamp?.toISOString().slice(0, 10)
    const set = (data: string, timestamp?: Date) => nvram.set([{ ...variable('Keys', data, timeBased), timestamp }])
    await set('1', new Date('2040-01-01T00:00:00Z'))
    t.equal(time(), '2031-01-01')
    now = new Date('2030-01-01T00:00:00Z')
    await set('2')
    t.equal(time(), '2031-01-01')
    now = undefined
    await set('3')
    t.equal(time(), '2031-01-01')
    await set('', undefined)
    await set('4')
    t.equal(time(), '2010-01-01', 'without a clock and an old time')
  })

  withStore('it is written only between acquire and release', async (t, nvram, open) => {
    await nvram.set([variable('Here', '1')])
    await nvram.release()
    await nvram.release()
    await t.rejects(nvram.set([variable('Here', '2')]), erofs)
    t.strictSame([...nvram.get('Here', vendor)!.data], [0x31], 'and is read all the time')
    await nvram.acquire()
    await nvram.acquire()
    await nvram.set([variable('Here', '3')])
    await nvram.close()
    const again = open()
    await t.rejects(again.set([variable('Here', '4')]), erofs)
    t.strictSame([...again.get('Here', vendor)!.data], [0x33])
  })

  withStore('closed, it is ENODEV', async (t, nvram) => {
    const gone = { name: 'HalError', code: 'ENODEV' }
    await nvram.close()
    await t.rejects(nvram.acquire(), gone)
    await t.rejects(nvram.set([]), gone)
    await t.rejects(nvram.release(), gone)
    await t.rejects(nvram.close(), gone)
  })
}

/** Free space after some changes. */
async function after(nvram: Nvram, changes: readonly Variable[]): Promise<number> {
  await nvram.set(changes)
  return nvram.space.free
}
