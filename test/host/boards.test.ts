import type { Test } from 'tap'
import { EventSource } from './event-source.ts'
import { type Board, onBoards } from './on-boards.ts'
import { partsOf } from './parts.ts'
import { push } from './push.ts'
import { admin, type Headers, type Json, type Server } from './server.ts'

/*
 * The contract of a noun towards clients, for each of its sources: its own tables on the simulated board, the D-Bus
 * daemons on OpenBMC. Devices have suites in test/hal/contracts.
 */

interface Opened {
  readonly server: Server
  readonly system: string
}

const accounts = '/redfish/v1/AccountService/Accounts/'
const ann = { UserName: 'ann', Password: 'Long-Street-8', RoleId: 'ReadOnly' }

/** The keys of the events of resources that name one of them, until an event of the test's own. */
async function told(events: EventSource, server: Server, uri: string): Promise<string[]> {
  const EventId = `mark-${Math.random()}`
  const MessageId = 'ResourceEvent.1.0.TestMessage'
  await server.post('/redfish/v1/EventService/Actions/EventService.SubmitTestEvent/', { MessageId, EventId })
  const keys: string[] = []
  for (;;) {
    const each: Json = (await events.next())?.data.Events[0]
    if (each.EventId === EventId) return keys
    if (/^ResourceEvent\./.test(each.MessageId) && each.OriginOfCondition?.['@odata.id'] === uri)
      keys.push(each.MessageId.split('.').at(-1))
  }
}

async function bootOverrides(t: Test, { server, system }: Opened) {
  const get = async () => (await server.get(system)).json.Boot
  const patch = (Boot: object, more: Headers = {}) => server.patch(system, { Boot }, { ...admin, ...more })
  const targets: string[] = (await get())['BootSourceOverrideTarget@Redfish.AllowableValues']
  t.ok(targets.includes('Pxe') && targets.includes('BiosSetup'))
  // Some need more than their name.
  for (const BootSourceOverrideTarget of targets.filter((each) => !/^Uefi(Target|BootNext)$/.test(each)))
    for (const BootSourceOverrideEnabled of ['Once', 'Continuous']) {
      const wanted = { BootSourceOverrideTarget, BootSourceOverrideEnabled }
      const { status, text } = await patch(wanted)
      t.equal(status, 200, text)
      if (BootSourceOverrideTarget !== 'None') t.match(await get(), wanted)
    }
  const { etag } = (await server.get(system)).headers
  const events = await EventSource.open(t, server)
  t.equal((await patch({ BootSourceOverrideTarget: 'Pxe', BootSourceOverrideEnabled: 'Once' })).status, 200)
  t.same(await told(events, server, system), ['ResourceChanged'])
  t.equal((await patch({ BootSourceOverrideTarget: 'Hdd' }, { 'if-match': String(etag) })).status, 412)
  t.equal((await patch({ BootSourceOverrideTarget: 'Tape' })).status, 400)
  t.same(await told(events, server, system), [])
  const asked = { ResetType: 'ForceRestart' }
  t.equal((await server.post(`${system}Actions/ComputerSystem.Reset/`, asked)).status, 200)
  await server.until(
    () => server.get(system),
    ({ json }) => json.PowerState === 'On' && json.Boot.BootSourceOverrideEnabled === 'Disabled'
  )
}

async function users(t: Test, { server, system }: Opened) {
  const uri = `${accounts}ann/`
  const events = await EventSource.open(t, server)
  const made = await server.post(accounts, ann)
  t.same([made.status, made.headers.location], [201, uri], made.text)
  t.same(await told(events, server, uri), ['ResourceCreated'])
  t.equal((await server.post(accounts, ann)).status, 409, 'there is one of the name')
  t.equal((await server.post(accounts, { ...ann, UserName: 'ben', Password: 'x' })).status, 400)
  const { token } = await server.login('ann', ann.Password)
  t.equal((await server.patch(system, { AssetTag: 'R7' }, token)).status, 403)
  t.equal((await server.patch(uri, { RoleId: 'Operator' })).status, 200)
  t.same(await told(events, server, uri), ['ResourceChanged'])
  t.match((await server.get(uri)).json, { RoleId: 'Operator', Enabled: true, Locked: false })
  t.equal((await server.patch(uri, { Password: 'Other-Street-8' })).status, 200)
  t.equal((await server.get(system, token)).status, 401, 'the session is over')
  await t.rejects(server.login('ann', ann.Password))
  const again = await server.login('ann', 'Other-Street-8')
  t.equal((await server.patch(uri, { Enabled: false })).status, 200)
  t.equal((await server.get(system, again.token)).status, 401)
  await told(events, server, uri)
  t.equal((await server.delete(uri)).status, 200)
  t.same(await told(events, server, uri), ['ResourceRemoved'])
  t.equal((await server.get(uri)).status, 404)
}

async function eventsAfter(t: Test, { server, system }: Opened) {
  const events = await EventSource.open(t, server)
  for (const ResetType of ['ForceOff', 'On']) {
    const reset = `${system}Actions/ComputerSystem.Reset/`
    t.equal((await server.post(reset, { ResetType })).status, 200)
    await server.until(
      () => server.get(system),
      ({ json }) => json.PowerState === (ResetType === 'On' ? 'On' : 'Off')
    )
  }
  const isPower = ({ MessageId }: Json) => /PowerStateChanged$/.test(MessageId)
  const first = await events.find(isPower)
  const ids: string[] = []
  const states: string[] = []
  while (states.at(-1) !== 'On') {
    const { id, data } = await events.find(isPower)
    ids.push(id)
    states.push(data.Events[0].MessageArgs[0])
  }
  const resumed = await EventSource.open(t, server, first.id)
  for (const id of ids) t.equal((await resumed.find(isPower)).id, id, 'they come again, in their order')
}

const firmware = '/redfish/v1/UpdateService/FirmwareInventory/?$expand=.'

/** The keys of the messages of a task. */
const messages = ({ Messages }: Json): string[] =>
  Messages.map(({ MessageId }: Json) => MessageId.replace(/\.[\d.]+\./, '.'))

async function updates(t: Test, board: Board) {
  const server = await board.start(t)
  const { manager } = await partsOf(server)
  const { file, version } = board.firmware('1.63')
  const task = (of: Server, uri: unknown, state: string) =>
    of.until(
      () => of.get(String(uri)),
      ({ json }) => json.TaskState === state
    )
  const runs = async (of: Server) => (await of.get(manager)).json.FirmwareVersion
  const { json: first } = await server.until(
    () => server.get(firmware),
    ({ json }) => json.Members.some((each: Json) => each.Id.startsWith('Manager-') && each.Version !== null)
  )
  const before = await runs(server)

  const refused = await push(server, {}, board.firmware('1.64', true).file)
  if (refused.status === 202) {
    const { json } = await task(server, refused.headers.location, 'Exception')
    t.ok(messages(json).includes('Update.VerificationFailed'), 'it is refused once it is looked at')
  } else t.equal(refused.status, 400, refused.text)
  t.equal(await runs(server), before)

  const events = await EventSource.open(t, server)
  const pushed = await push(server, { '@Redfish.OperationApplyTime': 'OnReset' }, file)
  t.equal(pushed.status, 202, pushed.text)
  const uri = String(pushed.headers.location)
  const { json: waiting } = await task(server, uri, 'Pending')
  t.equal(waiting.PercentComplete, 95)
  t.equal(messages(waiting).at(-1), 'Update.AwaitToActivate')
  const percents: number[] = []
  while (percents.at(-1) !== 95) {
    const { MessageId, MessageArgs } = (await events.next())?.data.Events[0] ?? {}
    const isAbout = uri.includes(`/${MessageArgs?.[0]}`) && /\.TaskProgressChanged$/.test(MessageId)
    if (isAbout) percents.push(Number(MessageArgs[1]))
  }
  t.same(
    percents,
    [...new Set(percents)].sort((one, other) => one - other),
    'it never goes back'
  )
  t.equal(await runs(server), before)
  const staged = (await server.get(firmware)).json.Members.filter((each: Json) => each.Staged === true)
  t.match(staged, [{ Version: version, Active: false }])
  t.equal(first.Members.length, (await server.get(firmware)).json.Members.length)

  t.equal((await server.post(`${manager}Actions/Manager.Reset/`, { ResetType: 'GracefulRestart' })).status, 200)
  const after = await board.restarted(t, server)
  await task(after, uri, 'Completed')
  t.equal(await runs(after), version)
}

onBoards(async (t, board) => {
  const server = await board.start(t)
  const opened = { server, system: (await partsOf(server)).system }
  await t.test('users are made, changed and removed', (t) => users(t, opened))
  await t.test('a boot override is set, and used by a boot', (t) => bootOverrides(t, opened))
  await t.test('firmware is uploaded, waits for a reset, and runs', (t) => updates(t, board))
  await t.test('events come in order, and again for one who was away', (t) => eventsAfter(t, opened))
})
