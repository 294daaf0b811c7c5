// own process: it starts message buses and services on them
// needs: openssl

import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import t, { type Test } from 'tap'
import { Bus, type Signal } from '#hal/dbus/bus.ts'
import { type Value, Variant } from '#hal/dbus/values.ts'
import { TestBus } from '#test/hal/dbus/buses.ts'
import { OpenbmcSimulator } from '#test/openbmc/simulator.ts'

t.setTimeout(900_000)

const project = 'xyz.openbmc_project.'
const root = '/xyz/openbmc_project'
const properties = 'org.freedesktop.DBus.Properties'
const manager = 'org.freedesktop.DBus.ObjectManager'
const host = `${root}/state/host0`
const chassis = `${root}/inventory/system/chassis/Rack_Server`
const inlet = `${root}/sensors/temperature/Inlet`

type Plain = boolean | number | bigint | string | Uint8Array | Plain[] | { [name: string]: Plain }

/** A value without its types: dictionaries as objects. */
function plain(value: Value): Plain {
  if (value instanceof Variant) return plain(value.value)
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, each]) => [String(key), plain(each)]))
  return Array.isArray(value) ? value.map(plain) : (value as Plain)
}

async function simulated(t: Test, options: Parameters<typeof OpenbmcSimulator.start>[2] = {}) {
  const bus = await TestBus.start(t)
  const simulator = await OpenbmcSimulator.start(t, bus, options)
  const client = await Bus.open(bus.socket)
  t.teardown(() => client.close())
  const call = async (
    service: string,
    path: string,
    name: string,
    member: string,
    signature = '',
    ...values: Value[]
  ) =>
    (await client.call({ destination: `${project}${service}`, path, interface: name, member, signature, values })).map(
      plain
    )
  return {
    bus,
    client,
    simulator,
    call,
    /** Calls a method of an interface of OpenBMC. */
    ask: (service: string, path: string, name: string, member: string, signature = '', ...values: Value[]) =>
      call(service, path, `${project}${name}`, member, signature, ...values),
    map: async (member: string, signature: string, ...values: Value[]) =>
      (
        await call('ObjectMapper', `${root}/object_mapper`, `${project}ObjectMapper`, member, signature, ...values)
      )[0] as Plain,
    get: async (service: string, path: string, name: string, property: string) =>
      (await call(service, path, properties, 'Get', 'ss', `${project}${name}`, property))[0] as Plain,
    set: (service: string, path: string, name: string, property: string, signature: string, value: Value) =>
      call(service, path, properties, 'Set', 'ssv', `${project}${name}`, property, new Variant(signature, value))
  }
}

const turn = () => new Promise((next) => setImmediate(next))

/** Collects what a property was changed to. */
async function changes(client: Bus, path: string, property: string) {
  await client.match({ path, interface: properties, member: 'PropertiesChanged' })
  const seen: Plain[] = []
  let hear = () => {}
  client.signals.add((signal: Signal) => {
    if (signal.path !== path || signal.member !== 'PropertiesChanged') return
    const changed = plain(signal.values()[1] as Value) as Record<string, Plain>
    if (property in changed) seen.push(String(changed[property]).replace(/^xyz.*\./, ''))
    hear()
  })
  return {
    seen,
    until: (last: string) =>
      new Promise<void>((resolve) => {
        hear = () => {
          if (seen.at(-1) === last) resolve()
        }
        hear()
      })
  }
}

t.test('the mapper finds objects by interface, with the services that have them', async (t) => {
  const { map } = await simulated(t)
  const value = `${project}Sensor.Value`
  const found = (await map('GetSubTree', 'sias', `${root}/sensors`, 0, [value])) as Record<string, object>
  t.match(found, { [inlet]: { [`${project}HwmonTempSensor`]: [value] } })
  t.same(
    await map('GetSubTreePaths', 'sias', `${root}/sensors`, 0, [value]),
    Object.keys(found).sort(),
    'without the services'
  )
  t.same(await map('GetSubTreePaths', 'sias', `${root}/sensors`, 1, [value]), [], 'as deep as it is asked for')
  t.same(Object.keys((await map('GetObject', 'sas', host, [])) as object), [
    `${project}State.Host`,
    `${project}State.Host0`
  ])
  t.same(Object.keys((await map('GetAncestors', 'sas', host, [manager])) as object), ['/', `${root}/state`])
  await t.rejects(map('GetObject', 'sas', `${root}/nowhere`, []), /Common.Error.ResourceNotFound/)
  await t.rejects(map('GetObject', 'sas', host, [value]), /Common.Error.ResourceNotFound/)
  await t.rejects(map('GetSubTree', 'sias', `${root}/nowhere`, 0, []), /Common.Error.ResourceNotFound/)
})

t.test('an association has both directions while both objects are there', async (t) => {
  const { client, map, get, simulator } = await simulated(t)
  const ends = () => get('ObjectMapper', `${chassis}/all_sensors`, 'Association', 'endpoints') as Promise<string[]>
  t.ok((await ends()).includes(inlet))
  t.same(await get('ObjectMapper', `${inlet}/chassis`, 'Association', 'endpoints'), [chassis])
  const sensors = ['osias', `${chassis}/all_sensors`, `${root}/sensors`, 0, [`${project}Sensor.Value`]] as const
  t.same(await map('GetAssociatedSubTreePaths', 'ooias', ...sensors.slice(1)), await ends())
  const changed = await changes(client, `${chassis}/all_sensors`, 'endpoints')
  await simulator.kill('HwmonTempSensor')
  while (changed.seen.length === 0) await turn()
  t.notOk((await ends()).includes(inlet))
  await t.rejects(map('GetObject', 'sas', inlet, []), /ResourceNotFound/)
  await simulator.kill('EntityManager')
  await t.rejects(
    async () => {
      for (;;) await ends()
    },
    { code: 'ENODEV' }
  )
})

t.test('the mapper tells when it knows a service', async (t) => {
  const { client, simulator, map } = await simulated(t, { without: ['Settings'] })
  await client.match({ member: 'IntrospectionComplete' })
  const known = new Promise((resolve) =>
    client.signals.add((signal) => {
      if (signal.member === 'IntrospectionComplete') resolve(signal.values()[0])
    })
  )
  await simulator.start('Settings')
  t.equal(await known, `${project}Settings`)
  t.ok(await map('GetObject', 'sas', `${root}/control/host0/boot`, []))
})

t.test('the host is switched off and on by its transitions, with its progress', async (t) => {
  const { client, set, get, ask } = await simulated(t)
  const states = await changes(client, host, 'CurrentHostState')
  const progress = await changes(client, host, 'BootProgress')
  const power = await changes(client, `${root}/state/chassis0`, 'CurrentPowerState')
  const chassisPower = ['State.Chassis', `${root}/state/chassis0`, 'State.Chassis', 'RequestedPowerTransition'] as const
  const request = (transition: string) =>
    set(
      'State.Host',
      host,
      'State.Host',
      'RequestedHostTransition',
      's',
      `${project}State.Host.Transition.${transition}`
    )
  await request('Off')
  await power.until('Off')
  t.same(states.seen, ['TransitioningToOff', 'Off'])
  await request('On')
  await progress.until('OSRunning')
  t.same(states.seen.slice(2), ['TransitioningToRunning', 'Running'])
  t.same(power.seen, ['TransitioningToOff', 'Off', 'TransitioningToOn', 'On'])
  t.equal(
    await get('State.Host', host, 'State.Host', 'RestartCause'),
    `${project}State.Host.RestartCause.RemoteCommand`
  )
  const codes = await ask(
    'State.Boot.PostCode0',
    `${root}/State/Boot/PostCode0`,
    'State.Boot.PostCode',
    'GetPostCodes',
    'q',
    1
  )
  t.same(
    (codes[0] as Plain[][]).map(([code]) => [...(code as Uint8Array)]),
    [[1], [0x2b], [0x92], [0xa0], [0xaa]]
  )
  await request('ForceWarmReboot')
  await progress.until('Unspecified')
  await progress.until('OSRunning')
  t.same(states.seen.slice(4), ['Off', 'TransitioningToRunning', 'Running'])
  t.equal(power.seen.length, 4, 'the chassis stays on')
  await set(...chassisPower, 's', `${project}State.Chassis.Transition.Off`)
  await power.until('Off')
  t.equal(states.seen.at(-1), 'Off')
  await set(...chassisPower, 's', `${project}State.Chassis.Transition.On`)
  await power.until('On')
  await request('On')
  await progress.until('OSRunning')
  t.equal(power.seen.length, 8, 'a chassis that is on stays on')
})

t.test('the firmware of a host clears a boot override for one boot', async (t) => {
  const { client, set, get } = await simulated(t)
  const boot = `${root}/control/host0/boot`
  const enabled = await changes(client, boot, 'Enabled')
  await set('Settings', boot, 'Control.Boot.Source', 'BootSource', 's', `${project}Control.Boot.Source.Sources.Network`)
  await set('Settings', `${boot}/one_time`, 'Object.Enable', 'Enabled', 'b', true)
  await set('Settings', boot, 'Object.Enable', 'Enabled', 'b', true)
  await set('State.Host', host, 'State.Host', 'RequestedHostTransition', 's', `${project}State.Host.Transition.Reboot`)
  await enabled.until('false')
  t.equal(
    await get('Settings', boot, 'Control.Boot.Source', 'BootSource'),
    `${project}Control.Boot.Source.Sources.Network`
  )
})

t.test('a watchdog that expires resets the host', async (t) => {
  const { client, get, set } = await simulated(t)
  const path = `${root}/watchdog/host0`
  await set('Watchdog', path, 'State.Watchdog', 'Enabled', 'b', true)
  await new Promise((next) => setTimeout(next, 2))
  t.ok(((await get('Watchdog', path, 'State.Watchdog', 'TimeRemaining')) as bigint) < 30_000n, 'it counts down')
  await set('Watchdog', path, 'State.Watchdog', 'Enabled', 'b', false)
  const cause = await changes(client, host, 'RestartCause')
  await set('Watchdog', path, 'State.Watchdog', 'Interval', 't', 20n)
  await set('Watchdog', path, 'State.Watchdog', 'Enabled', 'b', true)
  await cause.until('WatchdogTimer')
  t.same(cause.seen, ['WatchdogTimer'])
})

t.test('sensors move, raise alarms, and have no value without the power that they need', async (t) => {
  const { client, simulator, get, set } = await simulated(t)
  const values = await changes(client, inlet, 'Value')
  await simulator.move()
  await simulator.move()
  t.ok(new Set(values.seen).size >= 1 && values.seen.every((value) => Number(value) > 20))
  const alarm = await changes(client, inlet, 'WarningAlarmHigh')
  await set('HwmonTempSensor', inlet, 'Sensor.Threshold.Warning', 'WarningHigh', 'd', 10)
  await simulator.move()
  await alarm.until('true')
  const cpu = `${root}/sensors/temperature/CPU0`
  const available = await changes(client, cpu, 'Available')
  await set(
    'State.Chassis',
    `${root}/state/chassis0`,
    'State.Chassis',
    'RequestedPowerTransition',
    's',
    `${project}State.Chassis.Transition.Off`
  )
  await available.until('false')
  t.same(await get('IntelCPUSensor', cpu, 'Sensor.Value', 'Value'), Number.NaN)
})

t.test('users are created, renamed and deleted, within the rules of the user manager', async (t) => {
  const { ask, client, get, set } = await simulated(t)
  const users = `${root}/user`
  const manager = (member: string, signature: string, ...values: Value[]) =>
    ask('User.Manager', users, 'User.Manager', member, signature, ...values)
  const create = (name: string, groups = ['redfish'], privilege = 'priv-user') =>
    manager('CreateUser', 'sassb', name, groups, privilege, true)
  await create('helen')
  t.match(await manager('GetUserInfo', 's', 'helen'), [{ UserPrivilege: 'priv-user', UserEnabled: true }])
  await t.rejects(create('helen'), /User.Common.Error.UserNameExists/)
  await t.rejects(create('1'), /Common.Error.InvalidArgument/)
  await t.rejects(create('ben', ['painters']), /Common.Error.InvalidArgument/)
  await t.rejects(create('ben', [], 'priv-king'), /Common.Error.InvalidArgument/)
  await t.rejects(create('a_name_with_20_places', ['ipmi']), /User.Common.Error.UserNameGroupFail/)
  const privilege = ['User.Attributes', 'UserPrivilege'] as const
  await set('User.Manager', `${users}/helen`, ...privilege, 's', 'priv-operator')
  await t.rejects(set('User.Manager', `${users}/helen`, ...privilege, 's', 'priv-king'), /InvalidArgument/)
  await client.match({ member: 'UserRenamed' })
  const renamed = new Promise((resolve) =>
    client.signals.add((signal) => {
      if (signal.member === 'UserRenamed') resolve(signal.values())
    })
  )
  await manager('RenameUser', 'ss', 'helen', 'ellen')
  t.same(await renamed, ['helen', 'ellen'])
  t.equal(await get('User.Manager', `${users}/ellen`, ...privilege), 'priv-operator')
  await ask('User.Manager', `${users}/ellen`, 'Object.Delete', 'Delete')
  await t.rejects(manager('GetUserInfo', 's', 'ellen'), /User.Common.Error.UserNameDoesNotExist/)
  await t.rejects(
    set('User.Manager', users, 'User.AccountPolicy', 'MinPasswordLength', 'y', 7),
    /Common.Error.InvalidArgument/
  )
})

t.test('entries of the log are created, resolved and deleted', async (t) => {
  const { ask, get, set } = await simulated(t)
  const log = `${root}/logging`
  const level = `${project}Logging.Entry.Level`
  const create = (severity: string) =>
    ask(
      'Logging',
      log,
      'Logging.Create',
      'Create',
      'ssa{ss}',
      'com.example.Hot',
      severity,
      new Map([['SENSOR', 'CPU0']])
    )
  const [entry] = (await create(`${level}.Critical`)) as [string]
  t.same(await get('Logging', entry, 'Logging.Entry', 'AdditionalData'), { SENSOR: 'CPU0' })
  const created = await get('Logging', entry, 'Logging.Entry', 'UpdateTimestamp')
  await new Promise((next) => setTimeout(next, 2))
  await set('Logging', entry, 'Logging.Entry', 'Resolved', 'b', true)
  t.ok(((await get('Logging', entry, 'Logging.Entry', 'UpdateTimestamp')) as bigint) > (created as bigint))
  await t.rejects(create('Bad'), /InvalidEnumString/)
  await ask('Logging', entry, 'Object.Delete', 'Delete')
  await t.rejects(get('Logging', entry, 'Logging.Entry', 'Id'), /UnknownObject/)
  await create(`${level}.Warning`)
  await ask('Logging', log, 'Collection.DeleteAll', 'DeleteAll')
  await t.rejects(get('Logging', `${log}/entry/1`, 'Logging.Entry', 'Id'), /UnknownObject/)
})

/** Calls a method that takes or returns a descriptor, by libdbus. @returns what the script prints */
function python(bus: TestBus, script: string, ...args: string[]): string {
  const start = `import dbus, dbus.bus, os, sys\nbus = dbus.bus.BusConnection('${bus.address}')\n`
  const { stdout, stderr } = spawnSync('/usr/bin/python3', ['-c', start + script, ...args], { encoding: 'utf8' })
  if (stderr !== '') throw new Error(stderr)
  return stdout.trim()
}

t.test('an update becomes ready and active, with its progress, and runs after a restart', async (t) => {
  const { bus, client, get, map, set, simulator } = await simulated(t)
  const software = `${root}/software`
  const ends = (name: string) =>
    get('ObjectMapper', `${software}/${name}`, 'Association', 'endpoints') as Promise<string[]>
  const firmware = async (name: string) => {
    const all = (await map('GetSubTreePaths', 'sias', software, 0, [`${project}Software.Update`])) as string[]
    for (const path of all)
      if (String(await get('Software.Manager', path, 'Software.Version', 'Purpose')).endsWith(`.${name}`)) return path
    return ''
  }
  const update = (path: string, content: string, time = 'Immediate') =>
    python(
      bus,
      `file = os.memfd_create('image'); os.write(file, sys.argv[2].encode())
image = dbus.Interface(bus.get_object('${project}Software.Manager', sys.argv[1]), '${project}Software.Update')
print(image.StartUpdate(dbus.types.UnixFd(file), '${project}Software.ApplyTime.RequestedApplyTimes.' + sys.argv[3]))`,
      path,
      content,
      time
    )
  const spare = await firmware('BMC')
  const before = await ends('functional')
  const bad = update(spare, 'bad image')
  const state = (path: string) => get('Software.Manager', path, 'Software.Activation', 'Activation')
  while ((await state(bad)) !== `${project}Software.Activation.Activations.Invalid`) await turn()
  t.throws(() => update(spare, 'next', 'Default'), /Software.Update.Error.InvalidApplyTime/)
  await simulator.hold()
  const next = update(spare, 'next')
  t.throws(() => update(spare, 'third'), /Software.Update.Error.InProgress/)
  const progress = await changes(client, next, 'Progress')
  const activation = await changes(client, next, 'Activation')
  await simulator.release()
  await activation.until('Active')
  t.same(activation.seen, ['Ready', 'Activating', 'Active'])
  t.equal(progress.seen.at(-1), '100')
  t.equal(await get('Software.Manager', next, 'Software.RedundancyPriority', 'Priority'), 0)
  t.same(await ends('functional'), before, 'it does not run yet')
  const back = await changes(client, `${root}/state/bmc0`, 'CurrentBMCState')
  const transition = `${project}State.BMC.Transition.Reboot`
  await set('State.BMC', `${root}/state/bmc0`, 'State.BMC', 'RequestedBMCTransition', 's', transition)
  await back.until('Ready')
  while (!(await ends('functional')).includes(next)) await turn()
  t.notOk((await ends('active')).includes(spare), 'it took the place of the spare one')
})

t.test('BIOS settings wait for the next boot, and only those that are valid', async (t) => {
  const { client, get, set } = await simulated(t)
  const manager = ['BIOSConfigManager', `${root}/bios_config/manager`, 'BIOSConfig.Manager'] as const
  const pend = (name: string, kind: string, signature: string, value: Value) =>
    set(
      ...manager,
      'PendingAttributes',
      'a{s(sv)}',
      new Map([[name, [`${project}BIOSConfig.Manager.AttributeType.${kind}`, new Variant(signature, value)]]])
    )
  await pend('QuietBoot', 'Enumeration', 's', 'Disabled')
  await pend('DebugLevel', 'Integer', 'x', 3n)
  t.same(Object.keys((await get(...manager, 'PendingAttributes')) as object), ['QuietBoot', 'DebugLevel'])
  await t.rejects(pend('Colour', 'String', 's', 'red'), /BIOSConfig.Common.Error.AttributeNotFound/)
  await t.rejects(pend('FirmwareVersion', 'String', 's', '2'), /BIOSConfig.Common.Error.AttributeReadOnly/)
  await t.rejects(pend('DebugLevel', 'Integer', 'x', 9n), /Common.Error.InvalidArgument/)
  await t.rejects(pend('QuietBoot', 'Enumeration', 's', 'Maybe'), /Common.Error.InvalidArgument/)
  const pending = await changes(client, manager[1], 'PendingAttributes')
  await set('State.Host', host, 'State.Host', 'RequestedHostTransition', 's', `${project}State.Host.Transition.Reboot`)
  while (pending.seen.length === 0) await turn()
  const table = async () => (await get(...manager, 'BaseBIOSTable')) as Record<string, Plain[]>
  t.equal((await table()).QuietBoot?.[5], 'Disabled')
  t.equal((await table()).DebugLevel?.[5], 3n)
  t.same(await get(...manager, 'PendingAttributes'), {})
})

t.test('addresses and VLANs come and go, and DHCP has one state', async (t) => {
  const { ask, get, set } = await simulated(t)
  const eth = `${root}/network/eth0`
  const create = (address: string, prefix = 24) =>
    ask('Network', eth, 'Network.IP.Create', 'IP', 'ssys', `${project}Network.IP.Protocol.IPv4`, address, prefix, '')
  const [path] = (await create('192.0.2.77')) as [string]
  t.equal(await get('Network', path, 'Network.IP', 'Address'), '192.0.2.77')
  await t.rejects(create('192.0.2.777'), /Common.Error.InvalidArgument/)
  await t.rejects(create('192.0.2.7', 33), /Common.Error.InvalidArgument/)
  await t.rejects(set('Network', path, 'Network.IP', 'Address', 's', '192.0.2.78'), /Common.Error.NotAllowed/)
  await ask('Network', path, 'Object.Delete', 'Delete')
  await t.rejects(get('Network', path, 'Network.IP', 'Address'), /UnknownObject/)
  const [vlan] = (await ask('Network', `${root}/network`, 'Network.VLAN.Create', 'VLAN', 'su', 'eth0', 7)) as [string]
  t.equal(await get('Network', vlan, 'Network.VLAN', 'Id'), 7)
  await set('Network', eth, 'Network.EthernetInterface', 'DHCP6', 'b', true)
  const mode = await get('Network', eth, 'Network.EthernetInterface', 'DHCPEnabled')
  t.equal(mode, `${project}Network.EthernetInterface.DHCPConf.both`)
  await t.rejects(
    set('Network', `${root}/network/config`, 'Network.SystemConfiguration', 'HostName', 's', '-'),
    /Common.Error.InvalidArgument/
  )
})

t.test('the clock is set only while it follows no server', async (t) => {
  const { client, set } = await simulated(t)
  const clock = 'org.freedesktop.timedate1'
  const call = (member: string, signature: string, ...values: Value[]) =>
    client.call({
      destination: clock,
      path: '/org/freedesktop/timedate1',
      interface: member === 'Get' ? properties : clock,
      member,
      signature,
      values
    })
  await t.rejects(call('SetTime', 'xbb', 1_000_000n, false, false), /timedate1.AutomaticTimeSyncEnabled/)
  const method = `${project}Time.Synchronization.Method.Manual`
  await set('Settings', `${root}/time/sync_method`, 'Time.Synchronization', 'TimeSyncMethod', 's', method)
  await call('SetTime', 'xbb', 1_000_000n, false, false)
  const [time] = (await call('Get', 'ss', clock, 'TimeUSec')).map(plain) as [bigint]
  t.ok(time >= 1_000_000n && time < 60_000_000n)
})

t.test('certificates are installed and replaced, dumps are made and read, and the console answers', async (t) => {
  const { ask, bus, get } = await simulated(t)
  const folder = t.testdir()
  const make = (name: string) => {
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-keyout', `${folder}/key`]
    const subject = ['-x509', '-subj', `/CN=${name}`, '-out', `${folder}/${name}`]
    spawnSync('openssl', ['req', '-nodes', ...key, ...subject])
    return `${folder}/${name}`
  }
  const https = `${root}/certs/server/https`
  const server = (path: string, name: string, member: string, file: string) =>
    ask('Certs.Manager.Server.Https', path, name, member, 's', file)
  const [path] = (await server(https, 'Certs.Install', 'Install', make('first'))) as [string]
  await t.rejects(server(https, 'Certs.Install', 'Install', make('second')), /Common.Error.NotAllowed/)
  await server(path, 'Certs.Replace', 'Replace', `${folder}/second`)
  t.match(await get('Certs.Manager.Server.Https', path, 'Certs.Certificate', 'Subject'), /CN ?= ?second/)
  await t.rejects(server(path, 'Certs.Replace', 'Replace', `${folder}/key`), /Certs.Error.InvalidCertificate/)

  const [dump] = (await ask('Dump.Manager', `${root}/dump/bmc`, 'Dump.Create', 'CreateDump', 'a{sv}', new Map())) as [
    string
  ]
  while (!String(await get('Dump.Manager', dump, 'Common.Progress', 'Status')).endsWith('.Completed')) await turn()
  const size = await get('Dump.Manager', dump, 'Dump.Entry', 'Size')
  const length = python(
    bus,
    `dump = dbus.Interface(bus.get_object('${project}Dump.Manager', sys.argv[1]), '${project}Dump.Entry')
print(len(open(dump.GetFileHandle().take()).read()))`,
    dump
  )
  t.equal(String(size), length)

  const said = python(
    bus,
    `access = bus.get_object('${project}Console.default', '${root}/console/default')
line = dbus.Interface(access, '${project}Console.Access').Connect().take()
first = os.read(line, 100); os.write(line, b'root'); print(first.decode() + os.read(line, 100).decode())`
  )
  t.equal(said, 'openbmc-sim login: root')
})

t.test('parts are found by the associations of their chassis', async (t) => {
  const { map } = await simulated(t)
  const inventory = `${root}/inventory`
  const parts = async (association: string, kind: string) =>
    (await map('GetAssociatedSubTreePaths', 'ooias', `${chassis}/${association}`, inventory, 0, [
      `${project}Inventory.Item.${kind}`
    ])) as string[]
  const counts: Record<string, number> = {}
  for (const [association, kind] of Object.entries({
    processors: 'Cpu',
    memories: 'Dimm',
    drive: 'Drive',
    cooled_by: 'Fan',
    powered_by: 'PowerSupply',
    pcie_devices: 'PCIeDevice'
  }))
    counts[kind] = (await parts(association, kind)).length
  t.same(counts, { Cpu: 2, Dimm: 16, Drive: 4, Fan: 8, PowerSupply: 2, PCIeDevice: 2 })
  const [cpu = ''] = await parts('processors', 'Cpu')
  t.same(await map('GetAssociatedSubTreePaths', 'ooias', `${cpu}/sensors`, `${root}/sensors`, 0, []), [
    `${root}/sensors/power/CPU0_Power`,
    `${root}/sensors/temperature/CPU0`
  ])
})

t.test('errors have the names of the interfaces', async (t) => {
  const { ask, call, get, set } = await simulated(t)
  const requested = ['State.Host', host, 'State.Host', 'RequestedHostTransition'] as const
  await t.rejects(set(...requested, 's', 'Up'), /sdbusplus.Error.InvalidEnumString/)
  await t.rejects(set(...requested, 'b', true), /InvalidArgs/)
  await t.rejects(set('HwmonTempSensor', inlet, 'Sensor.Value', 'Value', 'd', 1), /PropertyReadOnly/)
  await t.rejects(get('State.Host', host, 'State.Host', 'Colour'), /UnknownProperty/)
  await t.rejects(get('State.Host', host, 'Colour', 'Red'), /UnknownInterface/)
  await t.rejects(get('State.Host', `${host}0`, 'State.Host', 'RestartCause'), /UnknownObject/)
  await t.rejects(ask('State.Host', host, 'State.Host', 'Paint'), /UnknownMethod/)
  await t.rejects(call('State.Host', host, properties, 'Get', 's', 'a'), /InvalidArgs/)
  await t.rejects(
    ask('State.Boot.PostCode0', `${root}/State/Boot/PostCode0`, 'State.Boot.PostCode', 'GetPostCodes', 'q', 9),
    /Common.Error.InvalidArgument/
  )
})

t.test('introspection, properties, object managers and the mapper agree about each object', async (t) => {
  const { bus } = await simulated(t, { hostile: true })
  const { stdout } = spawnSync('/usr/bin/python3', ['test/openbmc/audit.py', bus.address], { encoding: 'utf8' })
  t.match(stdout, /^objects: [1-9]\d\d\n$/, 'GLib finds no contradiction')
})

t.test('busctl and gdbus show its objects', async (t) => {
  const { bus, simulator } = await simulated(t)
  const service = `${project}HwmonTempSensor`
  t.match(bus.busctl('tree', service), `─${inlet}\n`)
  t.match(bus.busctl('introspect', service, inlet), /^\.WarningHigh +property +d +38 +emits-change writable$/m)
  t.match(bus.gdbus('introspect', '--dest', service, '--object-path', inlet), 'readonly d Value = 24.0;')
  await simulator.set(inlet, 'Sensor.Value', 'Value', 30.5)
  t.equal(bus.busctl('get-property', service, inlet, `${project}Sensor.Value`, 'Value'), 'd 30.5\n')
})

t.test('an object that comes and goes is announced by its manager', async (t) => {
  const { bus, client, simulator } = await simulated(t)
  await client.match({ interface: manager })
  const seen: [string, string, Plain][] = []
  client.signals.add((signal) => {
    if (signal.interface !== manager) return
    const [path, what] = signal.values() as [string, Value]
    if (path === `${root}/led/groups/spare`) seen.push([signal.path, signal.member, plain(what)])
  })
  await simulator.add('LED.GroupManager', `${root}/led/groups/spare`, { 'Led.Group': { Asserted: true } })
  await simulator.add('LED.GroupManager', `${root}/led/groups/spare`, { 'Association.Definitions': {} })
  await simulator.remove(`${root}/led/groups/spare`, 'Led.Group')
  await simulator.remove(`${root}/led/groups/spare`, 'Association.Definitions')
  await client.ask('GetId', '', [])
  t.match(seen, [
    [`${root}/led/groups`, 'InterfacesAdded', { [properties]: {}, [`${project}Led.Group`]: { Asserted: true } }],
    [`${root}/led/groups`, 'InterfacesAdded', { [`${project}Association.Definitions`]: { Associations: [] } }],
    [`${root}/led/groups`, 'InterfacesRemoved', [`${project}Led.Group`]],
    [`${root}/led/groups`, 'InterfacesRemoved', [`${project}Association.Definitions`]]
  ])
  t.notMatch(bus.busctl('tree', `${project}LED.GroupManager`), 'spare')
})

t.test('services come late, are silent, lose their names, and come back with the bus', async (t) => {
  const { bus, call, get, simulator, set } = await simulated(t, {
    without: ['LED.GroupManager'],
    late: { Settings: 0.1 }
  })
  while (!bus.busctl('list').includes(`${project}Settings `)) await turn()
  const group = ['LED.GroupManager', `${root}/led/groups/enclosure_identify`, 'Led.Group', 'Asserted'] as const
  await t.rejects(get(...group), { code: 'ENODEV' })
  await simulator.start('LED.GroupManager')
  await set(...group, 'b', true)
  await simulator.lose('LED.GroupManager')
  await t.rejects(get(...group), { code: 'ENODEV' })
  await simulator.take('LED.GroupManager')
  t.equal(await get(...group), true)
  await simulator.silence('LED.GroupManager')
  const never = t.rejects(get(...group), { code: 'ETIMEDOUT' }, 'the bus answers for a service that has died')
  await call('State.Host', host, properties, 'GetAll', 's', '')
  await simulator.kill('LED.GroupManager')
  await never
  await bus.stop()
  await bus.start()
  while (!bus.busctl('list').includes(`${project}State.BMC `)) await new Promise((next) => setTimeout(next, 50))
  t.pass()
})

t.test('a service fails as it is asked to, and sends values of the wrong type or none at all', async (t) => {
  const { client, get, set, simulator } = await simulated(t)
  const group = `${root}/led/groups/enclosure_identify`
  await simulator.fail(group, 'Led.Group', 'Asserted', 'Common.Error.Unavailable')
  const light = () => set('LED.GroupManager', group, 'Led.Group', 'Asserted', 'b', true)
  await t.rejects(light(), /xyz.openbmc_project.Common.Error.Unavailable/)
  await simulator.fail(group, 'Led.Group', 'Asserted', null)
  await light()
  const values = await changes(client, inlet, 'Value')
  await simulator.mistype(inlet, 'Sensor.Value', 'Value', 's', 'warm')
  await simulator.set(inlet, 'Sensor.Value', 'Value', Number.NEGATIVE_INFINITY)
  await values.until('-Infinity')
  t.same(values.seen, ['warm', '-Infinity'])
  const invalidated = new Promise((resolve) =>
    client.signals.add((signal) => {
      if (signal.path === inlet) resolve(plain(signal.values()[2] as Value))
    })
  )
  await simulator.invalidate(inlet, 'Sensor.Value', 'Value', 25)
  t.same(await invalidated, ['Value'])
  t.equal(await get('HwmonTempSensor', inlet, 'Sensor.Value', 'Value'), 25)
})

t.test('a hostile service claims what belongs to others, and lies about it', async (t) => {
  const { client, get, map, simulator } = await simulated(t, { hostile: true })
  t.same(Object.keys((await map('GetObject', 'sas', inlet, [`${project}Sensor.Value`])) as object), [
    `${project}HwmonTempSensor`,
    `${project}Hostile`
  ])
  const all = (await map('GetSubTreePaths', 'sias', `${root}/inventory`, 0, [
    `${project}Inventory.Item.Chassis`
  ])) as string[]
  t.equal(all.filter((path) => path.endsWith('/Rack_Server')).length, 2, 'two objects claim one id')
  const ring = ['Ring_A', 'Ring_B'].map((name) => `${root}/inventory/system/chassis/${name}`)
  for (const path of ring) t.same(await get('ObjectMapper', `${path}/containing`, 'Association', 'endpoints'), ring)
  const reading = (name: string) => get('Hostile', `${root}/sensors/temperature/${name}`, 'Sensor.Value', 'Value')
  t.same(await Promise.all(['Not_A_Number', 'Endless', 'Below_Zero'].map(reading)), [Number.NaN, Infinity, -273.15])

  await client.match({})
  const [owner] = await client.ask('GetNameOwner', 's', [`${project}Hostile`])
  const forged: string[] = []
  client.signals.add(({ sender, path, member }) => {
    if (sender === owner) forged.push(`${path} ${member}`)
  })
  await simulator.forge()
  await get('Hostile', inlet, 'Sensor.Value', 'Value')
  t.same(forged, [
    `${host} PropertiesChanged`,
    `${inlet} PropertiesChanged`,
    `${root}/sensors InterfacesRemoved`,
    `${root}/user InterfacesAdded`,
    '/org/freedesktop/DBus NameOwnerChanged'
  ])
  t.match(await get('State.Host', host, 'State.Host', 'CurrentHostState'), /Running$/)
  await simulator.usurp('LED.GroupManager')
  t.same(await client.ask('GetNameOwner', 's', [`${project}LED.GroupManager`]), [owner])
})

t.test('it has ten thousand objects, if need be', async (t) => {
  const { map } = await simulated(t, { sensors: 10_000 })
  const found = (await map('GetSubTreePaths', 'sias', `${root}/sensors/temperature`, 1, [])) as string[]
  t.equal(found.filter((path) => path.includes('/Probe_')).length, 10_000)
})

t.test('it ends with its input', async (t) => {
  const bus = await TestBus.start(t)
  const program = await bus.python('test/openbmc/simulator.py', bus.address, '--control')
  program.stdin?.end()
  t.same(await once(program, 'exit'), [0, null])
})
