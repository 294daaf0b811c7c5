import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { TestBus } from '#test/hal/dbus/buses.ts'
import { openbmcBoard, policy } from '#test/openbmc/board.ts'
import { OpenbmcSimulator } from '#test/openbmc/simulator.ts'
import { EventSource } from './event-source.ts'
import { onBothHosts } from './every-host.ts'
import type { Host } from './hosts.ts'
import { links } from './links.ts'
import { messagesOf } from './messages-of.ts'
import { directory, type Json, start } from './server.ts'

const system = '/redfish/v1/Systems/1/'
const bios = `${system}Bios/`
const settings = `${bios}Settings/`
const manager = '/xyz/openbmc_project/bios_config/manager'
const name = 'BIOSConfig.Manager'
const id = 'BiosAttributeRegistryOpenbmc.v1_2_0'

async function started(t: Test, host: Host, options: Parameters<typeof OpenbmcSimulator.start>[2] = {}) {
  const bus = await TestBus.start(t, 'dbus-daemon', policy())
  const daemons = await OpenbmcSimulator.start(t, bus, options)
  const board = join(directory(t), 'board.json')
  writeFileSync(board, JSON.stringify(openbmcBoard(bus.socket)))
  const server = await start(t, host, { args: ['--board', board] })
  const until = (path: string, expected: (json: Json, status: number) => boolean) =>
    server.until(
      () => server.get(path),
      ({ json, status }) => expected(json, status)
    )
  await until(bios, (_, status) => options.without !== undefined || status === 200)
  const held = async () =>
    Object.fromEntries(
      Object.entries((await daemons.get(manager, name, 'PendingAttributes')) as Json).map(([each, [, value]]: Json) => [
        each,
        value
      ])
    )
  const registry = async () => {
    const { json } = await server.get(`/redfish/v1/Registries/${id}/`)
    return server.get(json.Location[0].Uri)
  }
  return { bus, daemons, server, until, held, registry }
}

onBothHosts(async (t, host) => {
  await t.test('a client sees the settings of OpenBMC, and the registry made of them', async (t) => {
    const { daemons, server, until, registry } = await started(t, host)
    t.same((await server.get(system)).json.Bios, { '@odata.id': bios })
    const { json } = await server.get(bios)
    t.equal(json.AttributeRegistry, id)
    t.match(json.Attributes, { QuietBoot: 'Enabled', DebugLevel: 1, AssetName: 'server' })
    t.same(Object.keys(json.Actions), ['#Bios.ChangePassword', '#Bios.ResetBios'])
    t.notOk('Time' in json['@Redfish.Settings'], 'no transfer was seen yet')
    t.same(Object.keys(json.Links.Oem.Vendor), ['@odata.type', 'BaseConfigs', 'Mappings'], 'it has no boot order')
    t.equal((await server.get(`${bios}Oem/Vendor/Boot/`)).status, 404)
    t.same((await server.get(`${bios}Oem/Vendor/Mappings/`)).json.BiosDeviceMappings, [])
    const found = new Set(['/redfish/v1/'])
    for (const path of found) {
      const { status, json: linked } = await server.get(path)
      t.equal(status, 200, path)
      for (const link of links(linked)) found.add(link)
    }
    const { Members } = (await server.get('/redfish/v1/Registries/')).json
    t.ok(Members.some((each: Json) => each['@odata.id'] === `/redfish/v1/Registries/${id}/`))
    const made = await registry()
    t.match(made.json, { Id: id, RegistryVersion: '1.2.0', Language: 'en' })
    const { Attributes, Menus } = made.json.RegistryEntries
    t.match(
      Attributes.find((each: Json) => each.AttributeName === 'QuietBoot'),
      {
        Type: 'Enumeration',
        MenuPath: './Boot',
        DefaultValue: 'Enabled',
        ReadOnly: false,
        Value: [{ ValueName: 'Enabled' }, { ValueName: 'Disabled' }]
      }
    )
    t.same(
      Menus.map((each: Json) => each.MenuPath),
      ['./Boot', './Advanced', './Advanced/Processor', './Advanced/Power', './Advanced/Debug', './Main']
    )
    t.match((await server.get(`${bios}Oem/Vendor/BaseConfigs/default/`)).json, { Attributes: { DebugLevel: 1 } })
    const content = ['s', 'red']
    const row = [`xyz.openbmc_project.${name}.AttributeType.String`, false, 'Colour', '', '', content, content, []]
    await daemons.mistype(manager, name, 'BaseBIOSTable', 'a{s(sbsssvva(svs))}', { Colour: row } as Json)
    await until(bios, ({ Attributes }) => Attributes?.Colour === 'red')
    const next = await registry()
    t.not(next.headers.etag, made.headers.etag)
    t.match(next.json.RegistryEntries, {
      Attributes: [{ AttributeName: 'Colour', MenuPath: './Main', MaxLength: 255 }]
    })
  })

  await t.test('settings of a client wait on the bus, and the firmware takes them', async (t) => {
    const { bus, daemons, server, until, held } = await started(t, host)
    const events = await EventSource.open(t, server)
    const seen = async (key: string, uri: string) => {
      for (;;) {
        const { MessageId, MessageArgs, OriginOfCondition } = (await events.next())?.data.Events[0] ?? {}
        if (MessageId?.endsWith(`.${key}`) && OriginOfCondition['@odata.id'] === uri) return MessageArgs
      }
    }
    const wanted = { QuietBoot: 'Disabled', DebugLevel: 3 }
    t.equal((await server.patch(settings, { Attributes: wanted })).status, 200)
    await seen('ResourceChanged', settings)
    t.same(await held(), wanted)
    t.match((await server.get(settings)).json.Attributes, { ...wanted, AssetName: 'server' })
    t.match((await server.get(bios)).json.Attributes, { QuietBoot: 'Enabled' })
    const service = ['xyz.openbmc_project.BIOSConfigManager', manager, `xyz.openbmc_project.${name}`]
    const other = ['1', 'AssetName', `xyz.openbmc_project.${name}.AttributeType.String`, 's', 'db7']
    bus.busctl('set-property', ...service, 'PendingAttributes', 'a{s(sv)}', ...other)
    await seen('ResourceChanged', settings)
    t.match((await server.get(settings)).json.Attributes, { ...wanted, AssetName: 'db7' })
    const reset = { ResetType: 'GracefulRestart' }
    t.equal((await server.post(`${system}Actions/ComputerSystem.Reset/`, reset)).status, 200)
    t.same(await seen('BiosSettingsTransferred', bios), ['0'])
    await seen('ResourceChanged', bios)
    const { json } = await server.get(bios)
    t.match(json.Attributes, { ...wanted, AssetName: 'db7' })
    t.match(json['@Redfish.Settings'].Messages, [{ MessageId: /Success/ }])
    t.ok(Date.parse(json['@Redfish.Settings'].Time) > 0)
    t.equal((await server.post(`${bios}Actions/Bios.ResetBios/`, {})).status, 200)
    t.equal(await daemons.get(manager, name, 'ResetBIOSSettings'), 'FactoryDefaults')
    t.match((await server.get(settings)).json.Attributes, { QuietBoot: 'Enabled', DebugLevel: 1 })
    t.equal((await server.request('PUT', settings, undefined, { Attributes: {} })).status, 200)
    t.equal(await daemons.get(manager, name, 'ResetBIOSSettings'), 'NoAction')
    t.equal((await server.patch(settings, { Attributes: { DebugLevel: 2 } })).status, 200)
    t.equal((await server.patch(settings, { Attributes: { DebugLevel: 3 } })).status, 200)
    t.same(await held(), {}, 'the value is current')
    await server.post(`${bios}Actions/Bios.ResetBios/`, {})
    await server.post(`${system}Actions/ComputerSystem.Reset/`, reset)
    await until(bios, ({ Attributes }) => Attributes?.DebugLevel === 1)
  })

  await t.test('what the registry or the bus does not allow is refused, and nothing of it waits', async (t) => {
    const { daemons, server, held } = await started(t, host)
    const refused = async (Attributes: object) => {
      const { status, json } = await server.patch(settings, { Attributes })
      const messages = json.error['@Message.ExtendedInfo']
      return [status, messages.map(({ MessageId }: Json) => MessageId.split('.').at(-1))]
    }
    t.same(
      await refused({ DebugLevel: 9, QuietBoot: 1, Colour: 'red', FirmwareVersion: '2', AssetName: 'x'.repeat(33) }),
      [
        400,
        [
          'PropertyValueOutOfRange',
          'PropertyValueTypeError',
          'PropertyUnknown',
          'PropertyNotWritable',
          'PropertyValueFormatError'
        ]
      ]
    )
    t.equal((await refused({ DebugLevel: null, QuietBoot: {} }))[0], 400)
    await daemons.fail(manager, name, 'PendingAttributes', 'Common.Error.InvalidArgument')
    t.same(await refused({ DebugLevel: 2 }), [400, ['PropertyValueError']])
    await daemons.fail(manager, name, 'PendingAttributes', 'Common.Error.InternalFailure')
    t.equal((await server.patch(settings, { Attributes: { DebugLevel: 2 } })).status, 503)
    t.same(await held(), {})
  })

  await t.test('a password is changed by who knows the one before, and is nowhere to be read', async (t) => {
    const { daemons, server, until } = await started(t, host)
    const action = `${bios}Actions/Bios.ChangePassword/`
    const change = (OldPassword: string, NewPassword: string) =>
      server.post(action, { PasswordName: 'Administrator', OldPassword, NewPassword })
    const first = await change('', 'Sesame-123')
    t.same([first.status, messagesOf(first)], [200, ['Mgmt.SystemResetRequired()']])
    const refused = await change('Wrong-123', 'Sesame-456')
    const reason = 'Base.ActionParameterValueError(OldPassword, Bios.ChangePassword)'
    t.same([refused.status, messagesOf(refused)], [400, [reason]])
    t.equal((await change('Sesame-123', 'Sesame-456')).status, 200)
    const password = '/xyz/openbmc_project/bios_config/password'
    await daemons.fail(password, 'BIOSConfig.Password', 'ChangePassword', 'Common.Error.InternalFailure')
    const failed = await change('Sesame-456', 'Sesame-789')
    t.same([failed.status, messagesOf(failed)[0]], [503, 'Base.ServiceTemporarilyUnavailable(30)'])
    const events = await server.get('/redfish/v1/Systems/1/LogServices/SystemLog/Entries/')
    const { stdout, stderr } = server.process
    await server.until(
      () => server.get(bios),
      () => stderr.join().includes('changeBiosPassword')
    )
    t.notMatch(JSON.stringify([failed.json, events.json, stdout, stderr]), /Sesame|Wrong/)
    await daemons.remove(password, 'BIOSConfig.Password')
    await until(bios, ({ Actions }) => !('#Bios.ChangePassword' in Actions))
    t.equal((await change('Sesame-456', 'Sesame-789')).status, 404)
  })

  await t.test('until the firmware has told its attributes there are no settings', async (t) => {
    const { daemons, server, until, registry } = await started(t, host, { without: ['BIOSConfigManager'] })
    t.notOk('Bios' in (await server.get(system)).json)
    for (const path of [bios, settings, `${bios}Oem/Vendor/BaseConfigs/default/`, `/redfish/v1/Registries/${id}/`])
      t.equal((await server.get(path)).status, 404, path)
    t.equal((await server.patch(settings, { Attributes: { DebugLevel: 2 } })).status, 404)
    t.equal((await server.post(`${bios}Actions/Bios.ResetBios/`, {})).status, 404)
    const { Members } = (await server.get('/redfish/v1/Registries/')).json
    t.notOk(Members.some((each: Json) => each['@odata.id'].includes(id)))
    await daemons.start('BIOSConfigManager')
    await until(bios, (_, status) => status === 200)
    t.equal((await registry()).status, 200)
    t.ok('Bios' in (await server.get(system)).json)
    await daemons.kill('BIOSConfigManager')
    await until(bios, (_, status) => status === 404)
    t.equal((await server.get(`/redfish/v1/Registries/${id}/`)).status, 404)
  })

  await t.test('secure boot of a host whose variables are its own is that of its firmware', async (t) => {
    const { daemons, server, until } = await started(t, host)
    const secureBoot = `${system}SecureBoot/`
    const { json } = await until(secureBoot, (_, status) => status === 200)
    t.match(json, { SecureBootCurrentBoot: 'Disabled', SecureBootEnable: false, SecureBootMode: 'UserMode' })
    t.notOk('SecureBootDatabases' in json)
    t.notMatch(json, { Actions: { '#SecureBoot.ResetKeys': Object } })
    t.same((await server.get(system)).json.SecureBoot, { '@odata.id': secureBoot })
    t.equal((await server.patch(secureBoot, { SecureBootEnable: true })).status, 200)
    const path = '/xyz/openbmc_project/bios_config/secure_boot'
    t.ok(await daemons.get(path, 'BIOSConfig.SecureBoot', 'Enable'))
    await server.post(`${system}Actions/ComputerSystem.Reset/`, { ResetType: 'GracefulRestart' })
    await until(secureBoot, ({ SecureBootCurrentBoot }) => SecureBootCurrentBoot === 'Enabled')
    await daemons.set(path, 'BIOSConfig.SecureBoot', 'Mode', 'SetupMode')
    await until(secureBoot, ({ SecureBootMode }) => SecureBootMode === 'SetupMode')
    t.equal((await server.patch(secureBoot, { SecureBootEnable: true })).status, 409)
    await daemons.kill('BIOSConfigManager')
    await until(secureBoot, (_, status) => status === 404)
    t.notOk('SecureBoot' in (await server.get(system)).json)
  })
})
