// own process: it starts message buses and services on them

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Board } from '#data/board'
import { vendorVariables } from '#data/variables'
import { openbmcBiosOptions } from '#hal/openbmc/bios.ts'
import { openbmcDevices } from '#hal/openbmc/devices.ts'
import { openService } from '#runtime/open/service.ts'
import { TestBus } from '#test/hal/dbus/buses.ts'
import { OpenbmcSimulator } from '#test/openbmc/simulator.ts'
import { as, password, simulated } from '#test/runtime/service.ts'

t.setTimeout(900_000)

const path = '/xyz/openbmc_project/bios_config/manager'
const name = 'BIOSConfig.Manager'
const system = '/redfish/v1/Systems/1/'
const bios = `${system}Bios/`
const settings = `${bios}Settings/`
const id = 'BiosAttributeRegistryOpenbmc.v1_0_0'

/** A service over a simulated machine whose BIOS settings are on a bus. */
async function opened(t: Test, directory = fresh(t), more: Parameters<typeof OpenbmcSimulator.start>[2] = {}) {
  const bus = await TestBus.start(t)
  const daemons = await OpenbmcSimulator.start(t, bus, more)
  const device = { type: 'openbmc', socket: bus.socket }
  const alter = (board: Board): Board => ({
    ...board,
    systems: { ...board.systems, 1: { ...board.systems['1']!, bios: device, attributeRegistry: id } }
  })
  const { parts, simulation } = simulated(directory, undefined, alter)
  const backends = {
    ...parts.backends,
    bios: { openbmc: { options: openbmcBiosOptions, open: openbmcDevices().bios } }
  }
  const service = await openService({ ...parts, backends })
  t.teardown(() => service.close())
  const { ask, until } = client(service)
  if (more.without === undefined) await until(bios, ({ status }) => status === 200)
  return { daemons, service, power: simulation.power, ask, until }
}

function fresh(t: Test): string {
  const directory = mkdtempSync(join(tmpdir(), 'minnow-'))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

function client(service: Awaited<ReturnType<typeof openService>>) {
  const ask = async (method: string, target: string, body?: object) => {
    const content = body && { 'content-type': 'application/json', 'content-length': '1' }
    const { status, body: bytes } = await service.handling.handle({
      method,
      target,
      headers: { ...as('admin', password), ...content },
      address: '127.0.0.1',
      ...(body && { body: new TextEncoder().encode(JSON.stringify(body)) })
    })
    const text = new TextDecoder().decode(bytes)
    return { status, json: text === '' ? undefined : JSON.parse(text) }
  }
  /** Asks until the answer is as expected. */
  const until = async (target: string, expected: (answer: Awaited<ReturnType<typeof ask>>) => boolean) => {
    for (;;) {
      const answer = await ask('GET', target)
      if (expected(answer)) return answer
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }
  return { ask, until }
}

/** The keys of the events so far, and what they are about. */
const told = ({ store }: Awaited<ReturnType<typeof openService>>) =>
  store.keys('event').map((each) => {
    const { messageId = '', origin = '' } = store.get('event', each) ?? {}
    return [messageId.split('.').at(-1), origin]
  })

t.test('what the service stored before the bus had the settings is not seen, and removed', async (t) => {
  const directory = fresh(t)
  const { parts } = simulated(directory)
  const before = await openService(parts)
  const own = client(before).ask
  t.equal((await own('PATCH', settings, { Attributes: { BootPromptSeconds: 9 } })).status, 200)
  await before.close()
  const { daemons, service, ask, until } = await opened(t, directory, { without: ['BIOSConfigManager'] })
  t.equal((await ask('GET', bios)).status, 404)
  await daemons.start('BIOSConfigManager')
  const { json } = await until(settings, ({ status }) => status === 200)
  t.match(json.Attributes, { DebugLevel: 1 })
  t.notOk('BootPromptSeconds' in json.Attributes)
  await service.close()
  const after = await openService(parts)
  t.teardown(() => after.close())
  const waiting = (await client(after).ask('GET', settings)).json
  t.not(waiting.Attributes.BootPromptSeconds, 9)
})

t.test('the service does not apply settings that the firmware takes from the bus', async (t) => {
  const { daemons, service, power, ask, until } = await opened(t)
  await power.perform('forceOff')
  t.equal((await ask('PATCH', settings, { Attributes: { DebugLevel: 3 } })).status, 200)
  await power.perform('on')
  await until(system, ({ json }) => json.PowerState === 'On')
  t.match(await daemons.get(path, name, 'PendingAttributes'), { DebugLevel: [/Integer$/, 3] })
  t.match((await ask('GET', bios)).json.Attributes, { DebugLevel: 1 })
  t.same(service.hardware.variables('1', vendorVariables), [])
})

t.test('values that the firmware did not take are named after its start', async (t) => {
  const { daemons, ask, until } = await opened(t)
  await ask('PATCH', settings, { Attributes: { DebugLevel: 3, AssetName: 'db7' } })
  const table = (await daemons.get(path, name, 'BaseBIOSTable')) as Record<string, unknown[]>
  const content = (value: unknown) => (typeof value === 'number' ? ['x', value] : ['s', value])
  const told = Object.entries(table).map(([each, [kind, isReadOnly, text, help, menu, now, standard, bounds]]) => [
    each,
    [
      ...[kind, isReadOnly, text, help, menu],
      ...[content(each === 'AssetName' ? 'db7' : now), content(standard)],
      (bounds as [string, unknown, string][]).map(([bound, value, shown]) => [bound, content(value), shown])
    ]
  ])
  await daemons.set(path, name, 'PendingAttributes', {})
  await daemons.mistype(path, name, 'BaseBIOSTable', 'a{s(sbsssvva(svs))}', Object.fromEntries(told))
  const { json } = await until(bios, ({ json }) => json['@Redfish.Settings'].Messages.length > 0)
  t.match(json.Attributes, { AssetName: 'db7', DebugLevel: 1 })
  t.match(json['@Redfish.Settings'].Messages, [
    { MessageId: /Success$/ },
    { MessageId: /PropertyNotWritable$/, MessageArgs: ['DebugLevel'], RelatedProperties: ['#/Attributes/DebugLevel'] }
  ])
})

t.test('what another program clears is no transfer', async (t) => {
  const { daemons, ask, until } = await opened(t)
  await ask('PATCH', settings, { Attributes: { DebugLevel: 3 } })
  await daemons.set(path, name, 'PendingAttributes', {})
  await until(settings, ({ json }) => json.Attributes.DebugLevel === 1)
  t.same((await ask('GET', bios)).json['@Redfish.Settings'].Messages, [])
})

t.test('what a client gives up is no transfer', async (t) => {
  const { daemons, service, ask, until } = await opened(t)
  await ask('PATCH', settings, { Attributes: { DebugLevel: 3 } })
  t.equal((await ask('PATCH', settings, { Attributes: { DebugLevel: 1 } })).status, 200)
  t.same(await daemons.get(path, name, 'PendingAttributes'), {})
  const table = (await daemons.get(path, name, 'BaseBIOSTable')) as Record<string, string[]>
  const row = [...table.AssetName!.slice(0, 5), ['s', 'db7'], ['s', ''], []]
  await daemons.mistype(path, name, 'BaseBIOSTable', 'a{s(sbsssvva(svs))}', { AssetName: row })
  const { json } = await until(bios, ({ json }) => json.Attributes?.AssetName === 'db7')
  t.same(json['@Redfish.Settings'].Messages, [])
  t.notOk(told(service).some(([key]) => key === 'BiosSettingsTransferred'))
})

t.test('a change of what waits is one event, whoever has made it', async (t) => {
  const { daemons, service, ask, until } = await opened(t)
  const changes = async () => {
    await service.store.commit({})
    return told(service).filter(([key, origin]) => key === 'ResourceChanged' && `${origin}/` === settings).length
  }
  await ask('PATCH', settings, { Attributes: { DebugLevel: 3 } })
  t.equal(await changes(), 1)
  await daemons.set(path, name, 'PendingAttributes', {})
  await until(settings, ({ json }) => json.Attributes.DebugLevel === 1)
  t.equal(await changes(), 2)
})

t.test('settings of the bus take no hash of a password, and only the firmware sets what is current', async (t) => {
  const { daemons, service, ask } = await opened(t)
  const set = (passwords: Record<string, string>) => service.store.commit({ biosPending: { 1: { passwords } } })
  const refused = (work: Promise<unknown>) => work.catch(({ status, messages: [{ key }] }) => `${status} ${key}`)
  t.equal(await refused(set({ Administrator: '', User: 'hash' })), '400 Base.ActionNotSupported')
  await set({ Administrator: '', User: '' })
  const current = service.store.commit({ biosCurrent: { 1: { attributes: { DebugLevel: 3 } } } })
  t.equal(await refused(current), '409 Mgmt.InvalidOperationForSystemState')
  t.same(await daemons.get(path, name, 'PendingAttributes'), {})
  t.match((await ask('GET', bios)).json.Attributes, { DebugLevel: 1 })
})

t.test('the defaults of a system are those of its firmware', async (t) => {
  const { daemons, ask } = await opened(t)
  await ask('PATCH', settings, { Attributes: { DebugLevel: 3 } })
  const action = `${system}Actions/Oem/Vendor/VendorComputerSystemExt.RestoreSystemDefaults`
  t.equal((await ask('POST', action, {})).status, 200)
  t.equal(await daemons.get(path, name, 'ResetBIOSSettings'), 'FactoryDefaults')
  t.same(await daemons.get(path, name, 'PendingAttributes'), {})
})
