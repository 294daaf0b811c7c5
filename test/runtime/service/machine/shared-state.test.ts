import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { HalError } from '#hal/errors.ts'
import type { PowerLimitSetting } from '#hal/power-limit.ts'
import type { SharedState } from '#hal/shared-state.ts'
import { Listeners } from '#runtime/base/listeners.ts'
import { type Event, MessageError } from '#runtime/contract'
import { attachShared } from '#runtime/service/machine/shared-state.ts'
import { Store } from '#runtime/store/store.ts'

/** The limit of chassis 1, which another program holds. */
async function attached(t: Test) {
  const path = mkdtempSync(join(tmpdir(), 'minnow-store-'))
  t.teardown(() => rmSync(path, { recursive: true, force: true }))
  const store = await Store.open(path, { cache: 65536, writeBuffer: 65536, reserve: 0, checkpointEvery: 300 })
  t.teardown(() => store.close())
  const listeners = new Listeners<void>()
  let state: PowerLimitSetting | undefined = { watts: 400, enabled: false }
  let refusal: HalError | undefined
  const become = (next: PowerLimitSetting | undefined) => {
    state = next
    listeners.emit()
  }
  const device: SharedState<PowerLimitSetting> = {
    get state() {
      return state
    },
    async set(change) {
      if (refusal !== undefined) throw refusal
      become({ watts: 0, enabled: false, ...state, ...change })
    },
    on: (listener) => listeners.add(listener)
  }
  const events: string[] = []
  const emit = ({ message, origin }: Event) => events.push(`${message.key} ${origin}`)
  const end = attachShared(
    store,
    { emit },
    {
      table: 'powerLimit',
      devices: new Map([['1', device]]),
      members: { watts: 'watts', enabled: 'enabled' },
      uri: (key) => `/limits/${key}`
    }
  )
  const refuse = (error: HalError) => {
    refusal = error
  }
  return { store, become, refuse, events, end, record: () => store.get('powerLimit', '1') }
}

t.test('the state is in the record beside what is stored, and a write changes it', async (t) => {
  const { store, events, record } = await attached(t)
  t.same(record(), { watts: 400, enabled: false })
  await store.commit({ powerLimit: { 1: { enabled: true, exception: 'HardPowerOff' }, 2: { watts: 500 } } })
  t.same(record(), { watts: 400, enabled: true, exception: 'HardPowerOff' })
  t.same(store.get('powerLimit', '2'), { watts: 500 })
  t.same(events, [], 'the write is an event of its own')
})

t.test('a change by another program is an event, and the end of an absence is not', async (t) => {
  const { become, events, record } = await attached(t)
  become({ watts: 350, enabled: false })
  const change = ['ResourceEvent.ResourceChanged /limits/1']
  t.same([record(), events], [{ watts: 350, enabled: false }, change])
  become(undefined)
  t.same(record(), { watts: null, enabled: null })
  become({ watts: 350, enabled: false })
  t.same([record(), events], [{ watts: 350, enabled: false }, change])
  become(undefined)
  become({ watts: 300, enabled: false })
  t.same(events, [...change, ...change], 'what changed meanwhile is one')
})

t.test('what the device refuses is a message, and nothing is stored', async (t) => {
  const { store, refuse, record } = await attached(t)
  refuse(new HalError('ENODEV', 'powerLimit-1: the bus does not tell the state'))
  const refused = store.commit({ powerLimit: { 1: { watts: 500, exception: 'NoAction' } } })
  const error = await refused.then(
    () => undefined,
    (error: unknown) => error
  )
  t.type(error, MessageError)
  t.match(error, { status: 503 })
  t.same(record(), { watts: 400, enabled: false })
})

t.test('once it is closed, the record is what is stored', async (t) => {
  const { store, end, become, record } = await attached(t)
  await store.commit({ powerLimit: { 1: { correction: 5 } } })
  await end.close()
  become({ watts: 1, enabled: true })
  t.same(record(), { correction: 5 })
})
