import t from 'tap'
import { configuration } from '#data/configuration'
import type { SharedState } from '#hal/shared-state.ts'
import type { UserPolicy, Users } from '#hal/users.ts'
import { Listeners } from '#runtime/base/listeners.ts'
import type { Event } from '#runtime/contract'
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
