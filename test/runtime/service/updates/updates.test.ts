import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer } from 'node:net'
import t, { type Test } from 'tap'
import type { Board } from '#data/board'
import sim from '#data/boards/sim.json' with { type: 'json' }
import type { Configuration } from '#data/configuration'
import type { Task } from '#data/tasks'
import { sleep } from '#runtime/base/sleep.ts'
import { updateFile } from '#runtime/build/update-file.mjs'
import { Grants } from '#runtime/request/grants.ts'
import { selfSigned } from '#runtime/service/certificates/self-signed.ts'
import { withoutVariables } from '#test/data/board/without-variables.ts'
import { watch } from '#test/hal/contracts/power.ts'
import { openFiles } from '#test/runtime/service/open-files.ts'
import { type Answer, as, type Fixture, keys, openFixture, password } from '#test/runtime/service.ts'

const service = '/redfish/v1/UpdateService'
const bios = '/redfish/v1/Systems/1/Bios/'

const file = (version: string, more: object = {}, size = 200_000) =>
  updateFile(
    sim.updateKey,
    { board: 'sim', component: 'controller', version, ...more },
    {
      kernel: new Uint8Array(size).fill(7),
      rofs: new Uint8Array(100).fill(8)
    }
  )

/** The body of a push with parameters. */
function form(parameters: object | undefined, content: Uint8Array): Uint8Array {
  const head = (name: string) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n`
  const told = parameters === undefined ? '' : `${head('UpdateParameters')}${JSON.stringify(parameters)}\r\n`
  return Buffer.concat([Buffer.from(`${told}${head('UpdateFile')}`), content, Buffer.from('\r\n--b--\r\n')])
}

async function push(
  fixture: Fixture,
  content: Uint8Array,
  parameters?: object,
  who = as('admin', password)
): Promise<Answer> {
  const target = `${service}/update${parameters === undefined ? '' : '-multipart'}/`
  const type = parameters === undefined ? 'application/octet-stream' : 'multipart/form-data; boundary=b'
  const body = parameters === undefined ? content : form(parameters, content)
  return fixture.send('POST', target, body, { 'content-type': type, ...who })
}

// biome-ignore lint/suspicious/noExplicitAny: tests reach into what a client would parse
type Shown = any

/** Settles when a task is as it is to be: in a state, or has told a message. */
async function reached(fixture: Fixture, task: string, wanted: string): Promise<Shown> {
  for (;;) {
    const { store } = fixture.service
    const changed = new Promise<void>((resolve) => {
      const stop = store.on('task', () => {
        stop()
        resolve()
      })
    })
    const { json } = await fixture.ask('GET', task)
    if (json.TaskState === wanted || told(json).includes(wanted)) return json
    await changed
  }
}

/** The state that a task ends in. */
async function outcome(fixture: Fixture, task: string): Promise<string> {
  const ends = ['Completed', 'Exception'].map((state) => reached(fixture, task, state))
  return (await Promise.race(ends)).TaskState
}

/** The keys of the messages of a task. */
const told = ({ Messages }: { Messages: { MessageId: string }[] }) =>
  Messages.map(({ MessageId }) => MessageId.replace(/\.[\d.]+\./, '.'))

const versions = async (fixture: Fixture) => {
  const { json } = await fixture.ask('GET', `${service}/FirmwareInventory/?$expand=.`)
  return Object.fromEntries(json.Members.map((each: { Id: string; Version: string | null }) => [each.Id, each.Version]))
}

/** Whether a slot of the controller is to run from its next reset on. */
const isStaged = async (fixture: Fixture, slot = 'B') =>
  (await fixture.ask('GET', `${service}/FirmwareInventory/Manager-1-${slot}/`)).json.Staged

async function opened(t: Test, ...args: Parameters<typeof openFixture>): Promise<Fixture> {
  const fixture = await openFixture(...args)
  t.teardown(() => fixture.close())
  return fixture
}

t.test('an update is staged, and runs after a reset of the controller', async (t) => {
  const directory = t.testdir()
  const fixture = await opened(t, undefined, directory)
  const pushed = await push(fixture, file('1.63', { minimum: '1.60' }), { '@Redfish.OperationApplyTime': 'OnReset' })
  t.equal(pushed.status, 202)
  t.match(pushed.json, { '@odata.type': /Task/, TaskState: 'Running', PercentComplete: 0 })
  const task = pushed.headers.location as string
  const staged = await reached(fixture, task, 'Update.AwaitToActivate')
  t.match(staged, { Name: 'Update of Management controller', PercentComplete: 95 })
  t.same(told(staged), [
    'TaskEvent.TaskStarted',
    'Update.TargetDetermined',
    'Update.InstallingOnComponent',
    'Update.VerifyingAtComponent',
    'Update.AwaitToActivate'
  ])
  t.same(await versions(fixture), {
    'Manager-1-A': '1.62',
    'Manager-1-B': '1.63',
    'BIOS-1': sim.systems[1].biosVersion
  })
  t.match((await fixture.ask('GET', '/redfish/v1/Managers/1/')).json, { FirmwareVersion: '1.62' })
  await fixture.restart(false)
  t.equal(fixture.firmware['Manager-1']?.state.committed, false, 'it is on trial')
  t.match((await fixture.ask('GET', task)).json, { TaskState: 'Pending' })
  t.equal(await fixture.service.prove(async () => true), true)
  const done = await reached(fixture, task, 'Completed')
  t.match(done, { PercentComplete: 100, TaskStatus: 'OK' })
  t.same(told(done).slice(-2), ['Update.UpdateSuccessful', 'TaskEvent.TaskCompletedOK'])
  t.match((await fixture.ask('GET', '/redfish/v1/Managers/1/')).json, { FirmwareVersion: '1.63' })
  const { json } = await fixture.ask('GET', `${service}/FirmwareInventory/Manager-1-B/`)
  t.match(json, { Active: true, Staged: false, LowestSupportedVersion: '1.60', Status: { State: 'Enabled' } })
  t.equal(fixture.firmware['Manager-1']?.state.committed, true)
  t.same(readdirSync(`${directory}/updates`), [], 'no file is left')
  t.same(openFiles(`${fixture.directory}/updates`), [], 'none is open')
  const { text } = await fixture.ask('GET', '/redfish/v1/Managers/1/LogServices/EventLog/Entries/')
  t.match(text, /Management controller was updated to version 1\.63\./)
})

t.test('an image is written to its last byte, also if that is a block of its own', async (t) => {
  const fixture = await opened(t)
  const size = 100_000 + 65_537 - (file('1.63', {}, 100_000).length % 65_536)
  const content = file('1.63', {}, size)
  t.equal(content.length % 65_536, 1)
  const { headers } = await push(fixture, content, { '@Redfish.OperationApplyTime': 'OnReset' })
  const task = headers.location as string
  const ends = ['Update.AwaitToActivate', 'Exception'].map((end) => reached(fixture, task, end))
  t.match(await Promise.race(ends), { TaskState: 'Pending', PercentComplete: 95 })
  t.match(await versions(fixture), { 'Manager-1-B': '1.63' })
})

t.test('an event reports each step of an update, also the last one before the wait for the restart', async (t) => {
  const fixture = await opened(t)
  const pushed = await push(fixture, file('1.63'), { '@Redfish.OperationApplyTime': 'OnReset' })
  const task = pushed.headers.location as string
  const { PercentComplete } = await reached(fixture, task, 'Update.AwaitToActivate')
  const { store } = fixture.service
  const told = store.keys('event').map((key) => store.get('event', key))
  const steps = told.filter((each) => each?.messageId.endsWith('.TaskProgressChanged')).map((each) => each?.args[1])
  t.same(steps, ['20', '50', '80', '90', String(PercentComplete)])
})

t.test('an update at once resets the controller by itself', async (t) => {
  const fixture = await opened(t)
  const { restarted } = fixture.service
  const { headers } = await push(fixture, file('2.0'))
  await restarted
  await fixture.restart()
  await reached(fixture, headers.location as string, 'Completed')
  t.match(await versions(fixture), { 'Manager-1-B': '2.0' })
})

t.test('a version below the minimum of the one before is refused', async (t) => {
  const fixture = await opened(t)
  const first = await push(fixture, file('2.0', { minimum: '1.9' }))
  await fixture.service.restarted
  await fixture.restart()
  await reached(fixture, first.headers.location as string, 'Completed')
  const refused = await push(fixture, file('1.8'), { ForceUpdate: true })
  t.equal(refused.status, 400)
  t.same(keys(refused), ['Mgmt.UpdateFileRefused'])
  t.match(refused.text, /version 1\.8 is older than 1\.9/)
  const second = await push(fixture, file('1.9', { minimum: '1.5' }))
  t.equal(second.status, 202)
  await fixture.service.restarted
  await fixture.restart()
  await reached(fixture, second.headers.location as string, 'Completed')
  const again = await push(fixture, file('1.8'))
  t.match(again.text, /version 1\.8 is older than 1\.9/, 'a lower minimum changes nothing')
})

for (const [fault, value, last] of [
  ['refuses', true, 'Update.ApplyFailed'],
  ['cutAfter', 70_000, 'Update.ApplyFailed'],
  ['cutAt', 0.8, 'Update.ApplyFailed'],
  ['badSignature', true, 'Update.VerificationFailed'],
  ['damaged', true, 'Update.VerificationFailed'],
  ['failNext', 'ETIMEDOUT', 'Update.ApplyFailed']
] as const) {
  t.test(`an update fails if the component has the fault ${fault}, and can be started again`, async (t) => {
    const directory = t.testdir()
    const fixture = await opened(t, undefined, directory)
    const component = fixture.firmware['Manager-1']!
    Object.assign(component.faults, { [fault]: value })
    const { headers } = await push(fixture, file('1.63'))
    const failed = await reached(fixture, headers.location as string, 'Exception')
    t.match(failed, { TaskStatus: 'Critical' })
    t.same(told(failed).slice(-2), [last, 'TaskEvent.TaskAborted'])
    t.same(failed.Messages.at(-2).MessageArgs, ['1.63', 'Management controller'])
    const { store } = fixture.service
    const events = store.keys('event').map((key) => store.get('event', key))
    const event = events.find((each) => each?.messageId.endsWith('.FirmwareUpdateFailed'))
    t.same(event?.args, ['Management controller', '1.63'])
    t.match(await versions(fixture), { 'Manager-1-A': '1.62', 'Manager-1-B': null })
    t.same(readdirSync(`${directory}/updates`), [])
    Object.assign(component.faults, { [fault]: undefined })
    const again = await push(fixture, file('1.63'), { '@Redfish.OperationApplyTime': 'OnReset' })
    await reached(fixture, again.headers.location as string, 'Update.AwaitToActivate')
    t.match(await versions(fixture), { 'Manager-1-B': '1.63' })
  })
}

t.test('an update whose failure cannot be stored ends when the service starts again', async (t) => {
  const fixture = await opened(t)
  const { store } = fixture.service
  const lines: string[] = []
  let isFull = false
  const commit = store.commit.bind(store)
  t.capture(store, 'commit', (...args: Parameters<typeof commit>) =>
    isFull ? Promise.reject(new Error('the disk is full')) : commit(...args)
  )
  const log = t.capture(store.log, 'error', (text: string) => {
    lines.push(text)
    isFull = lines.length === 1
  })
  fixture.firmware['Manager-1']!.faults.refuses = true
  const { headers } = await push(fixture, file('1.63'))
  while (lines.length < 2) await sleep(1)
  t.same(lines, ['an update failed', 'the disk is full'])
  t.match((await fixture.ask('GET', headers.location as string)).json, { TaskState: 'Running' })
  log.restore()
  await fixture.restart()
  const failed = await reached(fixture, headers.location as string, 'Exception')
  t.same(told(failed).slice(-2), ['Update.ApplyFailed', 'TaskEvent.TaskAborted'])
})

t.test('a version that does not start gives way to the one before, and the task says so', async (t) => {
  const fixture = await opened(t, undefined, undefined, (board) => ({
    ...board,
    managers: { 1: { ...board.managers[1]!, firmware: { type: 'sim', faults: { startFails: true } } } }
  }))
  const { headers } = await push(fixture, file('3.0'), { '@Redfish.OperationApplyTime': 'OnReset' })
  await reached(fixture, headers.location as string, 'Update.AwaitToActivate')
  await fixture.restart()
  const failed = await reached(fixture, headers.location as string, 'Exception')
  t.ok(told(failed).includes('Update.ActivateFailed'))
  t.match((await fixture.ask('GET', '/redfish/v1/Managers/1/')).json, { FirmwareVersion: '1.62' })
})

t.test('files that are no update for the machine are refused, and nothing is left of them', async (t) => {
  const directory = t.testdir()
  const fixture = await opened(t, undefined, directory)
  const good = file('1.63')
  const flipped = Uint8Array.from(good)
  flipped[good.length - 1]! ^= 1
  for (const [content, reason] of [
    [Buffer.from('PK\x03\x04 an archive'), 'it is not an update file'],
    [new Uint8Array(), 'it is empty'],
    [good.subarray(0, -1), 'it ends too early'],
    [flipped, 'its part rofs is damaged'],
    [file('1.63', { board: 'ast2600-evb' }), 'it is for the board ast2600-evb']
  ] as const) {
    for (const parameters of [undefined, {}]) {
      const refused = await push(fixture, content, parameters)
      t.equal(refused.status, 400, reason)
      t.same(keys(refused), ['Mgmt.UpdateFileRefused'])
      t.match(refused.text, reason)
    }
  }
  t.same(readdirSync(`${directory}/updates`), [])
  t.same((await fixture.ask('GET', '/redfish/v1/TaskService/Tasks/')).json.Members, [])
})

t.test('bodies that are no form of an update are refused', async (t) => {
  const fixture = await opened(t, ({ updates }) => Object.assign(updates, { size: 250_000 }))
  const send = (type: string, body: Uint8Array | string, multipart = true) =>
    fixture.send('POST', `${service}/update${multipart ? '-multipart' : ''}/`, Buffer.from(body), {
      'content-type': type,
      ...as('admin', password)
    })
  const type = 'multipart/form-data; boundary=b'
  const good = file('1.63')
  t.equal((await send('application/json', '{}')).status, 415)
  t.equal((await send('application/json', '{}', false)).status, 415)
  t.equal((await send(type, 'nothing of it')).status, 400)
  t.equal((await send(type, Buffer.from(form({}, good)).subarray(0, -9))).status, 400, 'cut')
  const other = Buffer.from(
    Buffer.from(form(undefined, good)).toString('latin1').replace('"UpdateFile"', '"Firmware"'),
    'latin1'
  )
  const unknown = await send(type, other)
  t.same([unknown.status, ...keys(unknown)], [400, 'Base.PropertyUnknown'])
  const twice = Buffer.from(
    Buffer.from(form({}, good)).toString('latin1').replace('"UpdateParameters"', '"UpdateFile"'),
    'latin1'
  )
  t.equal((await send(type, twice)).status, 400)
  t.equal((await send(type, form({ Targets: ['/redfish/v1/Chassis/1'] }, good))).status, 400)
  t.equal((await send(type, form({ Colour: 'red' }, good))).status, 400)
  t.equal((await send(type, form({ '@Redfish.OperationApplyTime': 'Tomorrow' }, good))).status, 400)
  t.equal(
    (await send(type, form({ '@Redfish.OperationApplyTime': 'AtMaintenanceWindowStart' }, good))).status,
    400,
    'no window is set'
  )
  t.equal((await send(type, form({}, file('1.63', {}, 300_000)))).status, 413)
  t.equal((await send(type, form({ '@Redfish.OperationApplyTime': 'OnReset' }, good))).status, 202, 'then a good one')
})

t.test('a component has one update at a time', async (t) => {
  const fixture = await opened(t)
  const wait = { '@Redfish.OperationApplyTime': 'OnStartUpdateRequest' }
  const first = await push(fixture, file('1.63'), wait)
  await reached(fixture, first.headers.location as string, 'Pending')
  const second = await push(fixture, file('1.64'), wait)
  t.equal(second.status, 409)
  t.same(keys(second), ['Mgmt.InUseByTask'])
  t.equal((await fixture.ask('DELETE', first.headers.location as string)).status, 200, 'what waits can be given up')
  const third = await push(fixture, file('1.64'), wait)
  t.equal(third.status, 202)
  await reached(fixture, third.headers.location as string, 'Pending')
  const { restarted } = fixture.service
  t.equal((await fixture.ask('POST', `${service}/Actions/UpdateService.StartUpdate/`, {})).status, 200)
  await restarted
  await fixture.restart()
  await reached(fixture, third.headers.location as string, 'Completed')
  t.match(await versions(fixture), { 'Manager-1-B': '1.64' })
})

t.test('of two files for one component that arrive at once, one is refused', async (t) => {
  const fixture = await opened(t)
  const responses: ServerResponse[] = []
  const certificate = await selfSigned({
    commonName: 'files',
    altNames: { dns: [], ip: [] },
    now: new Date(),
    random: randomBytes
  })
  const server = createHttpsServer(certificate, (_, response) => {
    if (responses.push(response) < 2) return
    for (const each of responses) each.end(file('1.63'))
  }).listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  await once(server, 'listening')
  const ImageURI = `https://127.0.0.1:${(server.address() as AddressInfo).port}/file`
  const parameters = { ImageURI, '@Redfish.OperationApplyTime': 'OnStartUpdateRequest' }
  const fetched = `${service}/Actions/UpdateService.SimpleUpdate/`
  const begun = await Promise.all([1, 2].map(() => fixture.ask('POST', fetched, parameters)))
  const tasks = begun.map(({ headers }) => String(headers.location))
  const states = await Promise.all(
    tasks.map((task) => Promise.race([reached(fixture, task, 'Pending'), reached(fixture, task, 'Exception')]))
  )
  t.same(states.map(({ TaskState }) => TaskState).sort(), ['Exception', 'Pending'])
  t.same(states.flatMap(told).filter((key) => key === 'Update.VerificationFailed').length, 1)
})

t.test('an update that waits is in its slot already, and needs its file no more', async (t) => {
  const directory = t.testdir()
  const fixture = await opened(t, undefined, directory)
  const wait = { '@Redfish.OperationApplyTime': 'OnStartUpdateRequest' }
  const { headers } = await push(fixture, file('1.63'), wait)
  await reached(fixture, headers.location as string, 'Pending')
  t.same(readdirSync(`${directory}/updates`), [])
  t.match(await versions(fixture), { 'Manager-1-B': '1.63' })
  t.equal(await isStaged(fixture), false)
  await fixture.restart()
  t.match(
    (await fixture.ask('GET', headers.location as string)).json,
    { TaskState: 'Pending' },
    'after a restart as well'
  )
  const { restarted } = fixture.service
  t.equal((await fixture.ask('POST', `${service}/Actions/UpdateService.StartUpdate/`, {})).status, 200)
  await restarted
  await fixture.restart()
  await reached(fixture, headers.location as string, 'Completed')
})

t.test('an update that is to start while it is written starts once it is', async (t) => {
  const fixture = await opened(t)
  const wait = { '@Redfish.OperationApplyTime': 'OnStartUpdateRequest' }
  const { restarted } = fixture.service
  const { headers, json } = await push(fixture, file('1.63'), wait)
  t.match(json, { TaskState: 'Running' })
  t.equal((await fixture.ask('DELETE', headers.location as string)).status, 409)
  t.equal((await fixture.ask('POST', `${service}/Actions/UpdateService.StartUpdate/`, {})).status, 200)
  await restarted
  await fixture.restart()
  await reached(fixture, headers.location as string, 'Completed')
})

t.test('a power cut before it is stored that the image starts loses nothing', async (t) => {
  const fixture = await opened(t)
  const { headers } = await push(fixture, file('1.63'), { '@Redfish.OperationApplyTime': 'OnStartUpdateRequest' })
  await reached(fixture, headers.location as string, 'Pending')
  await fixture.firmware['Manager-1']?.activate(1)
  await fixture.restart()
  await reached(fixture, headers.location as string, 'Completed')
})

t.test('an image of the version that runs is taken as well, and is not mistaken for it', async (t) => {
  const fixture = await opened(t)
  const { headers } = await push(fixture, file('1.62'), { '@Redfish.OperationApplyTime': 'OnStartUpdateRequest' })
  await reached(fixture, headers.location as string, 'Pending')
  await fixture.restart()
  t.match((await fixture.ask('GET', headers.location as string)).json, { TaskState: 'Pending' })
})

t.test('an update waits for its maintenance window, and is given up when that is over', async (t) => {
  const fixture = await opened(t)
  const start = new Date(Date.now() + 3_600_000).toISOString()
  const window = { MaintenanceWindowStartTime: start, MaintenanceWindowDurationInSeconds: 60 }
  const options = { HttpPushUriOptions: { HttpPushUriApplyTime: window } }
  t.equal((await fixture.ask('PATCH', `${service}/`, options)).status, 200)
  const apply = { '@Redfish.OperationApplyTime': 'InMaintenanceWindowOnReset' }
  const { json, headers } = await push(fixture, file('1.63'), apply)
  t.match(json, { TaskState: 'Running' })
  await reached(fixture, headers.location as string, 'Pending')
  await fixture.restart()
  t.match(await versions(fixture), { 'Manager-1-A': '1.62', 'Manager-1-B': '1.63' })
  t.equal(await isStaged(fixture), false, 'it is too early')
  fixture.sleep(3601)
  await fixture.restart()
  await reached(fixture, headers.location as string, 'Update.AwaitToActivate')
  t.equal(await isStaged(fixture), true)
  await fixture.restart()
  await reached(fixture, headers.location as string, 'Completed')
  const late = { ...window, MaintenanceWindowStartTime: new Date(Date.now() + 7_200_000).toISOString() }
  await fixture.ask('PATCH', `${service}/`, { HttpPushUriOptions: { HttpPushUriApplyTime: late } })
  const missed = await push(fixture, file('1.64'), { '@Redfish.OperationApplyTime': 'AtMaintenanceWindowStart' })
  await reached(fixture, missed.headers.location as string, 'Pending')
  fixture.sleep(3700)
  await fixture.restart()
  await reached(fixture, missed.headers.location as string, 'Exception')
  t.equal(await isStaged(fixture, 'A'), false)
  const { text } = await fixture.ask('GET', '/redfish/v1/Managers/1/LogServices/EventLog/Entries/')
  t.match(text, /\.FirmwareUpdateFailed"/, 'the log says so')
})

t.test('an update starts by itself when its maintenance window begins', async (t) => {
  const fixture = await opened(t)
  const update = await waitingForWindow(fixture, fixture.now() + 500)
  const { store } = fixture.service
  const isWritten = () => store.keys('update').some((id) => store.get('update', id)?.stage === 'Written')
  while (!isWritten()) await sleep(10)
  await sleep(20) // nothing but the window is waited for now
  fixture.sleep(1)
  await reached(fixture, update, 'Update.ApplyingOnComponent')
})

t.test('an update whose maintenance window began while the service was off starts with it', async (t) => {
  const fixture = await opened(t)
  const update = await waitingForWindow(fixture, Date.now() + 3_600_000)
  t.equal(await isStaged(fixture), false)
  fixture.sleep(3601)
  await fixture.restart()
  await reached(fixture, update, 'Update.ApplyingOnComponent')
  await fixture.restart()
  await reached(fixture, update, 'Completed')
  t.match(await versions(fixture), { 'Manager-1-B': '1.63' })
})

t.test('the service wakes up when a maintenance window begins, and when it ends', async (t) => {
  const fixture = await opened(t)
  await fixture.power.perform('on').catch(() => undefined)
  const timers = t.capture(globalThis, 'setTimeout', setTimeout)
  const wakes = () => timers().map(({ args: [, time] }) => time)
  const MaintenanceWindowStartTime = new Date(fixture.now() + 31_234).toISOString()
  const window = { MaintenanceWindowStartTime, MaintenanceWindowDurationInSeconds: 20 }
  await fixture.ask('PATCH', `${service}/`, { HttpPushUriOptions: { HttpPushUriApplyTime: window } })
  const apply = { '@Redfish.OperationApplyTime': 'InMaintenanceWindowOnReset' }
  const { headers } = await push(fixture, file('3.1', { component: 'bios' }), apply)
  await reached(fixture, headers.location as string, 'Pending')
  t.ok(wakes().includes(31_234), 'it begins')
  fixture.sleep(40)
  await fixture.restart()
  t.match((await fixture.ask('GET', headers.location as string)).json, { TaskState: 'Pending' })
  t.ok(wakes().includes(11_234), 'it ends')
})

t.test('an update that another task keeps from its restart is given up when its maintenance window ends', async (t) => {
  const fixture = await opened(t, (settings) => Object.assign(settings, { eraseTime: 3600 }))
  const update = await waitingForWindow(fixture, fixture.now() + 31_234)
  const { store } = fixture.service
  const task = {
    ...(store.get('task', update.split('/').at(-2) ?? '') as Task),
    name: 'Erase',
    state: 'Running' as const
  }
  await store.commit({ task: { e: task }, erasure: { e: { system: '1', parts: ['settings'], done: 0 } } })
  const timers = t.capture(globalThis, 'setTimeout', setTimeout)
  fixture.sleep(40)
  await fixture.restart()
  t.match((await fixture.ask('GET', update)).json, { TaskState: 'Pending' })
  t.ok(timers().some(({ args: [, time] }) => time === 51_234))
  fixture.sleep(52)
  await fixture.restart()
  await reached(fixture, update, 'Exception')
})

/** Sends an update that waits for a window of a minute. @param start milliseconds since 1970 @returns its task */
async function waitingForWindow(fixture: Fixture, start: number): Promise<string> {
  const MaintenanceWindowStartTime = new Date(start).toISOString()
  const window = { MaintenanceWindowStartTime, MaintenanceWindowDurationInSeconds: 60 }
  await fixture.ask('PATCH', `${service}/`, { HttpPushUriOptions: { HttpPushUriApplyTime: window } })
  const { headers } = await push(fixture, file('1.63'), { '@Redfish.OperationApplyTime': 'AtMaintenanceWindowStart' })
  const task = headers.location as string
  await reached(fixture, task, 'Pending')
  return task
}

t.test('a BIOS is written while its host is off; for a running host, at its next reset', async (t) => {
  const fixture = await opened(t)
  const bios = file('3.1', { component: 'bios' })
  await fixture.power.perform('on').catch(() => undefined)
  const refused = await push(fixture, bios)
  t.same([refused.status, ...keys(refused)], [409, 'Mgmt.SystemPowerOffRequired'])
  const { headers, json } = await push(fixture, bios, { '@Redfish.OperationApplyTime': 'OnReset' })
  t.match(json, { TaskState: 'Pending', Name: 'Update of BIOS of Dual-socket rack server' })
  t.equal(
    (await fixture.ask('POST', '/redfish/v1/Systems/1/Actions/ComputerSystem.Reset/', { ResetType: 'ForceRestart' }))
      .status,
    200
  )
  const done = await reached(fixture, headers.location as string, 'Completed')
  t.equal(told(done).includes('Update.UpdateSuccessful'), true)
  t.match((await fixture.ask('GET', '/redfish/v1/Systems/1/')).json, { BiosVersion: '3.1' })
  t.same(readdirSync(`${fixture.directory}/updates`), [])
})

t.test('another file of the maker in the place of one that waits is not installed', async (t) => {
  const directory = t.testdir()
  const fixture = await openFixture(undefined, directory)
  await fixture.power.perform('on').catch(() => undefined)
  const later = { '@Redfish.OperationApplyTime': 'OnReset' }
  const { headers } = await push(fixture, file('3.1', { component: 'bios' }), later)
  const [name] = readdirSync(`${directory}/updates`)
  const parts = { kernel: new Uint8Array(200_000).fill(9), rofs: new Uint8Array(100).fill(8) }
  const other = updateFile(sim.updateKey, { board: 'sim', component: 'bios', version: '3.0' }, parts)
  writeFileSync(`${directory}/updates/${name}`, other)
  await fixture.ask('POST', '/redfish/v1/Systems/1/Actions/ComputerSystem.Reset/', { ResetType: 'ForceRestart' })
  t.ok(told(await reached(fixture, headers.location as string, 'Exception')).includes('Update.VerificationFailed'))
  await fixture.close()
})

t.test('a file that is damaged while it waits is not installed, and the log says why', async (t) => {
  const good = file('3.1', { component: 'bios' })
  const flipped = Uint8Array.from(good)
  flipped[good.length - 1]! ^= 1
  for (const [content, cause] of [
    [good.subarray(0, -1), 'it ends too early'],
    [good.subarray(0, -200_100), 'it ends too early'],
    [flipped, 'its part rofs is damaged']
  ] as const) {
    const fixture = await opened(t)
    const errors = t.capture(fixture.service.store.log, 'error', () => undefined)
    await fixture.power.perform('on').catch(() => undefined)
    const { headers } = await push(fixture, good, { '@Redfish.OperationApplyTime': 'OnReset' })
    const directory = `${fixture.directory}/updates`
    writeFileSync(`${directory}/${readdirSync(directory)[0]}`, content)
    await fixture.ask('POST', '/redfish/v1/Systems/1/Actions/ComputerSystem.Reset/', { ResetType: 'ForceRestart' })
    await reached(fixture, headers.location as string, 'Exception')
    t.match(errors(), [{ args: ['an update failed', { cause }] }])
    errors.restore()
    t.same(openFiles(`${fixture.directory}/updates`), [], 'the file is closed')
  }
})

t.test('an update that a stop of the service cut off is done again', async (t) => {
  const directory = t.testdir()
  const fixture = await opened(t, ({ updates }) => Object.assign(updates, { rate: 100_000 }), directory)
  const { headers } = await push(fixture, file('1.63', {}, 50_000), { '@Redfish.OperationApplyTime': 'OnReset' })
  await fixture.restart()
  t.ok(existsSync(`${directory}/updates`))
  await reached(fixture, headers.location as string, 'Update.AwaitToActivate')
  t.match(await versions(fixture), { 'Manager-1-A': '1.62', 'Manager-1-B': '1.63' })
})

/** Its host is off. */
async function switchedOff(t: Test, alter?: (board: Board) => Board): Promise<Fixture> {
  const fixture = await opened(t, undefined, undefined, alter)
  await switchOff(fixture)
  return fixture
}

async function switchOff({ power }: Fixture): Promise<void> {
  const off = watch(power).next('Off')
  await power.perform('forceOff')
  await off
}

t.test('a BIOS that waits for the request to start is not written when its host boots', async (t) => {
  const fixture = await opened(t)
  const wait = { '@Redfish.OperationApplyTime': 'OnStartUpdateRequest' }
  const { headers } = await push(fixture, file('3.1', { component: 'bios' }), wait)
  const update = headers.location as string
  await reached(fixture, update, 'Pending')
  await switchOff(fixture)
  const on = watch(fixture.power).next('On')
  await fixture.power.perform('on')
  await on
  t.equal((await fixture.ask('GET', update)).json.TaskState, 'Pending')
})

t.test('an update keeps the variables of a host, or resets them if asked to', async (t) => {
  const fixture = await switchedOff(t)
  const database = '/redfish/v1/Systems/1/SecureBoot/SecureBootDatabases/db/Signatures/'
  const signature = {
    SignatureString: 'ab'.repeat(32),
    SignatureType: 'EFI_CERT_SHA256_GUID',
    SignatureTypeRegistry: 'UEFI'
  }
  const held = async () => (await fixture.ask('GET', database)).json.Members.length
  t.equal((await fixture.ask('POST', database, signature)).status, 201)
  t.equal((await fixture.ask('PATCH', `${bios}Settings/`, { Attributes: { QuietBoot: false } })).status, 200)
  const kept = await push(fixture, file('3.1', { component: 'bios' }), {})
  await reached(fixture, kept.headers.location as string, 'Completed')
  t.equal(await held(), 1)
  const reset = { Oem: { Vendor: { ResetVariables: true } } }
  const anew = await push(fixture, file('3.2', { component: 'bios' }), reset)
  await reached(fixture, anew.headers.location as string, 'Completed')
  t.equal(await held(), 0)
  const { json } = await fixture.ask('GET', `${bios}Settings/`)
  t.equal(json.Attributes.QuietBoot, true, 'what waited for the BIOS is gone as well')
  const { text } = await fixture.ask('GET', '/redfish/v1/Systems/1/LogServices/SystemLog/Entries/')
  t.match(text, /The user admin requested to clear the firmware variables\./)
  const refused = await push(fixture, file('1.63'), reset)
  t.same([refused.status, ...keys(refused)], [400, 'Base.PropertyValueIncorrect'])
})

t.test('the BIOS of a host without variables is updated, and resets none', async (t) => {
  const fixture = await switchedOff(t, withoutVariables)
  const image = file('3.1', { component: 'bios' })
  const refused = await push(fixture, image, { Oem: { Vendor: { ResetVariables: true } } })
  t.same([refused.status, ...keys(refused)], [400, 'Base.PropertyValueIncorrect'])
  const kept = await push(fixture, image, {})
  await reached(fixture, kept.headers.location as string, 'Completed')
})

t.test('a BIOS that was not written to its end is critical until it is', async (t) => {
  const fixture = await switchedOff(t)
  const status = async () => {
    const system = (await fixture.ask('GET', '/redfish/v1/Systems/1/')).json
    const member = (await fixture.ask('GET', `${service}/FirmwareInventory/BIOS-1/`)).json
    return [system.Status.Health, member.Version, member.Status.State, member.Status.Health]
  }
  const component = fixture.firmware['BIOS-1']!
  component.faults.cutAfter = 70_000
  const cut = await push(fixture, file('3.1', { component: 'bios' }))
  await reached(fixture, cut.headers.location as string, 'Exception')
  t.same(await status(), ['Critical', null, 'UnavailableOffline', 'Critical'])
  await fixture.restart()
  t.same(await status(), ['Critical', null, 'UnavailableOffline', 'Critical'], 'also after a restart')
  const again = await push(fixture, file('3.2', { component: 'bios' }))
  await reached(fixture, again.headers.location as string, 'Completed')
  t.same(await status(), ['OK', '3.2', 'Enabled', 'OK'])
})

t.test('an image is written no faster than the configuration allows', async (t) => {
  const rate = 400_000
  const fixture = await opened(t, ({ updates }) => Object.assign(updates, { rate }))
  const from = performance.now()
  const { headers } = await push(fixture, file('1.63'), { '@Redfish.OperationApplyTime': 'OnReset' })
  await reached(fixture, headers.location as string, 'Update.AwaitToActivate')
  const least = (1000 * 200_100) / rate
  // A timer may be early by a part of a millisecond for each block of 64 KiB.
  t.ok(performance.now() - from >= least - 4, `${performance.now() - from} ms, and ${least} at least`)
})

t.test('who updates a component may change it: an operator the BIOS, a reader nothing', async (t) => {
  const fixture = await opened(t)
  const add = (name: string, role: string) =>
    fixture.ask('POST', '/redfish/v1/AccountService/Accounts/', { UserName: name, Password: password, RoleId: role })
  t.equal((await add('reader', 'ReadOnly')).status, 201)
  t.equal((await push(fixture, file('1.63'), {}, as('reader', password))).status, 403)
  t.equal((await add('operator', 'Operator')).status, 201)
  const operator = as('operator', password)
  const later = { '@Redfish.OperationApplyTime': 'OnReset' }
  t.equal((await push(fixture, file('1.63'), later, operator)).status, 403)
  t.equal((await push(fixture, file('3.1', { component: 'bios' }), later, operator)).status, 202)
  t.equal((await push(fixture, file('1.63'), {}, { authorization: '' })).status, 401)
})

t.test('a version that does not become healthy is not committed', async (t) => {
  const fixture = await opened(t)
  const { headers } = await push(fixture, file('2.0'))
  await fixture.service.restarted
  await fixture.restart(false)
  t.equal(await fixture.service.prove(async () => false), false)
  t.equal(fixture.firmware['Manager-1']?.state.committed, false)
  t.match((await fixture.ask('GET', headers.location as string)).json, { TaskState: 'Running' })
})

t.test('a healthy version that cannot be committed stays on trial until the next start', async (t) => {
  const fixture = await opened(t)
  const { headers } = await push(fixture, file('2.0'))
  await fixture.service.restarted
  await fixture.restart(false)
  const component = fixture.firmware['Manager-1']!
  component.faults.failNext = 'EIO'
  const { store } = fixture.service
  const errors = t.capture(store.log, 'error', () => undefined)
  t.equal(await fixture.service.prove(async () => true), true)
  t.match(errors(), [{ args: [/fault injected/, { component: 'Manager-1' }] }])
  await reached(fixture, headers.location as string, 'Completed')
  t.equal(component.state.committed, false)
  await fixture.restart()
  t.equal(fixture.firmware['Manager-1']?.state.committed, true)
})

t.test('the authorization of an author is watched until the update ends', async (t) => {
  const fixture = await opened(t)
  const { hold } = Grants.prototype
  let [held, released] = [0, 0]
  t.capture(Grants.prototype, 'hold', function (this: Grants, grant: Parameters<typeof hold>[0]) {
    const release = hold.call(this, grant)
    if (grant.also === undefined) return release
    held += 1
    return () => {
      released += 1
      release()
    }
  })
  const wait = { '@Redfish.OperationApplyTime': 'OnStartUpdateRequest' }
  const { headers } = await push(fixture, file('1.63'), wait)
  await reached(fixture, headers.location as string, 'Pending')
  t.same([held, released], [1, 0])
  await fixture.ask('DELETE', headers.location as string)
  while (fixture.service.store.keys('update').length > 0) await sleep(1)
  t.same([held, released], [1, 1])
  await fixture.restart()
  t.same([held, released], [1, 1], 'it is not watched any more')
})

t.test('an update ends with the authorization of its author, until it is written', async (t) => {
  const fixture = await opened(t, ({ updates }) => Object.assign(updates, { rate: 200_000 }))
  const ann = '/redfish/v1/AccountService/Accounts/ann/'
  const login = { UserName: 'ann', Password: 'Green-Door-4', RoleId: 'Administrator' }
  const by = as('ann', 'Green-Door-4')
  const ended = async (task: string, last: string, ...why: string[]) => {
    const shown = await reached(fixture, task, 'Exception')
    t.same(told(shown).slice(-2 - why.length), [last, ...why, 'TaskEvent.TaskAborted'].slice(-2 - why.length))
    t.equal(await isStaged(fixture), false)
    const updates = `${fixture.directory}/updates`
    t.same(existsSync(updates) ? readdirSync(updates) : [], [], 'no file is left')
  }
  const silent = createServer((socket) => t.teardown(() => socket.destroy())).listen(0, '127.0.0.1')
  t.teardown(() => silent.close())
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const fetched = `${service}/Actions/UpdateService.SimpleUpdate/`
  const ImageURI = `https://127.0.0.1:${port}/file`
  const at = (applyTime: string, size: number) => () =>
    push(fixture, file('2.0', {}, size), { '@Redfish.OperationApplyTime': applyTime }, by)
  for (const [begin, until, change, last, why] of [
    [
      () => fixture.ask('POST', fetched, { ImageURI }, by),
      'Update.TransferringToComponent',
      { Enabled: false },
      'Update.TransferFailed',
      'Base.NoValidSession'
    ],
    [
      at('OnStartUpdateRequest', 20_000),
      'Update.VerifyingAtComponent',
      { RoleId: 'Operator' },
      'Update.ApplyFailed',
      'Base.InsufficientPrivilege'
    ],
    [
      at('OnReset', 20_000),
      'Update.AwaitToActivate',
      { Password: 'Green-Door-5' },
      'Update.ApplyFailed',
      'Base.NoValidSession'
    ],
    [
      at('Immediate', 200_000),
      'Update.InstallingOnComponent',
      { PasswordChangeRequired: true },
      'Update.ApplyFailed',
      'Base.PasswordChangeRequired'
    ]
  ] as const) {
    t.equal((await fixture.ask('POST', '/redfish/v1/AccountService/Accounts', login)).status, 201)
    const task = (await begin()).headers.location as string
    await reached(fixture, task, until)
    if (until === 'Update.AwaitToActivate') {
      await fixture.ask('PATCH', ann, { LoginName: 'Ann' })
      t.equal(await isStaged(fixture), true, 'what changes nothing of it ends nothing')
    }
    if (until === 'Update.VerifyingAtComponent') await fixture.restart()
    t.equal((await fixture.ask('PATCH', ann, change)).status, 200)
    await ended(task, last, why)
    t.equal((await fixture.ask('DELETE', ann)).status, 200)
  }
})

t.test('an update that runs on trial completes although its author has been removed', async (t) => {
  const fixture = await opened(t)
  const accounts = '/redfish/v1/AccountService/Accounts/'
  const login = { UserName: 'ann', Password: 'Green-Door-4', RoleId: 'Administrator' }
  await fixture.ask('POST', accounts, login)
  const onReset = { '@Redfish.OperationApplyTime': 'OnReset' }
  const { headers } = await push(fixture, file('1.63'), onReset, as('ann', 'Green-Door-4'))
  const task = headers.location as string
  await reached(fixture, task, 'Update.AwaitToActivate')
  await fixture.restart(false)
  t.equal((await fixture.ask('DELETE', `${accounts}ann/`)).status, 200)
  // Stored after all that the removal has led to.
  t.equal((await fixture.ask('POST', accounts, login)).status, 201)
  t.match((await fixture.ask('GET', task)).json, { TaskState: 'Pending' })
  t.equal(await fixture.service.prove(async () => true), true)
  t.equal(await outcome(fixture, task), 'Completed')
})

t.test('a BIOS that is half written is completed after a restart although its author has been removed', async (t) => {
  let settings: Configuration['updates'] | undefined
  const change = ({ updates }: Configuration) => {
    settings = Object.assign(updates, { rate: 1000 })
  }
  const fixture = await opened(t, change)
  await switchOff(fixture)
  const login = { UserName: 'ann', Password: 'Green-Door-4', RoleId: 'Operator' }
  await fixture.ask('POST', '/redfish/v1/AccountService/Accounts', login)
  const image = file('3.1', { component: 'bios' })
  const { headers } = await push(fixture, image, undefined, as('ann', 'Green-Door-4'))
  const task = headers.location as string
  await reached(fixture, task, 'Update.InstallingOnComponent')
  t.equal((await fixture.ask('DELETE', '/redfish/v1/AccountService/Accounts/ann/')).status, 200)
  Object.assign(settings!, { rate: 1e9 })
  await fixture.restart()
  t.equal(await outcome(fixture, task), 'Completed')
  t.match(await versions(fixture), { 'BIOS-1': '3.1' })
})

t.test("an update started by another user depends on that user's authorization", async (t) => {
  const fixture = await opened(t)
  const login = { UserName: 'ann', Password: 'Green-Door-4', RoleId: 'Administrator' }
  await fixture.ask('POST', '/redfish/v1/AccountService/Accounts', login)
  const parameters = { '@Redfish.OperationApplyTime': 'OnStartUpdateRequest' }
  const { headers } = await push(fixture, file('2.0'), parameters, as('ann', 'Green-Door-4'))
  await reached(fixture, headers.location as string, 'Pending')
  await fixture.ask('POST', `${service}/Actions/UpdateService.StartUpdate/`, {})
  await fixture.ask('DELETE', '/redfish/v1/AccountService/Accounts/ann/')
  await fixture.service.restarted
  await fixture.restart()
  await reached(fixture, headers.location as string, 'Completed')
})
