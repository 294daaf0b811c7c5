// Each noun declares its tables when it is loaded, which the handlers of the product see to.
import '#generated'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import type { Board } from '#data/board'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { configuration } from '#data/configuration'
import type { ControllerPending, ControllerWork } from '#data/manager'
import { type Preserved, type Reset, table } from '#runtime/contract'
import { Events } from '#runtime/service/events/events.ts'
import { resetController } from '#runtime/service/manager/controller-reset.ts'
import { Store } from '#runtime/store/store.ts'

declare module '#runtime/contract' {
  interface Tables {
    rainGauge: { millimetres: number }
  }
}

const board = sim as Board

/** A controller that starts while some work waits, over what clients have left. */
async function started(t: Test, ...work: ControllerWork[]) {
  return startedAfter(t, Object.fromEntries(work.map((each) => [each, { user: 'admin' }])))
}

async function startedAfter(
  t: Test,
  controllerPending: { readonly [work in ControllerWork]?: ControllerPending },
  atBoard = false,
  refusal?: Error
) {
  const data = t.testdir()
  const store = await Store.open(`${data}/store`, configuration.store)
  t.teardown(() => store.close())
  for (const each of ['tls', 'keys', 'machine', 'store.damaged']) {
    mkdirSync(`${data}/${each}`)
    writeFileSync(`${data}/${each}/file`, '')
  }
  await store.commit({
    account: { admin: { name: 'admin' } },
    session: { 'admin-1': { user: 'admin' } },
    biosCurrent: { 1: { attributes: { QuietBoot: false } } },
    biosPending: { 1: { attributes: { QuietBoot: true } } },
    license: { 1: { key: 'x' } },
    clock: { 1: { timeServers: ['192.0.2.1'] } },
    event: { '0001': { text: 'It rains.' } },
    logEntry: { 'Managers/1/EventLog/0000000041': { text: 'It rains.' } },
    manager: { 1: { cloudConnect: true } },
    managerIdentity: { 1: { uuid: 'a', serviceEntryPointUuid: 'b' } },
    portSettings: { '1/1': { mtu: 1400 } },
    userCertificate: { admin: { pem: 'x' } },
    controllerPending
  })
  if (atBoard) writeFileSync(`${data}/factory-reset`, '')
  const events = new Events(store, board, configuration, () => Date.parse('2025-06-01T12:00:00Z'))
  store.log.info('before the reset')
  const info = t.capture(store.log, 'info', store.log.info.bind(store.log))
  if (refusal !== undefined) Object.defineProperty(store, 'refusal', { value: refusal })
  await resetController(store, events, board, data)
  const there = (directory: string) => existsSync(`${data}/${directory}/file`)
  const told = () => store.keys('event').map((key) => store.get('event', key)?.messageId.split('.').at(-1))
  const isRequested = () => existsSync(`${data}/factory-reset`)
  const done = () => info().map(({ args }) => args)
  return { store, there, told, isRequested, done, lines: store.log.recent }
}

t.test('nothing changes when nothing waits', async (t) => {
  const { store, there } = await started(t)
  t.same(store.keys('event'), ['0001'])
  t.same(store.keys('session'), ['admin-1'])
  t.ok(there('tls'))
})

t.test('factory defaults leave nothing of the controller, and all that is the host’s', async (t) => {
  const { store, there, told } = await started(t, 'ResetToFactoryDefaults')
  for (const table of ['account', 'session', 'clock', 'license', 'manager', 'controllerPending'] as const)
    t.same(store.keys(table), [])
  t.same(store.get('biosCurrent', '1'), { attributes: { QuietBoot: false } })
  t.same(store.get('biosPending', '1'), { attributes: { QuietBoot: true } })
  t.same(store.get('managerIdentity', '1'), { uuid: 'a', serviceEntryPointUuid: 'b' }, 'it is the same controller')
  t.same([there('tls'), there('keys'), there('store.damaged'), there('machine')], [false, false, false, true])
  t.same(told(), ['FactoryDefaultsRestored'])
})

t.test('factory defaults keep the state to be preserved, unless they are restored at the board', async (t) => {
  const kept = async (name: string, preserved: readonly Preserved[], atBoard = false) => {
    const found: string[] = []
    await t.test(name, async (t) => {
      const { store, there } = await startedAfter(t, { ResetToFactoryDefaults: { user: 'admin', preserved } }, atBoard)
      t.same([...store.keys('session'), ...store.keys('license'), ...store.keys('manager')], [])
      const tables = (['account', 'userCertificate', 'clock', 'portSettings'] as const).filter(
        (each) => store.keys(each).length > 0
      )
      found.push(...tables, ...['tls', 'keys'].filter(there))
    })
    return found
  }
  t.same(await kept('all', []), [])
  t.same(await kept('all but the network', ['network']), ['clock', 'portSettings', 'tls'])
  const all = ['account', 'userCertificate', 'clock', 'portSettings', 'tls', 'keys']
  t.same(await kept('all but network and users', ['network', 'users']), all)
  t.same(await kept('at the board', ['network', 'users'], true), [])
})

t.test('factory defaults forget the lines of the log, and other resets keep them', async (t) => {
  for (const [work, isForgotten] of [
    ['ResetToFactoryDefaults', true],
    ['ClearRestApiState', false]
  ] as const) {
    await t.test(work, async (t) => {
      const { lines } = await started(t, work)
      t.equal(
        lines.some((line) => line.includes('before the reset')),
        !isForgotten
      )
    })
  }
})

t.test('a log continues its numbers', async (t) => {
  const { store } = await started(t, 'ResetToFactoryDefaults')
  t.same(store.keys('logEntry'), ['Managers/1/EventLog/0000000042'])
})

t.test('state that clients created is removed, and settings stay', async (t) => {
  const { store, there, told } = await started(t, 'ClearRestApiState')
  for (const table of ['session', 'biosPending', 'controllerPending'] as const) t.same(store.keys(table), [])
  t.same(told(), ['RestApiStateCleared'])
  t.same(store.keys('account'), ['admin'])
  t.same(store.get('clock', '1'), { timeServers: ['192.0.2.1'] })
  t.ok(there('keys') && there('store.damaged'))
})

t.test('the functions are disabled when that waits', async (t) => {
  const { store } = await started(t, 'DisableFunctionality')
  t.same(store.get('controller', 'settings'), { disabled: true })
})

t.test('a reset enables the functions', async (t) => {
  const { store } = await started(t, 'Reset')
  t.same(store.get('controller', 'settings'), { disabled: false })
})

t.test('the reset that disables the functions does not enable them', async (t) => {
  const { store } = await started(t, 'DisableFunctionality', 'Reset')
  t.same(store.get('controller', 'settings'), { disabled: true })
})

t.test('all that waits is done at once', async (t) => {
  const { store, told, done } = await started(t, 'ResetToFactoryDefaults', 'ClearRestApiState', 'Reset')
  t.same(store.keys('controllerPending'), [])
  t.same(store.keys('biosPending'), [])
  t.same(told(), ['FactoryDefaultsRestored', 'RestApiStateCleared'])
  t.match(done(), [['the work that waited for a reset of the controller is complete', { work: { length: 3 } }]])
})

t.test('a table of an added handler file declares the events that its records survive', async (t) => {
  const records = { 1: { millimetres: 4 } }
  const resets: Reset[] = ['restart', 'restStateReset', 'factoryReset']
  const work = { restart: [], restStateReset: ['ClearRestApiState'], factoryReset: ['ResetToFactoryDefaults'] } as const
  for (const reset of resets) {
    for (const survives of [resets, resets.filter((each) => each !== reset)]) {
      table('rainGauge', { survives })
      const store = await Store.open(`${t.testdir()}/store`, configuration.store)
      await store.commit({ rainGauge: records })
      const asked = work[reset].map((each) => [each, { user: 'admin' }])
      await store.commit({ controllerPending: Object.fromEntries(asked) })
      const events = new Events(store, board, configuration, () => 0)
      await resetController(store, events, board, t.testdirName)
      t.same(store.keys('rainGauge'), survives === resets ? ['1'] : [], `${reset}: ${survives.join(', ')}`)
      await store.close()
    }
  }
})

t.test('a reset waits for a disk that fails, and does not for one that is full', async (t) => {
  for (const [code, waits] of [
    ['EIO', true],
    ['ENOSPC', false]
  ] as const) {
    await t.test(code, async (t) => {
      const refusal = Object.assign(new Error('the disk refuses'), { code })
      const { store, there, isRequested } = await startedAfter(t, {}, true, refusal)
      t.same([store.keys('account').length, there('keys'), isRequested()], waits ? [1, true, true] : [0, false, false])
    })
  }
})

/** A controller whose users' state is to be cleared, over a store in the hands of the test. */
async function pending(t: Test) {
  const data = t.testdir()
  const store = await Store.open(`${data}/store`, configuration.store)
  t.teardown(() => store.close())
  await store.commit({
    session: { 'admin-1': { user: 'admin' } },
    controllerPending: { ClearRestApiState: { user: 'admin' } }
  })
  const events = new Events(store, board, configuration, () => 0)
  return { store, reset: () => resetController(store, events, board, data) }
}

t.test('the copy of the store is made anew after a reset, with room for new keys', async (t) => {
  const { store, reset } = await pending(t)
  const seen: string[] = []
  t.capture(store, 'checkpoint', async () => void seen.push(`copy of ${store.keys('session').length} sessions`))
  t.capture(store, 'lendReserve', () => void seen.push('room'))
  await reset()
  t.same(seen, ['room', 'copy of 0 sessions'])
})

t.test('a reset waits when the disk refuses to store it, and another failure of it is an error', async (t) => {
  const { store, reset } = await pending(t)
  t.capture(store, 'commit', async () => {
    throw new Error('it is not stored')
  })
  const copies = t.capture(store, 'checkpoint', async () => {})
  await t.rejects(reset(), { message: 'it is not stored' })
  const lines = t.capture(store.log, 'error', () => {})
  Object.defineProperty(store, 'refusal', { value: Object.assign(new Error('no space'), { code: 'ENOSPC' }) })
  await reset()
  t.match(lines()[0]?.args, ['a reset of the controller waits for the disk', { work: ['ClearRestApiState'] }])
  t.same(copies(), [])
})
