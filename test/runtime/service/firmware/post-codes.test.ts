// Each noun declares its tables when it is loaded, which the handlers of the product see to.
import '#generated'
import t, { type Test } from 'tap'
import { configuration } from '#data/configuration'
import type { PostCodes } from '#hal/post-codes.ts'
import type { Power } from '#hal/power.ts'
import { Listeners } from '#runtime/base/listeners.ts'
import type { Event } from '#runtime/contract'
import { keepPostCodes } from '#runtime/service/firmware/post-codes.ts'
import { Store } from '#runtime/store/store.ts'

/** A host whose port a test writes to. Codes are stored when the keeping is closed: its pause lasts longer than a test. */
async function open(t: Test, pause = 1_000_000) {
  const store = await Store.open(`${t.testdir()}/store`, configuration.store)
  t.teardown(() => store.close())
  const clock = { now: () => Date.parse('2025-06-01T12:00:00Z'), elapsed: () => elapsed }
  let elapsed = 5000
  const told: string[] = []
  const writes = (events: readonly Event[]) => {
    for (const { message, origin } of events) told.push(`${message.key} ${origin}`)
    return {}
  }
  const [power, port] = [new Listeners<{ type: string }>(), new Listeners<Uint8Array>()]
  const devices = {
    power: new Map([['1', { on: power.add.bind(power) } as unknown as Power]]),
    postCodes: new Map([['1', { on: port.add.bind(port) } as unknown as PostCodes]])
  }
  return {
    store,
    ...keepPostCodes(store, { writes }, devices, clock, pause),
    told,
    boot: () => power.emit({ type: 'boot' }),
    say: (...codes: number[]) => port.emit(Uint8Array.from(codes)),
    wait(time: number) {
      elapsed += time
    },
    kept: () => store.keys('postCodes').map((key) => [key, store.get('postCodes', key)])
  }
}

const started = '2025-06-01T12:00:00.000Z'

t.test('the codes of each boot are a record, with times since its first code', async (t) => {
  const { boot, say, wait, close, kept, told } = await open(t)
  boot()
  say(0x01, 0x19)
  wait(120)
  say(0xad)
  boot()
  say(0x02)
  await close()
  say(0x03)
  t.same(kept(), [
    ['1/0000000001', { started, codes: '0119ad', times: [0, 0, 120], dropped: 0 }],
    ['1/0000000002', { started, codes: '02', times: [0], dropped: 0 }]
  ])
  const changed = 'ResourceEvent.ResourceChanged /redfish/v1/Systems/1/LogServices/PostCodes'
  t.same(told, [changed, changed], 'an event for each write')
})

t.test('of boots the last five are kept', async (t) => {
  const { boot, say, close, kept } = await open(t)
  say(0)
  for (let count = 0; count < 5; count++) {
    boot()
    say(count)
  }
  await close()
  t.same(
    kept().map(([key]) => key),
    [2, 3, 4, 5, 6].map((number) => `1/000000000${number}`)
  )
})

t.test('a flood of codes is cut off at its beginning', async (t) => {
  const flood = await open(t)
  flood.say(...Array.from({ length: 300 }, (_, code) => code))
  flood.say(0xee)
  await flood.close()
  const [[, record]] = flood.kept() as [[string, { codes: string; times: number[]; dropped: number }]]
  t.same([record.codes.length, record.times.length, record.dropped], [512, 256, 45])
  t.match(record.codes, /2bee$/)
})

t.test('codes are stored after the pause, and later ones after twice the pause', async (t) => {
  const { store, say, close, kept } = await open(t, 1)
  const stored = () =>
    new Promise<void>((resolve) => {
      const stop = store.onCommit(() => {
        stop()
        resolve()
      })
    })
  const first = stored()
  say(1)
  await first
  const second = stored()
  say(2)
  await second
  t.match(kept(), [['1/0000000001', { codes: '0102' }]])
  await close()
})

t.test('a disk that refuses them costs a warning', async (t) => {
  const { store, say, close } = await open(t)
  const warnings: string[] = []
  store.log.lines.add(({ text }) => warnings.push(JSON.parse(text).message))
  await store.close()
  say(1)
  await close()
  t.same(warnings, ['POST codes were not stored'])
})

t.test('a host that reports codes all the time is stored ever more rarely, but once a day', async (t) => {
  const { boot, say, close } = await open(t, 1000)
  const delays: number[] = []
  const { setTimeout } = globalThis
  t.teardown(() => {
    globalThis.setTimeout = setTimeout
  })
  globalThis.setTimeout = ((run: () => void, delay: number) => {
    delays.push(delay)
    queueMicrotask(run)
    return setTimeout(() => undefined, 0)
  }) as typeof setTimeout
  for (let count = 0; count < 40; count++) {
    say(1)
    await Promise.resolve()
  }
  boot()
  say(1)
  globalThis.setTimeout = setTimeout
  await close()
  t.same(delays.slice(0, 3), [1000, 2000, 4000])
  t.same(delays.slice(-2), [86_400_000, 1000], 'and at first anew in the next boot')
})
