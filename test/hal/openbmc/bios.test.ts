// own process: it starts message buses and services on them

import t, { type Test } from 'tap'
import type { BiosState } from '#hal/bios.ts'
import { openbmcDevices } from '#hal/openbmc/devices.ts'
import { TestBus } from '#test/hal/dbus/buses.ts'
import { until } from '#test/hal/until.ts'
import { OpenbmcSimulator } from '#test/openbmc/simulator.ts'

t.setTimeout(900_000)

const { bios } = openbmcDevices()
const manager = '/xyz/openbmc_project/bios_config/manager'
const name = 'BIOSConfig.Manager'
const whole = `xyz.openbmc_project.${name}`
const kind = (word: string) => `${whole}.AttributeType.${word}`
const older = 'a{s(sbsssvva(sv))}'
const newer = 'a{s(sbsssvva(svs))}'

const first = {
  QuietBoot: 'Enabled',
  HyperThreading: 'Enabled',
  PowerProfile: 'Balanced',
  DebugLevel: 1,
  AssetName: 'server',
  FirmwareVersion: 'BIOS-1.08'
}

async function opened(t: Test) {
  const bus = await TestBus.start(t)
  const daemons = await OpenbmcSimulator.start(t, bus)
  const device = bios({ name: 'bios-1', socket: bus.socket, warn: () => undefined })
  t.teardown(() => device.close())
  const is = (condition: (state: BiosState | undefined) => boolean) =>
    new Promise<void>((resolve) => {
      const look = () => {
        if (!condition(device.state)) return
        stop()
        resolve()
      }
      const stop = device.on(look)
      look()
    })
  await is((state) => state !== undefined)
  const held = () => daemons.get(manager, name, 'PendingAttributes')
  const tell = (signature: string, table: Record<string, unknown>) =>
    daemons.mistype(manager, name, 'BaseBIOSTable', signature, table as never)
  return { bus, daemons, device, is, held, tell }
}

t.test('a password is changed by who knows the one before', async (t) => {
  const { daemons, device, is } = await opened(t)
  await device.changePassword('Administrator', '', 'Sesame-123')
  await t.rejects(device.changePassword('Administrator', 'sesame', 'Sesame-456'), { code: 'EINVAL' })
  await device.changePassword('User', '', 'Sesame-456')
  await device.changePassword('Administrator', 'Sesame-123', '')
  await daemons.remove('/xyz/openbmc_project/bios_config/password', 'BIOSConfig.Password')
  await is((state) => state?.takesPasswords === false)
  await t.rejects(device.changePassword('User', 'Sesame-456', ''), { code: 'ENODEV' })
})

t.test('attributes are those of the table, with their values and bounds', async (t) => {
  const { device } = await opened(t)
  t.same(device.state, { current: first, pending: {}, reset: false, takesPasswords: true })
  const found = (wanted: string) => [...device.attributes()].find((each) => each.name === wanted)
  t.match(found('PowerProfile'), {
    type: 'Enumeration',
    isReadOnly: false,
    displayName: 'Power profile',
    description: 'Power profile.',
    menu: ['Advanced', 'Power'],
    standard: 'Balanced',
    options: [
      { value: 'Performance', displayName: 'Performance' },
      { value: 'Balanced', displayName: 'Balanced' },
      { value: 'Efficient', displayName: 'Efficient' }
    ]
  })
  t.match(found('DebugLevel'), { type: 'Integer', standard: 1, least: 0, most: 4, step: 1, options: [] })
  t.match(found('AssetName'), { type: 'String', least: 0, most: 32, step: undefined })
  t.match(found('FirmwareVersion'), { isReadOnly: true })
})

t.test('what is asked for is pending on the bus, and what other programs set is heard', async (t) => {
  const { bus, daemons, device, is, held } = await opened(t)
  await device.ask({ QuietBoot: 'Disabled', DebugLevel: 3, HyperThreading: 'Enabled' }, false)
  const pending = { QuietBoot: 'Disabled', DebugLevel: 3 }
  t.same(
    device.state,
    { current: first, pending, reset: false, takesPasswords: true },
    'without the value that is current'
  )
  t.same(await held(), { QuietBoot: [kind('Enumeration'), 'Disabled'], DebugLevel: [kind('Integer'), 3] })
  await device.ask({ QuietBoot: 'Disabled' }, false)
  t.same(device.state?.pending, { QuietBoot: 'Disabled' })
  t.match(await held(), { DebugLevel: [kind('Integer'), 1] }, 'the bus can only add')
  const service = ['xyz.openbmc_project.BIOSConfigManager', manager, whole]
  bus.busctl('call', ...service, 'SetAttribute', 'sv', 'AssetName', 's', 'db7')
  await is((state) => state?.pending.AssetName === 'db7')
  t.same(device.state?.pending, { QuietBoot: 'Disabled', AssetName: 'db7' })
  await device.ask({}, false)
  t.same([device.state?.pending, await held()], [{}, {}])
  await device.ask({ AssetName: 'server' }, true)
  t.match(device.state, { current: first, pending: { AssetName: 'server' }, reset: true }, 'the default may differ')
  t.equal(await daemons.get(manager, name, 'ResetBIOSSettings'), 'FactoryDefaults')
  await device.ask({ DebugLevel: 2 }, true)
  t.same([device.state?.pending, Object.keys((await held()) as object)], [{ DebugLevel: 2 }, ['DebugLevel']])
  await daemons.set(manager, name, 'ResetBIOSSettings', 'NoAction')
  await is((state) => state?.reset === false)
})

t.test('the firmware takes what is pending at its start', async (t) => {
  const { bus, device, is } = await opened(t)
  const { edition } = device
  await device.ask({ QuietBoot: 'Disabled', DebugLevel: 3 }, false)
  const host = 'xyz.openbmc_project.State.Host'
  const transition = ['RequestedHostTransition', 's', `${host}.Transition.Reboot`]
  bus.busctl('set-property', host, '/xyz/openbmc_project/state/host0', host, ...transition)
  await is((state) => state?.current.DebugLevel === 3 && Object.keys(state.pending).length === 0)
  t.same(device.state?.current, { ...first, QuietBoot: 'Disabled', DebugLevel: 3 })
  t.equal(device.edition, edition, 'the definitions are the same')
})

t.test('the table of an older version is read, and what is not valid in it is left out', async (t) => {
  const { device, is, tell, daemons } = await opened(t)
  const row = (type: string, signature: string, value: unknown, bounds: unknown[] = [], isReadOnly = false) => {
    const content = [signature, value]
    return [kind(type), isReadOnly, 'Text', 'Help', './A//B/.', content, content, bounds]
  }
  const { edition } = device
  await tell(older, {
    Colour: row('Enumeration', 's', 'red', [[`${whole}.BoundType.OneOf`, ['s', 'red']]]),
    Fast: row('Boolean', 'x', 1),
    Slow: row('Boolean', 'b', false),
    Count: row('Integer', 'u', 7, [
      [`${whole}.BoundType.UpperBound`, ['s', 'many']],
      [`${whole}.BoundType.LowerBound`, ['x', -3]]
    ]),
    Secret: row('Password', 's', 'hash'),
    Huge: row('Integer', 't', 2 ** 60),
    Half: row('Integer', 'd', 0.5),
    Both: row('Boolean', 'x', 2),
    Wrong: row('String', 'x', 1),
    Unknown: row('Date', 's', 'today'),
    Long: row('String', 's', 'x'.repeat(5000)),
    'not a name': row('String', 's', ''),
    __proto__x: row('String', 's', '')
  })
  await is((state) => state?.current.Colour === 'red')
  t.same(device.state?.current, { Colour: 'red', Fast: true, Slow: false, Count: 7, Secret: null })
  t.not(device.edition, edition)
  t.same(
    [...device.attributes()].map(({ menu, least, most, options }) => [menu, least, most, options.length]),
    [
      [['A', 'B'], undefined, undefined, 1],
      [['A', 'B'], undefined, undefined, 0],
      [['A', 'B'], undefined, undefined, 0],
      [['A', 'B'], -3, undefined, 0],
      [['A', 'B'], undefined, undefined, 0]
    ]
  )
  await tell('s', 'no table' as never)
  await is((state) => state === undefined)
  await tell('a{su}', { Colour: 1 })
  await tell(newer, {})
  t.equal(device.state, undefined, 'a table without attributes tells nothing')
  await tell(newer, { Fast: row('Boolean', 'x', 0) })
  await is((state) => state?.current.Fast === false)
  const last = device.edition
  await tell(newer, { Fast: row('Boolean', 'x', 0, [], true) })
  await is(() => device.edition !== last)
  t.ok([...device.attributes()][0]?.isReadOnly)
  await daemons.mistype(manager, name, 'PendingAttributes', 'a{sv}', { Fast: ['b', true] } as never)
  await daemons.mistype(manager, name, 'ResetBIOSSettings', 'u', 7)
  t.match(device.state, { current: { Fast: false }, pending: {}, reset: false })
})

t.test('values have the types of the bus, and those that have none are refused', async (t) => {
  const { daemons, device, is, tell } = await opened(t)
  const row = (type: string, signature: string, value: unknown) => {
    const content = [signature, value]
    return [kind(type), false, '', '', '', content, content, []]
  }
  await tell(newer, { Fast: row('Boolean', 'x', 0), Slow: row('Boolean', 'b', true), Count: row('Integer', 'x', 1) })
  await is((state) => state?.current.Fast === false)
  await daemons.fail(manager, name, 'PendingAttributes', 'Common.Error.InvalidArgument')
  await t.rejects(device.ask({ Fast: true }, false), { code: 'EINVAL', message: /InvalidArgument/ })
  await daemons.fail(manager, name, 'PendingAttributes', null)
  for (const wrong of [{ Count: 'one' }, { Count: 1.5 }, { Slow: 0 }, { Fast: null }, { Fast: '1' }])
    await t.rejects(device.ask(wrong, false), { code: 'EINVAL', message: /^bios-1: \w+ is of the type/ })
  await t.rejects(device.ask({ Colour: 'red' }, false), {
    code: 'EINVAL',
    message: 'bios-1: there is no attribute Colour'
  })
  t.same(device.state?.pending, {})
})

t.test('beyond 10,000 attributes the others are left out', async (t) => {
  const { device, is, tell } = await opened(t)
  const content = ['b', true]
  const row = [kind('Boolean'), false, '', '', '', content, content, []]
  await tell(newer, Object.fromEntries(Array.from({ length: 10_001 }, (_, at) => [`A${at}`, row])))
  await is((state) => state?.current.A0 === true)
  t.equal([...device.attributes()].length, 10_000)
})

t.test('a table that a signal does not tell is asked for', async (t) => {
  const { daemons, device, is } = await opened(t)
  const content = ['s', 'red']
  const row = [kind('String'), false, '', '', '', content, content, []]
  await daemons.invalidate(manager, name, 'BaseBIOSTable', { Colour: row } as never)
  await is((state) => state?.current.Colour === 'red')
  t.same(device.state?.current, { Colour: 'red' })
})

t.test('without its daemon the state is unknown and cannot be changed', async (t) => {
  const { daemons, device, is } = await opened(t)
  const { edition } = device
  await daemons.kill('BIOSConfigManager')
  await is((state) => state === undefined)
  t.same([...device.attributes()], [])
  await t.rejects(device.ask({ DebugLevel: 2 }, false), {
    code: 'ENODEV',
    message: 'bios-1: the bus does not tell the state'
  })
  await daemons.start('BIOSConfigManager')
  await is((state) => state !== undefined)
  t.equal(device.edition, edition)
  await device.ask({ DebugLevel: 2 }, false)
  t.same(device.state?.pending, { DebugLevel: 2 })
})

t.test('secure boot is told by the firmware, and enabled or disabled for its next start', async (t) => {
  const { daemons, device } = await opened(t)
  const { secureBoot } = device
  const path = '/xyz/openbmc_project/bios_config/secure_boot'
  const set = (property: string, value: string | boolean) => daemons.set(path, 'BIOSConfig.SecureBoot', property, value)
  const is = (condition: () => boolean) => until((look) => secureBoot.on(look), condition)
  await is(() => secureBoot.state !== undefined)
  t.same(secureBoot.state, { current: 'Disabled', enabled: false, mode: 'UserMode' })
  await secureBoot.set({ enabled: true })
  t.ok(await daemons.get(path, 'BIOSConfig.SecureBoot', 'Enable'))
  t.same(secureBoot.state, { current: 'Disabled', enabled: true, mode: 'UserMode' })
  await set('CurrentBoot', 'Enabled')
  await set('Mode', 'DeployedMode')
  await is(() => secureBoot.state?.mode === 'DeployedMode')
  t.match(secureBoot.state, { current: 'Enabled' })
  await set('CurrentBoot', 'Unknown')
  await set('Mode', 'Unknown')
  await is(() => secureBoot.state?.mode === null)
  t.same(secureBoot.state, { current: null, enabled: true, mode: null })
  await daemons.mistype(path, 'BIOSConfig.SecureBoot', 'Enable', 's', 'yes')
  await is(() => secureBoot.state === undefined)
  await t.rejects(secureBoot.set({ enabled: false }), { code: 'ENODEV' })
})
