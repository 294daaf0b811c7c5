import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { Listeners } from '#runtime/base/listeners.ts'
import type { Tables } from '#runtime/contract'
import type { Source } from '#runtime/store/attached.ts'
import { Store } from '#runtime/store/store.ts'

const options = { cache: 65536, writeBuffer: 65536, reserve: 0, checkpointEvery: 300 }

type System = Tables['system']

/** A program that holds the asset tags and boot overrides of systems. */
function owner(decides = false) {
  const records = new Map<string, Partial<System>>()
  const listeners = new Listeners<string>()
  const written: unknown[] = []
  const told: (string | undefined)[] = []
  let refusal: Error | undefined
  const set = (key: string, members: Partial<System> | null) => {
    if (members === null) records.delete(key)
    else records.set(key, { ...records.get(key), ...members })
    listeners.emit(key)
  }
  const source: Source<'system'> = {
    members: ['assetTag', 'bootOverrideTarget'],
    decides,
    keys: () => records.keys(),
    get: (key) => records.get(key),
    async write(key, members) {
      if (refusal !== undefined) throw refusal
      written.push([key, members])
      set(key, members)
    },
    on: (listener) => listeners.add((key) => told.push(listener(key)))
  }
  return {
    source,
    set,
    written,
    told,
    refuse(error: Error | undefined) {
      refusal = error
    }
  }
}

async function opened(t: Test, path = mkdtempSync(join(tmpdir(), 'minnow-store-'))) {
  const store = await Store.open(path, options)
  t.teardown(() => rmSync(path, { recursive: true, force: true }))
  return { store, path }
}

t.test('readers see the members of the source beside those of the disk, and its changes as commits', async (t) => {
  const { store } = await opened(t)
  await store.commit({ system: { 1: { bootStop: 'Never', assetTag: 'old' } } })
  const { source, set } = owner()
  set('1', { assetTag: 'A-1' })
  store.attach('system', source)
  t.same(store.get('system', '1'), { bootStop: 'Never', assetTag: 'A-1' })
  const seen: string[] = []
  store.on('system', (key) => seen.push(key))
  const before = store.revisions.of('system/1')
  set('1', { assetTag: 'A-2' })
  t.ok(store.revisions.of('system/1') > before)
  const after = store.revisions.of('system/1')
  set('1', { assetTag: 'A-2' })
  t.equal(store.revisions.of('system/1'), after, 'the same is no change')
  const list = store.revisions.of('system/')
  set('2', { assetTag: 'B-1' })
  t.same(store.keys('system'), ['1', '2'])
  t.ok(store.revisions.of('system/') > list)
  t.same(seen, ['1', '2'])
  await store.close()
})

t.test(
  'a write goes to the source first, the rest of it to the disk, and the source survives no restart',
  async (t) => {
    const { store, path } = await opened(t)
    const { source, written, set } = owner()
    set('1', {})
    store.attach('system', source)
    await store.commit({ system: { 1: { assetTag: 'A-1', bootStop: 'Never' } } })
    t.same(written, [['1', { assetTag: 'A-1' }]])
    t.same(store.get('system', '1'), { assetTag: 'A-1', bootStop: 'Never' })
    await store.commit({ system: { 1: { bootStop: 'Never' } } })
    t.equal(written.length, 1, 'nothing of it is for the source')
    await store.checkpoint()
    await store.close()
    const { store: again } = await opened(t, path)
    t.same(again.get('system', '1'), { bootStop: 'Never' })
    await again.close()
  }
)

t.test('a source is told what another program has done, and nothing of what a commit does', async (t) => {
  const { store } = await opened(t)
  const { source, set, told, refuse } = owner(true)
  store.attach('system', source)
  set('1', { assetTag: 'A-1' })
  set('1', { assetTag: 'A-2' })
  set('1', { assetTag: 'A-2' })
  await store.commit({ system: { 1: { assetTag: 'A-3' }, 2: { assetTag: 'B-1' } } })
  refuse(new Error('no'))
  await t.rejects(store.commit({ system: { 1: { assetTag: 'A-4' } } }))
  set('1', null)
  t.same(told, ['Created', 'Changed', undefined, undefined, undefined, 'Removed'])
  await store.close()
})

t.test('what a source refuses is not stored either', async (t) => {
  const { store } = await opened(t)
  const { source, set, refuse } = owner()
  set('1', { assetTag: 'A-1' })
  store.attach('system', source)
  refuse(new Error('no'))
  const revision = store.revisions.of('system/1')
  await t.rejects(store.commit({ system: { 1: { assetTag: 'A-2', bootStop: 'Never' } } }), { message: 'no' })
  t.same(store.get('system', '1'), { assetTag: 'A-1' })
  t.equal(store.revisions.of('system/1'), revision)
  refuse(undefined)
  await store.commit({ system: { 1: null } })
  t.equal(store.get('system', '1'), undefined)
  t.same(store.keys('system'), [])
  await store.close()
})

t.test('records that a source does not have are on disk as a whole, unless it decides', async (t) => {
  for (const decides of [false, true]) {
    const { store } = await opened(t)
    const { source, written } = owner(decides)
    store.attach('system', source)
    await store.commit({ system: { 2: { assetTag: 'B-1' } } })
    t.same(written, decides ? [['2', { assetTag: 'B-1' }]] : [])
    t.same(store.get('system', '2'), { assetTag: 'B-1' })
    await store.close()
  }
})

t.test('a record that its source holds as a whole is not on disk', async (t) => {
  const { store, path } = await opened(t)
  await store.commit({ system: { 2: { bootStop: 'Never' } } })
  const { source, set } = owner(true)
  set('1', { assetTag: 'A-1' })
  set('2', {})
  const end = store.attach('system', source)
  await store.commit({ system: { 1: { assetTag: 'A-2' }, 2: { assetTag: 'B-1' } } })
  t.same(
    [store.get('system', '1'), store.get('system', '2')],
    [{ assetTag: 'A-2' }, { assetTag: 'B-1', bootStop: 'Never' }]
  )
  end()
  t.same(store.keys('system'), ['2'])
  await store.close()
  const { store: again } = await opened(t, path)
  t.same(again.keys('system'), ['2'])
  await again.close()
})

t.test('a source that removes several records at once is asked once, after which the rest is written', async (t) => {
  const { store } = await opened(t)
  const { source, set, written } = owner(true)
  const removed: unknown[] = []
  const remove = async (keys: readonly string[]) => {
    removed.push(keys)
    for (const key of keys) set(key, null)
  }
  for (const key of ['1', '2', '3']) set(key, { assetTag: key })
  store.attach('system', { ...source, remove })
  await store.commit({ system: { 1: null, 2: { assetTag: 'B-1' }, 3: null, 4: null } })
  t.same([removed, written], [[['1', '3']], [['2', { assetTag: 'B-1' }]]])
  t.same(store.keys('system'), ['2'])
  await store.close()
})

t.test('a source that decides hides what the disk has of records that it does not have', async (t) => {
  const { store } = await opened(t)
  await store.commit({ system: { 1: { bootStop: 'Never' }, 2: { bootStop: 'Never' } } })
  const { source, set } = owner(true)
  set('1', { assetTag: 'A-1' })
  const end = store.attach('system', source)
  t.same(store.keys('system'), ['1'])
  set('2', { assetTag: 'B-1' })
  t.same(store.get('system', '2'), { bootStop: 'Never', assetTag: 'B-1' })
  set('2', null)
  t.equal(store.get('system', '2'), undefined)
  end()
  t.same(store.keys('system'), ['1', '2'])
  await store.close()
})
