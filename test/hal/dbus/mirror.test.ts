// own process: it starts message buses and services on them

import t, { type Test } from 'tap'
import { type Header, writeMessage } from '#hal/dbus/message.ts'
import { Mirror, type MirrorOptions } from '#hal/dbus/mirror.ts'
import { type Value, Variant } from '#hal/dbus/values.ts'
import { brokers, TestBus } from './buses.ts'
import { fakeBus, reply } from './fake-bus.ts'

t.setTimeout(900_000)

const name = 'xyz.openbmc_project.TestSensor'
const root = '/xyz/openbmc_project/sensors'
const cpu = `${root}/temperature/CPU0`
const value = 'xyz.openbmc_project.Sensor.Value'
const mocked = 'org.freedesktop.DBus.Mock'
const properties = 'org.freedesktop.DBus.Properties'
const manager = 'org.freedesktop.DBus.ObjectManager'

/** A mirror that is closed at the end of the test, and what it warns of. */
function mirrored(t: Test, socket: string, more: Partial<MirrorOptions> = {}) {
  const warnings: string[] = []
  const services = [{ name, managers: [root] }]
  const options = { socket, services, keeps: () => true, warn: (text: string) => warnings.push(text), ...more }
  const mirror = new Mirror(options)
  t.teardown(() => mirror.close())
  return { mirror, warnings, shows: () => mirror.properties(cpu, value)?.get('Value') }
}

/** Waits for a change after which a condition holds. */
function until(mirror: Mirror, condition: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const check = () => {
      if (!condition()) return
      stop()
      resolve()
    }
    const stop = mirror.on(check)
    check()
  })
}

/** A service with one sensor, which python3-dbusmock plays. */
async function sensors(bus: TestBus) {
  const program = await bus.mock(name, '--is-object-manager', name, root, 'test.Manager')
  const call = (path: string, member: string, ...args: string[]) =>
    bus.busctl('call', name, path, mocked, member, ...args)
  const emit = (member: string, signature: string, ...args: string[]) =>
    call(root, 'EmitSignal', 'sssav', manager, member, signature, '2', 'o', ...args)
  const add = (path: string, reading: string) => {
    const content = [value, '1', 'Value', 'd', reading]
    call(root, 'AddObject', 'ssa{sv}a(ssss)', path, ...content, '0')
    emit('InterfacesAdded', 'oa{sa{sv}}', path, 'a{sa{sv}}', '1', ...content)
  }
  const remove = (path: string) => {
    emit('InterfacesRemoved', 'oas', path, 'as', '1', value)
    call(root, 'RemoveObject', 's', path)
  }
  add(cpu, '41.5')
  return { program, call, add, remove }
}

for (const kind of brokers) {
  t.test(`${kind}: objects are read once, and signals keep them current`, async (t) => {
    const bus = await TestBus.start(t, kind)
    const { call, add, remove } = await sensors(bus)
    const { mirror, warnings, shows } = mirrored(t, bus.socket)
    await until(mirror, () => shows() === 41.5)
    call(cpu, 'UpdateProperties', 'sa{sv}', value, '1', 'Value', 'd', '42')
    await until(mirror, () => shows() === 42)
    add(`${root}/temperature/CPU1`, '50')
    await until(mirror, () => mirror.paths(value).length === 2)
    t.same([...(mirror.properties(`${root}/temperature/CPU1`, value) ?? [])], [['Value', 50]])
    remove(cpu)
    await until(mirror, () => mirror.paths(value).length === 1)
    t.equal(shows(), undefined)
    t.same(warnings, [])
  })

  t.test(
    `${kind}: what a service that is killed had is unavailable within a second, and read when it is back`,
    async (t) => {
      const bus = await TestBus.start(t, kind)
      const { program, add, call } = await sensors(bus)
      add(`${root}/temperature/CPU1`, '50')
      call(cpu, 'AddProperty', 'ssv', value, 'Unit', 's', 'DegreesC')
      const { mirror, shows } = mirrored(t, bus.socket)
      await until(mirror, () => mirror.paths(value).length === 2)
      const killed = performance.now()
      await bus.kill(program)
      await until(mirror, () => shows() === undefined)
      t.ok(performance.now() - killed < 1000)
      t.equal(mirror.paths(value).length, 2, 'it is not removed')
      await sensors(bus)
      await until(mirror, () => shows() === 41.5)
      t.same(mirror.paths(value), [cpu], 'what has gone meanwhile is')
      t.same([...(mirror.properties(cpu, value) ?? [])], [['Value', 41.5]], 'a property as well')
    }
  )

  t.test(`${kind}: a bus that restarts is joined again`, async (t) => {
    const bus = await TestBus.start(t, kind)
    await sensors(bus)
    const { mirror, warnings, shows } = mirrored(t, bus.socket)
    await until(mirror, () => shows() === 41.5)
    await bus.stop()
    await until(mirror, () => shows() === undefined)
    await t.rejects(mirror.call({ destination: name, path: root, interface: mocked, member: 'Reset' }), {
      code: 'ENODEV'
    })
    await bus.start()
    const started = performance.now()
    await sensors(bus)
    await until(mirror, () => shows() === 41.5)
    t.ok(performance.now() - started < 5000)
    t.match(warnings[0], /the bus closed the connection/)
  })
}

t.test('a service that starts after the mirror is read', async (t) => {
  const bus = await TestBus.start(t)
  const { mirror, shows } = mirrored(t, bus.socket)
  await sensors(bus)
  await until(mirror, () => shows() === 41.5)
})

t.test('a value that a signal does not tell is asked for', async (t) => {
  const bus = await TestBus.start(t)
  const { call } = await sensors(bus)
  const { mirror, shows } = mirrored(t, bus.socket)
  await until(mirror, () => shows() === 41.5)
  // Without a signal of its own; dbusmock takes the values of a signal as an array of variants.
  call(cpu, 'AddProperty', 'ssv', value, 'Unit', 's', 'DegreesC')
  t.equal(mirror.properties(cpu, value)?.get('Unit'), undefined)
  const [changed, invalidated] = [
    ['a{sv}', '0'],
    ['as', '1', 'Unit']
  ] as const
  call(
    cpu,
    'EmitSignal',
    'sssav',
    properties,
    'PropertiesChanged',
    'sa{sv}as',
    '3',
    's',
    value,
    ...changed,
    ...invalidated
  )
  await until(mirror, () => mirror.properties(cpu, value)?.get('Unit') === 'DegreesC')
})

t.test('only the owner of the name is believed', async (t) => {
  const bus = await TestBus.start(t)
  const { call } = await sensors(bus)
  const { mirror, shows } = mirrored(t, bus.socket)
  await until(mirror, () => shows() === 41.5)
  bus.busctl('emit', cpu, properties, 'PropertiesChanged', 'sa{sv}as', value, '1', 'Value', 'd', '99', '0')
  bus.busctl('emit', root, manager, 'InterfacesRemoved', 'oas', cpu, '1', value)
  call(cpu, 'UpdateProperties', 'sa{sv}', value, '1', 'Value', 'd', '42')
  await until(mirror, () => shows() === 42)
})

t.test('services without an ObjectManager are read object by object: systemd1, timedate1', async (t) => {
  const bus = await TestBus.start(t)
  await bus.mock('org.freedesktop.systemd1', '--template', 'systemd')
  await bus.mock('org.freedesktop.timedate1', '--template', 'timedated')
  const clock = '/org/freedesktop/timedate1'
  const systemd = '/org/freedesktop/systemd1'
  const { mirror } = mirrored(t, bus.socket, {
    services: [
      { name: 'org.freedesktop.systemd1', objects: { [systemd]: ['org.freedesktop.systemd1.Manager'] } },
      { name: 'org.freedesktop.timedate1', objects: { [clock]: ['org.freedesktop.timedate1'], '/nowhere': ['a.b'] } }
    ]
  })
  const shows = (property: string) => mirror.properties(clock, 'org.freedesktop.timedate1')?.get(property)
  await until(mirror, () => shows('NTP') === true)
  await until(
    mirror,
    () => mirror.properties(systemd, 'org.freedesktop.systemd1.Manager')?.get('Version') !== undefined
  )
  bus.busctl('call', 'org.freedesktop.timedate1', clock, 'org.freedesktop.timedate1', 'SetNTP', 'bb', 'false', 'false')
  await until(mirror, () => shows('NTP') === false)
  t.equal(mirror.paths('a.b').length, 0)
})

/** A service on a bus that the test plays. */
const owner = ':1.5'
const signal = (member: string, signature: string, ...values: Value[]) =>
  writeMessage(
    {
      ...({ kind: 'signal', serial: 3, isUnanswered: true, sender: owner, member, signature } as const),
      ...(member === 'PropertiesChanged' ? { path: cpu, interface: properties } : { path: root, interface: manager })
    },
    values
  )
const changed = (reading: Value, type = 'd') =>
  signal('PropertiesChanged', 'sa{sv}as', value, new Map([['Value', new Variant(type, reading)]]), [])
const snapshot = (serial: number, ...readings: (readonly [path: string, Value, type?: string])[]) =>
  reply(serial, '', { sender: owner, signature: 'a{oa{sa{sv}}}' }, [
    new Map(
      readings.map(([path, reading, type = 'd']) => [
        path,
        new Map([[value, new Map([['Value', new Variant(type, reading)]])]])
      ])
    )
  ])
const moved = (from: string, to: string) =>
  writeMessage(
    {
      ...({ kind: 'signal', serial: 4, isUnanswered: true, sender: 'org.freedesktop.DBus', path: '/a' } as const),
      ...{ interface: 'org.freedesktop.DBus', member: 'NameOwnerChanged', signature: 'sss' }
    },
    [name, from, to]
  )

/** A bus on which the service has its name; `read` answers the calls of the service. */
const played = (t: Test, read: (call: Header) => readonly Uint8Array[]) =>
  fakeBus(t, (call) => {
    if (call.destination !== 'org.freedesktop.DBus') return read(call)
    if (call.member === 'AddMatch') return [reply(call.serial, '', { signature: undefined } as object, [])]
    return [reply(call.serial, call.member === 'GetNameOwner' ? owner : ':1.9')]
  })

t.test('signals before the first answer, and behind it in the same bytes, lead to the last value', async (t) => {
  for (const [before, after, expected] of [
    [[], [], 1],
    [[2], [], 2],
    [[], [3], 3],
    [[2, 4], [3], 3]
  ] as const) {
    const bus = await played(t, ({ serial }) => [
      Buffer.concat([
        ...before.map((each) => changed(each)),
        snapshot(serial, [cpu, 1]),
        ...after.map((each) => changed(each))
      ])
    ])
    const { mirror, shows } = mirrored(t, bus.socket)
    await until(mirror, () => shows() !== undefined)
    t.equal(shows(), expected)
  }
})

t.test('the owner that comes after the question who it is counts', async (t) => {
  const bus = await fakeBus(t, ({ serial, member, destination }) => {
    if (member === 'GetNameOwner') return [Buffer.concat([reply(serial, ':1.4'), moved(':1.4', owner)])]
    if (member === 'GetManagedObjects') return destination === owner ? [snapshot(serial, [cpu, 1])] : []
    return [reply(serial, ':1.9')]
  })
  const { mirror, shows } = mirrored(t, bus.socket)
  await until(mirror, () => shows() === 1)
})

t.test('a burst of signals is told once', async (t) => {
  const bus = await played(t, ({ serial }) => [
    snapshot(serial, [cpu, 1]),
    Buffer.concat(Array.from({ length: 1000 }, (_, at) => changed(at)))
  ])
  const { mirror, shows } = mirrored(t, bus.socket)
  let told = 0
  mirror.on(() => {
    told += 1
  })
  await until(mirror, () => shows() === 999)
  t.ok(told <= 3, `${told}`)
})

t.test('a service that fails is read again, and reported once for each reason', async (t) => {
  let asked = 0
  const bus = await played(t, ({ serial }) => {
    asked += 1
    if (asked <= 2) return [reply(serial, 'no objects', { sender: owner })]
    if (asked === 3) return [reply(serial, '', { kind: 'error', error: 'a.b.Failed', sender: owner })]
    return [snapshot(serial, [cpu, 1])]
  })
  const { mirror, warnings, shows } = mirrored(t, bus.socket)
  await until(mirror, () => shows() === 1)
  t.equal(warnings.length, 2)
  t.match(warnings, [/the answer is s$/, /a\.b\.Failed/])
})

t.test('signals that are not valid change nothing, and values of another type are shown as they are', async (t) => {
  const broken = changed(7)
  broken[broken.length - 12] = 0xff
  const bus = await played(t, ({ serial }) => [
    snapshot(serial, [cpu, 1]),
    signal('PropertiesChanged', 's', value),
    signal('InterfacesAdded', 'os', cpu, value),
    signal('InterfacesRemoved', 'o', cpu),
    broken,
    signal('PropertiesChanged', 'sa{sv}as', 'not.there', new Map([['Value', new Variant('d', 8)]]), []),
    changed('much', 's')
  ])
  const { mirror, shows } = mirrored(t, bus.socket)
  const seen: unknown[] = []
  mirror.on(() => seen.push(shows()))
  await until(mirror, () => shows() === 'much')
  t.notOk(seen.some((each) => each === undefined || each === 7 || each === 8))
})

t.test('what a signal tells that is too long to be read, is read with the whole service', async (t) => {
  let reads = 0
  const bus = await played(t, ({ serial }) => {
    reads += 1
    return reads === 1
      ? [snapshot(serial, [cpu, 1]), changed('x'.repeat(5_000_000), 's')]
      : [snapshot(serial, [cpu, 2])]
  })
  const { mirror, warnings, shows } = mirrored(t, bus.socket)
  await until(mirror, () => shows() === 2)
  t.equal(reads, 2)
  t.match(warnings, [/PropertiesChanged: .*too long/])
})

t.test('more than there is room for is left out, and reported', async (t) => {
  const bus = await played(t, ({ serial }) => [
    snapshot(serial, [cpu, 1], ...Array.from({ length: 100 }, (_, at) => [`${root}/temperature/a${at}`, at] as const)),
    signal('PropertiesChanged', 'sa{sv}as', value, new Map([['Text', new Variant('s', 'x'.repeat(100_000))]]), []),
    changed(2)
  ])
  const { mirror, warnings, shows } = mirrored(t, bus.socket, { most: 20_000 })
  await until(mirror, () => shows() === 2)
  t.ok(mirror.paths(value).length > 10)
  t.ok(mirror.paths(value).length < 90)
  t.equal(mirror.properties(cpu, value)?.get('Text'), undefined)
  t.match(warnings, [/has more objects than can be kept/])
  t.equal(warnings.length, 1)
})

t.test('a service that has much leaves room for the others', async (t) => {
  const other = `${root}/temperature/CPU1`
  const bus = await played(t, ({ serial }) => [snapshot(serial, [cpu, 'x'.repeat(9000), 's'], [other, 1, 'd'])])
  const { mirror, warnings } = mirrored(t, bus.socket, { most: 20_000, mostOfService: 6000 })
  await until(mirror, () => mirror.properties(other, value)?.get('Value') === 1)
  t.equal(mirror.properties(cpu, value)?.get('Value'), undefined)
  t.match(warnings, [/has more objects than can be kept/])
})

t.test('a value that finds no room is unknown, and the one before it makes room', async (t) => {
  const text = 'x'.repeat(9000)
  const bus = await played(t, ({ serial }) => [
    snapshot(serial, [cpu, text, 's']),
    ...Array.from({ length: 5 }, () => [changed('x'.repeat(20_000), 's'), changed(text, 's')]).flat(),
    changed(`${text}!`, 's')
  ])
  const { mirror, warnings, shows } = mirrored(t, bus.socket, { most: 12_000 })
  await until(mirror, () => shows() === `${text}!`)
  t.equal(warnings.length, 1)
  const [warning = ''] = warnings
  t.match(warning, /has more objects than can be kept/)
})

t.test('what goes makes room', async (t) => {
  const text = 'x'.repeat(9000)
  const bus = await played(t, ({ serial }) => [
    snapshot(serial, [cpu, text, 's']),
    ...Array.from({ length: 20 }, () => [
      signal('InterfacesRemoved', 'oas', cpu, [value]),
      signal('InterfacesAdded', 'oa{sa{sv}}', cpu, new Map([[value, new Map([['Value', new Variant('s', text)]])]])),
      changed('short', 's'),
      changed(text, 's')
    ]).flat(),
    changed('last', 's')
  ])
  const { mirror, warnings, shows } = mirrored(t, bus.socket, { most: 12_000 })
  await until(mirror, () => shows() === 'last')
  t.same(warnings, [])
})
