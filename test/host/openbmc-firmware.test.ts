import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Test } from 'tap'
import { TestBus } from '#test/hal/dbus/buses.ts'
import { openbmcBoard, ownBoard, policy } from '#test/openbmc/board.ts'
import { OpenbmcSimulator } from '#test/openbmc/simulator.ts'
import { makeSigner } from './certificates.ts'
import { onBothHosts } from './every-host.ts'
import type { Host } from './hosts.ts'
import { push } from './push.ts'
import { directory, type Json, type Response, type Server, start } from './server.ts'

const inventory = '/redfish/v1/UpdateService/FirmwareInventory/'
const manager = '/redfish/v1/Managers/1/'
/** The object of a version, as the simulator names it. */
const object = (version: string) =>
  `/xyz/openbmc_project/software/${createHash('sha256').update(`BMC${version}`).digest('hex').slice(0, 8)}`
const running = object('2.14.0')
const controller = '/xyz/openbmc_project/state/bmc0'
const onReset = { '@Redfish.OperationApplyTime': 'OnReset' }

const bytes = (text: string) => new TextEncoder().encode(text)
/** The version of a file, as the simulator names it. */
const versionOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 12)

const versions = (server: Server, expected: Record<string, string>) =>
  server.until(
    () => server.get(`${inventory}?$expand=.`),
    ({ json }) =>
      Object.entries(expected).every(([id, version]) =>
        json.Members.some((each: Json) => each.Id === id && each.Version === version)
      )
  )

/** The task of an update, once it is in a state or has told a message. */
const task = async (server: Server, { headers }: Response, wanted: string) => {
  const told = ({ Messages }: Json): string[] =>
    Messages.map(({ MessageId }: Json) => MessageId.replace(/\.[\d.]+\./, '.'))
  const { json } = await server.until(
    () => server.get(String(headers.location)),
    ({ json }) => json.TaskState === wanted || told(json).includes(wanted)
  )
  return { ...json, told: told(json) }
}

async function started(t: Test, host: Host, boardOf: (socket: string) => object = openbmcBoard) {
  const bus = await TestBus.start(t, 'dbus-daemon', policy())
  const daemons = await OpenbmcSimulator.start(t, bus)
  const data = directory(t)
  const board = join(data, 'board.json')
  writeFileSync(board, JSON.stringify(boardOf(bus.socket)))
  const open = () => start(t, host, { args: ['--board', board], data })
  const server = await open()
  const [bmc, system] = boardOf === ownBoard ? ['bmc', 'system'] : ['1', '1']
  const first = { [`Manager-${bmc}-A`]: '2.14.0', [`Manager-${bmc}-B`]: '2.12.1' }
  await versions(server, { ...first, [`BIOS-${system}`]: 'BIOS-1.08' })
  return { daemons, data, open, server }
}

onBothHosts(async (t, host) => {
  await t.test('the versions of the board openbmc are those of the bus', async (t) => {
    const { server } = await started(t, host, ownBoard)
    t.match((await server.get('/redfish/v1/Managers/bmc/')).json, { FirmwareVersion: '2.14.0' })
    t.match((await server.get('/redfish/v1/Systems/system/')).json, { BiosVersion: 'BIOS-1.08' })
  })

  await t.test('a file of the maker is installed, waits for a reset of the controller, and runs', async (t) => {
    const { data, open, server } = await started(t, host)
    t.match((await server.get(manager)).json, { FirmwareVersion: '2.14.0' })
    const pushed = await push(server, onReset, bytes('an image'))
    t.equal(pushed.status, 202, pushed.text)
    const waiting = await task(server, pushed, 'Update.AwaitToActivate')
    t.match(waiting, { TaskState: 'Pending', PercentComplete: 95 })
    t.same(waiting.told, [
      'TaskEvent.TaskStarted',
      'Update.TargetDetermined',
      'Update.InstallingOnComponent',
      'Update.AwaitToActivate'
    ])
    t.match((await server.get(`${inventory}Manager-1-B/`)).json, {
      Staged: true,
      Active: false,
      Version: versionOf('an image')
    })
    t.same(readdirSync(join(data, 'updates')), [], 'no file is left')

    await server.stop()
    const again = await open()
    await versions(again, { 'Manager-1-B': versionOf('an image') })
    t.match((await task(again, pushed, 'Pending')).TaskState, 'Pending', 'the service has started again, the board not')

    const reset = await again.post(`${manager}Actions/Manager.Reset/`, { ResetType: 'GracefulRestart' })
    t.equal(reset.status, 200, reset.text)
    t.equal((await again.process.ended).status, 3, 'the board is to be reset')
    const after = await open()
    await task(after, pushed, 'Completed')
    t.match((await after.get(manager)).json, { FirmwareVersion: versionOf('an image') })
  })

  await t.test('a reset of the manager is one of the board', async (t) => {
    const { daemons, open, server } = await started(t, host)
    const reset = `${manager}Actions/Manager.Reset/`
    t.equal((await server.post(reset, { ResetType: 'GracefulRestart' })).status, 200)
    t.equal((await server.process.ended).status, 3)
    t.same(await daemons.notes(), ['Reboot'])
    const forced = await open()
    await versions(forced, { 'Manager-1-A': '2.14.0' })
    t.equal((await forced.post(reset, { ResetType: 'ForceRestart' })).status, 200)
    t.equal((await forced.process.ended).status, 3)
    t.same(await daemons.notes(), ['Reboot', 'HardReboot'])
    await daemons.kill('State.BMC')
    const alone = await open()
    t.equal((await alone.post(reset, {})).status, 200)
    t.equal((await alone.process.ended).status, 3, 'the service is started anew at least')
  })

  await t.test('an update at once resets the board', async (t) => {
    const { daemons, open, server } = await started(t, host)
    const pushed = await push(server, {}, bytes('an image'))
    t.equal((await server.process.ended).status, 3)
    t.match(await daemons.get(controller, 'State.BMC', 'RequestedBMCTransition'), /^(Reboot|None)$/)
    const after = await open()
    await task(after, pushed, 'Completed')
    await versions(after, { 'Manager-1-B': versionOf('an image') })
  })

  await t.test('a file of the maker is fetched from a server, also for one component', async (t) => {
    const { server } = await started(t, host)
    const extensions = ['subjectAltName=IP:127.0.0.1']
    const { certificate: cert, key } = makeSigner(t, { subject: '/CN=files', extensions })
    const files = createServer({ cert, key }, ({ url = '' }, response) => {
      response.writeHead(url === '/missing' ? 404 : 200).end(url.slice(1))
    })
    files.listen(0, '127.0.0.1')
    await once(files, 'listening')
    t.teardown(() => files.close().closeAllConnections())
    const { port } = files.address() as AddressInfo
    const fetch = (name: string, more: object = {}) =>
      server.post('/redfish/v1/UpdateService/Actions/UpdateService.SimpleUpdate/', {
        ImageURI: `https://127.0.0.1:${port}/${name}`,
        ...more
      })
    for (const [name, message] of [
      ['missing', 'Update.TransferFailed'],
      ['bad', 'Update.VerificationFailed']
    ] as const) {
      const { told } = await task(server, await fetch(name, onReset), 'Exception')
      t.ok(told.includes(message), `${told}`)
    }
    const Targets = [`${inventory}BIOS-1`]
    const waiting = await fetch('a-bios', { Targets, ...onReset })
    t.equal(waiting.status, 202, waiting.text)
    await task(server, await fetch('an-image', onReset), 'Update.AwaitToActivate')
    await versions(server, { 'Manager-1-B': versionOf('an-image'), 'BIOS-1': 'BIOS-1.08' })
    await server.post('/redfish/v1/Systems/1/Actions/ComputerSystem.Reset/', { ResetType: 'ForceOff' })
    await task(server, waiting, 'Completed')
    await versions(server, { 'BIOS-1': versionOf('a-bios') })
  })

  await t.test('the firmware of a host that is off is installed', async (t) => {
    const { daemons, server } = await started(t, host)
    const targets = { Targets: [`${inventory}BIOS-1`] }
    const refused = await push(server, targets, bytes('a BIOS'))
    t.match([refused.status, refused.text], [409, /SystemPowerOffRequired/])
    const waiting = await push(server, { ...targets, ...onReset }, bytes('a BIOS'))
    t.match(waiting.json, { TaskState: 'Pending' })
    t.equal(await daemons.get('/xyz/openbmc_project/state/host0', 'State.Host', 'CurrentHostState'), 'Running')
    await server.post('/redfish/v1/Systems/1/Actions/ComputerSystem.Reset/', { ResetType: 'ForceOff' })
    await task(server, waiting, 'Completed')
    await versions(server, { 'BIOS-1': versionOf('a BIOS') })
    t.match((await server.get('/redfish/v1/Systems/1/')).json, { BiosVersion: versionOf('a BIOS') })
  })

  await t.test('a file that the daemon refuses, and a daemon that is away, are told by messages', async (t) => {
    const { daemons, server } = await started(t, host)
    const bad = await task(server, await push(server, {}, bytes('bad')), 'Exception')
    t.ok(bad.told.includes('Update.VerificationFailed'), `${bad.told}`)
    const [other] = (
      (await daemons.get('/xyz/openbmc_project/software', 'Association.Definitions', 'Associations')) as string[][]
    ).flatMap(([name, , path]) => (name === 'updateable' ? [String(path)] : []))
    await daemons.fail(String(other), 'Software.Update', 'StartUpdate', 'Software.Update.Error.InProgress')
    const busy = await task(server, await push(server, {}, bytes('an image')), 'Exception')
    t.ok(busy.told.includes('Update.ApplyFailed'), `${busy.told}`)
    await daemons.fail(String(other), 'Software.Update', 'StartUpdate', null)

    await daemons.kill('Software.Manager')
    await server.until(
      () => server.get(inventory),
      ({ json }) => json.Members.length === 0
    )
    t.equal((await server.get(`${inventory}Manager-1-A/`)).status, 404)
    t.equal((await server.get(manager)).status, 200)
    t.equal((await server.get('/redfish/v1/Systems/1/')).json.Status.Health, 'OK', 'what is not known is not damaged')
    const waiting = await push(server, onReset, bytes('an image'))
    t.equal(waiting.status, 202, waiting.text)
    const installed = object(versionOf('an image'))
    await daemons.start('Software.Manager')
    await task(server, waiting, 'Update.AwaitToActivate')
    const cancelled = await server.delete(String(waiting.headers.location))
    t.ok(cancelled.status < 300, cancelled.text)
    const priority = () => daemons.get(running, 'Software.RedundancyPriority', 'Priority')
    while ((await priority()) !== 0);

    // Should it be installed too early, it fails.
    await daemons.fail(installed, 'Software.Update', 'StartUpdate', 'Common.Error.Unavailable')
    const asked = await push(server, { '@Redfish.OperationApplyTime': 'OnStartUpdateRequest' }, bytes('a later image'))
    t.match(asked.json, { TaskState: 'Pending' })
    for (let times = 0; times < 20; times++)
      t.match(
        (await server.get(String(asked.headers.location))).json,
        { TaskState: 'Pending' },
        'not before it is asked for'
      )
    await daemons.fail(installed, 'Software.Update', 'StartUpdate', null)
    const begun = await server.post('/redfish/v1/UpdateService/Actions/UpdateService.StartUpdate/', {})
    t.ok(begun.status < 300, begun.text)
    t.equal((await server.process.ended).status, 3)
  })
})
