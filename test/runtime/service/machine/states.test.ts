// Each noun declares its tables when it is loaded, which the handlers of the product see to.
import '#generated'
import t from 'tap'
import { configuration } from '#data/configuration'
import type { SharedState } from '#hal/shared-state.ts'
import type { UserPolicy, Users } from '#hal/users.ts'
import { Listeners } from '#runtime/base/listeners.ts'
import type { Event, Tables } from '#runtime/contract'
import type { Devices } from '#runtime/service/machine/machine.ts'
import { attachStates } from '#runtime/service/machine/states.ts'
import { Store } from '#runtime/store/store.ts'

/** Without any. */
const devices: Devices = {
  ...{ power: new Map(), bios: new Map(), bootOverrides: new Map(), indicators: new Map(), nvram: new Map() },
  ...{ sensors: new Map(), powerLimits: new Map(), media: new Map(), ports: new Map(), networks: new Map() },
  ...{ firmware: new Map(), consoles: new Map(), postCodes: new Map(), drives: new Map(), eventLogs: new Map() },
  ...{ dumps: new Map(), watchdogs: new Map() }
}

t.test('the rules for passwords are those of the program that has the users of the machine', async (t) => {
  const store = await Store.open(`${t.testdir()}/store`, configuration.store)
  t.teardown(() => store.close())
  const told: string[] = []
  const events = { emit: ({ message, origin }: Event) => told.push(`${message.key} ${origin}`) }
  const rules = () => store.get('accountService', 'settings')
  t.same(attachStates(store, events, devices), [], 'no other program has any')

  const listeners = new Listeners<void>()
  let state: UserPolicy = { shortestPassword: 8, lockoutThreshold: 5, lockoutDuration: 60 }
  const become = (change: Partial<UserPolicy>) => {
    state = { ...state, ...change }
    listeners.emit()
  }
  const policy: SharedState<UserPolicy> = {
    get state() {
      return state
    },
    set: async (change) => become(change),
    on: (listener) => listeners.add(listener)
  }
  const attached = attachStates(store, events, { ...devices, users: { policy } as Users })
  t.same(rules(), { minPasswordLength: 8, lockoutThreshold: 5, lockoutDuration: 60 })
  await store.commit({ accountService: { settings: { minPasswordLength: 10, lockoutThreshold: 3 } } })
  t.same(state, { shortestPassword: 10, lockoutThreshold: 3, lockoutDuration: 60 })
  t.same(told, [])
  become({ lockoutDuration: 0 })
  t.match(rules(), { minPasswordLength: 10, lockoutThreshold: 3, lockoutDuration: 0 })
  t.same(told, ['ResourceEvent.ResourceChanged /redfish/v1/AccountService'])
  for (const each of attached) await each.close()
  t.equal(rules(), undefined)
})

interface Case {
  readonly table: keyof Tables
  /** The states before and after a change, and the member of each in the record, where that has another name. */
  readonly states: readonly [object, object]
  readonly names?: { readonly [member: string]: string }
  /** The device of system, chassis or manager 1, which has the state; and those of others, which have none to show. */
  readonly place: (state: never) => Partial<Devices>
  readonly resource: string
}

const none = {} as never
const secureBoot = { current: 'Enabled', enabled: true, mode: 'User' }

const cases: readonly Case[] = [
  {
    table: 'powerRestore',
    states: [{ policy: 'AlwaysOn' }, { policy: 'LastState' }],
    place: (restore) => ({ power: new Map(Object.entries({ 1: { restore } as never, 2: none })) }),
    resource: 'Systems/1'
  },
  {
    table: 'system',
    states: [
      { enabled: 'Once', target: 'Pxe', mode: 'UEFI' },
      { enabled: 'Continuous', target: 'Cd', mode: 'Legacy' }
    ],
    names: { enabled: 'bootOverrideEnabled', target: 'bootOverrideTarget', mode: 'bootOverrideMode' },
    place: (state) => ({ bootOverrides: new Map([['1', state]]) }),
    resource: 'Systems/1'
  },
  {
    table: 'secureBoot',
    states: [secureBoot, { ...secureBoot, enabled: false }],
    place: (state) => ({
      bios: new Map(Object.entries({ 1: { secureBoot: state } as never, 2: none })),
      nvram: new Map([['2', none]])
    }),
    resource: 'Systems/1/SecureBoot'
  },
  {
    table: 'powerLimit',
    states: [
      { watts: 400, enabled: true },
      { watts: 300, enabled: false }
    ],
    place: (shared) => ({ powerLimits: new Map(Object.entries({ 1: { shared } as never, 2: none })) }),
    resource: 'Chassis/1/Controls/PowerLimit'
  },
  {
    table: 'hostWatchdog',
    states: [
      { enabled: true, action: 'None' },
      { enabled: false, action: 'PowerDown' }
    ],
    place: (state) => ({ watchdogs: new Map([['1', state]]) }),
    resource: 'Systems/1'
  },
  {
    table: 'hostNames',
    states: [
      { hostName: 'bmc', domain: 'a.example' },
      { hostName: 'bmc-2', domain: 'b.example' }
    ],
    place: (names) => ({ networks: new Map([['1', { names, times: unknown } as never]]) }),
    resource: 'Managers/1/NetworkProtocol'
  },
  {
    table: 'clock',
    states: [
      { ntp: true, timeServers: ['192.0.2.1'] },
      { ntp: false, timeServers: [] }
    ],
    place: (times) => ({ networks: new Map([['1', { names: unknown, times } as never]]) }),
    resource: 'Managers/1/NetworkProtocol'
  }
]

const unknown = { state: undefined, on: () => () => undefined }

for (const { table, states, names = {}, place, resource } of cases)
  t.test(`the ${table} that another program holds is a record, and its change an event of ${resource}`, async (t) => {
    const store = await Store.open(`${t.testdir()}/store`, configuration.store)
    t.teardown(() => store.close())
    const told: string[] = []
    const events = { emit: ({ message, origin }: Event) => told.push(`${message.key} ${origin}`) }
    const listeners = new Listeners<void>()
    let [state] = states
    const device = {
      get state() {
        return state
      },
      on: (listener: () => void) => listeners.add(listener)
    }
    const attached = attachStates(store, events, { ...devices, ...place(device as never) })
    const shown = (of: object) =>
      Object.fromEntries(Object.entries(of).map(([name, value]) => [names[name] ?? name, value]))
    t.same([store.get(table, '1'), store.get(table, '2')], [shown(states[0]), undefined])
    ;[, state] = states
    listeners.emit()
    t.same(store.get(table, '1'), shown(states[1]))
    t.same(told, [`ResourceEvent.ResourceChanged /redfish/v1/${resource}`])
    for (const each of attached) await each.close()
    t.equal(store.get(table, '1'), undefined)
  })
