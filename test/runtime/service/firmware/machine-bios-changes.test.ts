// Each noun declares its tables when it is loaded, which the handlers of the product see to.
import '#generated'
import { gunzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import type { Board } from '#data/board'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { configuration } from '#data/configuration'
import type { BiosAttribute, BiosSettings, BiosState } from '#hal/bios.ts'
import { HalError } from '#hal/errors.ts'
import { Listeners } from '#runtime/base/listeners.ts'
import type { Event } from '#runtime/contract'
import { MachineBios } from '#runtime/service/firmware/machine-bios.ts'
import { documentsPath } from '#runtime/store/documents.ts'
import { Store } from '#runtime/store/store.ts'

const attribute = (name: string, more: Partial<BiosAttribute>): BiosAttribute => ({
  ...{
    name,
    type: 'Integer',
    isReadOnly: false,
    displayName: name,
    description: '',
    menu: [],
    standard: 1,
    options: []
  },
  ...{ least: undefined, most: undefined, step: undefined },
  ...more
})

const attributes = [
  attribute('Delay', { most: 9 }),
  attribute('Name/1', { type: 'String', standard: 'a' }),
  attribute('Serial', { type: 'String', isReadOnly: true })
]
const running: BiosState = {
  ...{ current: { Delay: 1, 'Name/1': 'a', Serial: 'S' }, pending: {}, reset: false, takesPasswords: true }
}
const registry = 'registries/BiosAttributeRegistry.v1_0_0.json'
const bios = '/redfish/v1/Systems/1/Bios'
const [currentChanged, pendingChanged] = [bios, `${bios}/Settings`].map(
  (uri) => `ResourceEvent.ResourceChanged ${uri} `
)

/** The settings of system 1, which another program holds, with the calls that it gets and the events about them. */
async function open(t: Test, first: BiosState | undefined = running) {
  const store = await Store.open(`${t.testdir()}/store`, configuration.store)
  t.teardown(() => store.close())
  const listeners = new Listeners<void>()
  const [told, calls]: [string[], unknown[]] = [[], []]
  let [state, edition, refusal] = [first as BiosState | undefined, 1, undefined as HalError | undefined]
  const become = (next: Partial<BiosState> | undefined, of = edition) => {
    edition = of
    state = next && { ...running, ...state, ...next }
    listeners.emit()
  }
  const device = {
    get state() {
      return state
    },
    get edition() {
      return edition
    },
    attributes: () => attributes,
    async ask(pending: BiosState['pending'], reset: boolean) {
      if (refusal !== undefined) throw refusal
      calls.push([pending, reset])
      become({ pending, reset })
    },
    async changePassword(...args: string[]) {
      if (refusal !== undefined) throw refusal
      calls.push(args)
    },
    on: (listener: () => void) => listeners.add(listener)
  } as unknown as BiosSettings
  const events = {
    emit: ({ message: { key, args }, origin }: Event) => told.push(`${key} ${origin} ${args}`)
  }
  const board = sim as Board
  const system = { ...board.systems['1']!, attributeRegistry: 'BiosAttributeRegistry.v1_0_0' }
  const now = () => Date.parse('2025-06-01T12:00:00Z')
  const held = new MachineBios(store, events, { ...board, systems: { 1: system } }, new Map([['1', device]]), now)
  const commit = (change: object | null) =>
    store.commit({ biosPending: { 1: change } } as never).then(
      () => 'taken',
      (error) =>
        `${error.status} ${error.messages.map(({ key, args }: { key: string; args: string[] }) => `${key} ${args}`)}`
    )
  return {
    ...{ store, held, become, told, calls, commit },
    current: () => store.get('biosCurrent', '1'),
    pending: () => store.get('biosPending', '1'),
    fail: (code: ConstructorParameters<typeof HalError>[0] | undefined) => {
      refusal = code && new HalError(code, 'the settings')
    }
  }
}

t.test('a request changes what is pending, whose event it has by itself', async (t) => {
  const { told, calls, commit, pending, become } = await open(t)
  t.equal(pending(), undefined)
  t.equal(await commit({ attributes: { Delay: 3 }, reset: false, passwords: {} }), 'taken')
  t.same(pending(), { attributes: { Delay: 3 }, reset: false, passwords: {} })
  t.equal(await commit({ reset: true }), 'taken')
  t.equal(await commit({ attributes: { Delay: 3, 'Name/1': 'b' }, passwords: { User: '' } }), 'taken')
  t.equal(await commit(null), 'taken')
  t.equal(pending(), undefined)
  t.same(calls, [
    [{ Delay: 3 }, false],
    [{ Delay: 3 }, true],
    [{ Delay: 3, 'Name/1': 'b' }, true],
    [{}, false]
  ])
  t.same(told, [])
  become({ pending: { Delay: 4 } })
  become({ reset: true })
  t.same(told, [pendingChanged, pendingChanged], 'a change by another program is an event')
})

t.test('values that the registry or the program does not allow are refused, and so are passwords', async (t) => {
  const { store, calls, commit, fail, become } = await open(t)
  for (const [change, expected] of [
    [{ attributes: { Delay: 10 } }, /^400 Base\.PropertyValue\w+ 10,Delay$/],
    [
      { attributes: { Delay: 9, Serial: 'T', Colour: 1 } },
      /^400 Base\.PropertyNotWritable Serial,Base\.PropertyUnknown Colour$/
    ],
    [{ attributes: {}, passwords: { User: 'hash' } }, /^400 Base\.ActionNotSupported Bios\.ChangePassword$/]
  ] as const)
    t.match(await commit(change), expected)
  const error = await store
    .commit({ biosPending: { 1: { attributes: { 'Name/1': 7 }, reset: false, passwords: {} } } })
    .catch((error) => error)
  t.match(error.messages, [{ related: ['#/Attributes/Name~11'] }])
  for (const [code, expected] of [
    ['EINVAL', '400 Base.PropertyValueError Attributes'],
    ['ENODEV', '503 ']
  ] as const) {
    fail(code)
    t.match(await commit({ attributes: { Delay: 2 } }), expected)
  }
  t.same(calls, [])
  fail(undefined)
  become({ pending: { Serial: 'T' } })
  t.equal(await commit({ attributes: { Serial: 'T', Delay: 2 } }), 'taken', 'what was pending before is not judged')
})

t.test('the current settings are for the firmware alone to set', async (t) => {
  const { store, current } = await open(t)
  t.same(current(), {
    ...{ attributes: running.current, passwords: {}, takesPasswords: true, messages: [] },
    transferredAt: undefined
  })
  const error = await store.commit({ biosCurrent: { 1: { attributes: {} } } } as never).catch((error) => error)
  t.match(error, { status: 409 })
})

t.test(
  'a start of the firmware that takes what is pending is a transfer, with the values that it did not take',
  async (t) => {
    const { told, current, become } = await open(t)
    become({ pending: { Delay: 3, 'Name/1': 'b' } })
    become({ pending: {} })
    become({ current: { ...running.current, Delay: 3 } })
    t.same(told.splice(0), [
      pendingChanged,
      pendingChanged,
      `MgmtEvents.BiosSettingsTransferred ${bios} 1`,
      currentChanged
    ])
    t.match(current(), {
      attributes: { Delay: 3 },
      transferredAt: '2025-06-01T12:00:00.000Z',
      messages: [
        { key: 'Base.Success' },
        { key: 'Base.PropertyNotWritable', args: ['Name/1'], related: ['#/Attributes/Name~11'] }
      ]
    })
    become({ current: { ...running.current, Delay: 4 } })
    t.same(told.splice(0), [currentChanged], 'the next start takes nothing')
    become({ reset: true })
    become({ reset: false })
    become({ pending: { Delay: 5 } })
    become({ current: { ...running.current, Delay: 5 } })
    t.same(told.splice(0), [pendingChanged, pendingChanged, pendingChanged, currentChanged], 'it waits again')
  }
)

t.test('settings that a request takes out are not transferred', async (t) => {
  const { told, commit, become } = await open(t)
  become({ pending: { Delay: 3 } })
  t.equal(await commit(null), 'taken')
  become({ current: { ...running.current, Delay: 2 } })
  t.same(told, [pendingChanged, currentChanged])
})

t.test('a program that goes and comes back is no change, and one that changed something meanwhile is', async (t) => {
  const { store, told, held, current, pending, become } = await open(t)
  const page = { gzip: new Uint8Array(), tag: 'a' }
  const own = { get: (name: string) => (name === 'a.json' ? page : undefined), names: ['a.json', registry] }
  const documents = held.documents(own)
  t.same(documents.names, ['a.json', registry])
  t.equal(documents.get('a.json'), page)
  const shown = JSON.parse(String(gunzipSync(documents.get(registry)!.gzip)))
  t.match(shown.RegistryEntries.Attributes, [{ AttributeName: 'Delay', UpperBound: 9 }, {}, { ReadOnly: true }])
  const revision = () => store.revisions.of(documentsPath)
  let before = revision()
  const moves = (change: () => void) => {
    before = revision()
    change()
    return revision() !== before
  }
  t.equal(
    moves(() => become(undefined)),
    true
  )
  t.same(
    [current(), pending(), documents.get(registry), documents.names],
    [undefined, undefined, undefined, ['a.json']]
  )
  t.equal(
    moves(() => become(running)),
    true
  )
  t.same(told, [])
  t.equal(
    moves(() => become({ pending: { Delay: 2 } })),
    false
  )
  t.equal(
    moves(() => become({}, 2)),
    true,
    'other attributes'
  )
  told.length = 0
  become(undefined)
  become({ ...running, pending: { Delay: 8 } })
  t.same(told, [pendingChanged])
})

t.test('a password is changed by the firmware, and a wrong one is an error of the request', async (t) => {
  const { held, calls, fail } = await open(t)
  const secrets = { open: (sealed: string) => (sealed === '' ? undefined : sealed.slice(1)) }
  const change = (present: string) =>
    held.changePassword({ kind: 'changeBiosPassword', system: '1', whose: 'User', present, next: '!new' }, secrets)
  await change('!old')
  await change('')
  t.same(calls, [
    ['User', 'old', 'new'],
    ['User', '', 'new']
  ])
  for (const [code, expected] of [
    ['EINVAL', { status: 400, messages: [{ args: ['OldPassword', 'Bios.ChangePassword'] }] }],
    ['ENODEV', { status: 503 }]
  ] as const) {
    fail(code)
    t.match(await change('!old').catch((error) => error), expected, code)
  }
})

t.test('after its end the settings are not followed', async (t) => {
  const { held, told, current, become } = await open(t)
  held.close()
  become({ current: { Delay: 7 } })
  t.same([told, current()], [[], undefined])
})
