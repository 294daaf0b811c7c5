import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { TestBus } from '#test/hal/dbus/buses.ts'
import { openbmcBoard, policy } from '#test/openbmc/board.ts'
import { OpenbmcSimulator } from '#test/openbmc/simulator.ts'
import { EventSource } from './event-source.ts'
import { onBothHosts } from './every-host.ts'
import type { Host } from './hosts.ts'
import { directory, type Json, start } from './server.ts'

const system = '/redfish/v1/Systems/1/'
const chassis = '/redfish/v1/Chassis/1/'
const reset = `${system}Actions/ComputerSystem.Reset/`
const hostPath = '/xyz/openbmc_project/state/host0'

async function started(t: Test, host: Host, options: Parameters<typeof OpenbmcSimulator.start>[2] = {}) {
  const bus = await TestBus.start(t, 'dbus-daemon', policy())
  const daemons = await OpenbmcSimulator.start(t, bus, options)
  const board = join(directory(t), 'board.json')
  writeFileSync(board, JSON.stringify(openbmcBoard(bus.socket)))
  const server = await start(t, host, { args: ['--board', board] })
  const until = (path: string, expected: (json: Json) => boolean) =>
    server.until(
      () => server.get(path),
      ({ json }) => expected(json)
    )
  const become = (state: string | null) => until(system, ({ PowerState }) => PowerState === state)
  return { bus, daemons, server, until, become }
}

onBothHosts(async (t, host) => {
  await t.test('a client controls the host of OpenBMC, and sees what other programs do with it', async (t) => {
    const { bus, daemons, server, until, become } = await started(t, host)
    await become('On')
    const events = await EventSource.open(t, server)
    for (const [type, states] of [
      ['GracefulShutdown', ['PoweringOff', 'Off']],
      ['On', ['PoweringOn', 'On']],
      ['GracefulRestart', ['PoweringOff', 'Off', 'PoweringOn', 'On']]
    ] as const) {
      t.equal((await server.post(reset, { ResetType: type })).status, 200, type)
      await become(states.at(-1) as string)
      const seen: string[] = []
      while (seen.length < states.length) {
        const { MessageId, MessageArgs } = (await events.next())?.data.Events[0] ?? {}
        if (/PowerStateChanged$/.test(MessageId)) seen.push(MessageArgs[0])
      }
      t.same(seen, states, type)
    }
    t.equal((await server.post(reset, { ResetType: 'Nmi' })).status, 200)
    t.same(await daemons.notes(), ['NMI'])

    t.equal((await server.patch(chassis, { LocationIndicatorActive: true })).status, 200)
    const led = '/xyz/openbmc_project/led/groups/enclosure_identify'
    t.ok(await daemons.get(led, 'Led.Group', 'Asserted'))
    await daemons.set(led, 'Led.Group', 'Asserted', false)
    await until(chassis, ({ LocationIndicatorActive }) => LocationIndicatorActive === false)

    const boot = '/xyz/openbmc_project/control/host0/boot'
    const override = async () => [
      await daemons.get(boot, 'Control.Boot.Source', 'BootSource'),
      await daemons.get(boot, 'Object.Enable', 'Enabled')
    ]
    const asked = { BootSourceOverrideEnabled: 'Once', BootSourceOverrideTarget: 'Pxe' }
    const changed = async (uri = system) => {
      for (;;) {
        const { MessageId, OriginOfCondition } = (await events.next())?.data.Events[0] ?? {}
        if (/ResourceChanged$/.test(MessageId) && OriginOfCondition['@odata.id'] === uri) return
      }
    }
    t.equal((await server.patch(system, { Boot: asked })).status, 200)
    t.match((await server.get(system)).json.Boot, asked)
    await changed()
    t.same(await override(), ['Network', true])
    t.equal((await server.post(reset, { ResetType: 'ForceRestart' })).status, 200)
    await until(system, ({ Boot }) => Boot.BootSourceOverrideEnabled === 'Disabled')
    t.same(await override(), ['Network', false], 'the firmware has cleared it')
    await changed()
    await daemons.set(boot, 'Control.Boot.Source', 'BootSource', 'Disk')
    await changed()
    t.match((await server.get(system)).json.Boot, { BootSourceOverrideTarget: 'Hdd' })
    const unknown = await server.patch(system, { Boot: { BootSourceOverrideTarget: 'SDCard' } })
    t.match(unknown, { status: 400 })

    const restore = ['/xyz/openbmc_project/control/host0/power_restore_policy', 'Control.Power.RestorePolicy'] as const
    t.match((await server.get(system)).json, { PowerRestorePolicy: 'LastState' })
    t.equal((await server.patch(system, { PowerRestorePolicy: 'AlwaysOff' })).status, 200)
    await changed()
    t.equal(await daemons.get(...restore, 'PowerRestorePolicy'), 'AlwaysOff')
    await daemons.set(...restore, 'PowerRestorePolicy', 'AlwaysOn')
    await changed()
    t.match((await server.get(system)).json, { PowerRestorePolicy: 'AlwaysOn' })

    const codes = `${system}LogServices/PostCodes/Entries/`
    await until(codes, ({ Members }) => Members.some(({ MessageArgs }: Json) => MessageArgs[0] === '0xaa'))

    const cap = '/xyz/openbmc_project/control/host0/power_cap'
    const control = `${chassis}Controls/PowerLimit/`
    t.match((await server.get(control)).json, { ControlMode: 'Disabled', AllowableMin: 300, AllowableMax: 1600 })
    t.equal((await server.patch(control, { SetPoint: 450 })).status, 200)
    await changed(control)
    const held = async (name: string) => daemons.get(cap, 'Control.Power.Cap', name)
    t.same([await held('PowerCap'), await held('PowerCapEnable')], [450, true])
    await daemons.set(cap, 'Control.Power.Cap', 'PowerCap', 500)
    await changed(control)
    t.match((await server.get(control)).json, { ControlMode: 'Automatic', SetPoint: 500 })

    const { json } = await server.get(`${chassis}Sensors/?$expand=.`)
    const processor = json.Members.find(({ Name }: Json) => /Processor 1/.test(Name))
    t.equal(processor?.Reading, 52)
    await daemons.set('/xyz/openbmc_project/sensors/temperature/CPU0', 'Sensor.Value', 'Value', 61)
    await until(processor['@odata.id'], ({ Reading }) => Reading === 61)

    bus.busctl(
      ...['set-property', 'xyz.openbmc_project.State.Host', hostPath, 'xyz.openbmc_project.State.Host'],
      ...['RequestedHostTransition', 's', 'xyz.openbmc_project.State.Host.Transition.Off']
    )
    await become('Off')
  })

  await t.test('a daemon that dies is no failed request, and is used again once it is back', async (t) => {
    const { daemons, server, until, become } = await started(t, host)
    await become('On')
    await daemons.kill('State.Host')
    await become(null)
    t.equal((await server.get(system)).json.Status.State, 'UnavailableOffline')
    const refused = await server.post(reset, { ResetType: 'ForceOff' })
    t.equal(refused.status, 503)
    t.ok(Number(refused.headers['retry-after']) > 0)
    await daemons.start('State.Host')
    await become('On')
    t.equal((await server.post(reset, { ResetType: 'ForceOff' })).status, 200)
    await become('Off')
    const enabled = (wanted: string | null) => until(system, ({ Boot }) => Boot.BootSourceOverrideEnabled === wanted)
    await daemons.kill('Settings')
    await enabled(null)
    const late = await server.patch(system, { AssetTag: 'R7', Boot: { BootSourceOverrideTarget: 'Pxe' } })
    t.equal(late.status, 503)
    t.equal((await server.get(system)).json.AssetTag, '', 'nothing of it is stored')
    await daemons.start('Settings')
    await enabled('Disabled')
  })

  await t.test('a bus that restarts is joined again, and requests are answered meanwhile', async (t) => {
    const { bus, server, become } = await started(t, host)
    await become('On')
    await bus.stop()
    await become(null)
    t.equal((await server.get('/redfish/v1/Systems/')).status, 200)
    await bus.start()
    await become('On')
  })

  await t.test('requests that are repeated make no call on the bus', async (t) => {
    const { bus, server, become } = await started(t, host)
    await become('On')
    const monitor = spawn('busctl', [`--address=${bus.address}`, 'monitor', '--json=short'])
    t.teardown(() => monitor.kill())
    let calls = 0
    monitor.stdout.setEncoding('utf8').on('data', (text: string) => {
      calls += text.split('"type":"method_call"').length - 1
    })
    await new Promise((resolve) => monitor.stderr.once('data', resolve))
    calls = 0
    for (let count = 0; count < 100; count++) {
      for (const path of [system, chassis, `${chassis}Sensors/?$expand=.`, `${system}LogServices/EventLog/Entries/`])
        t.equal((await server.get(path)).status, 200)
    }
    t.equal(calls, 0)
    bus.busctl(
      'get-property',
      'xyz.openbmc_project.State.Host',
      hostPath,
      'xyz.openbmc_project.State.Host',
      'CurrentHostState'
    )
    while (calls === 0) await new Promise((resolve) => setTimeout(resolve, 10))
  })
})
