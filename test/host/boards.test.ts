import type { Test } from 'tap'
import { openbmcMachine, root } from '#test/openbmc/machine.ts'
import { missingPam } from '#test/openbmc/pam.ts'
import { EventSource } from './event-source.ts'
import { needing, onBothHosts } from './every-host.ts'
import type { Host } from './hosts.ts'
import { admin, type Headers, type Json, type Server, start } from './server.ts'

/*
 * What a client may expect of each source of a noun: its own tables on the simulated board, the daemons of the bus on
 * OpenBMC. Power, sensors, lamps, power limits and POST codes have suites in test/hal/contracts; updates have none, as files
 * of a maker are other files, so test/host/openbmc-firmware.test.ts tests them.
 */

interface Opened {
  readonly server: Server
  readonly system: string
  readonly administrator: Headers
}

const boards: Readonly<Record<string, (t: Test, host: Host) => Promise<Opened>>> = {
  sim: async (t, host) => ({
    server: await start(t, host),
    system: '/redfish/v1/Systems/1/',
    administrator: admin
  }),
  openbmc: async (t, host) => {
    const { server } = await openbmcMachine(t, host)
    return { server, system: '/redfish/v1/Systems/system/', administrator: root }
  }
}

const accounts = '/redfish/v1/AccountService/Accounts/'
const ann = { UserName: 'ann', Password: 'Long-Street-8', RoleId: 'ReadOnly' }

/** The keys of the events of resources that name one of them, until an event of the test's own. */
async function told(events: EventSource, { server, administrator }: Opened, uri: string): Promise<string[]> {
  const EventId = `mark-${Math.random()}`
  const MessageId = 'ResourceEvent.1.0.TestMessage'
  await server.post(
    '/redfish/v1/EventService/Actions/EventService.SubmitTestEvent/',
    { MessageId, EventId },
    administrator
  )
  const keys: string[] = []
  for (;;) {
    const each: Json = (await events.next())?.data.Events[0]
    if (each.EventId === EventId) return keys
    if (/^ResourceEvent\./.test(each.MessageId) && each.OriginOfCondition?.['@odata.id'] === uri)
      keys.push(each.MessageId.split('.').at(-1))
  }
}

async function bootOverrides(t: Test, opened: Opened) {
  const { server, system, administrator } = opened
  const get = async () => (await server.get(system, administrator)).json.Boot
  const patch = (Boot: object, more: Headers = {}) => server.patch(system, { Boot }, { ...administrator, ...more })
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
  const { etag } = (await server.get(system, administrator)).headers
  const events = await EventSource.open(t, server, undefined, administrator)
  t.equal((await patch({ BootSourceOverrideTarget: 'Pxe', BootSourceOverrideEnabled: 'Once' })).status, 200)
  t.same(await told(events, opened, system), ['ResourceChanged'])
  t.equal((await patch({ BootSourceOverrideTarget: 'Hdd' }, { 'if-match': String(etag) })).status, 412)
  t.equal((await patch({ BootSourceOverrideTarget: 'Tape' })).status, 400)
  t.same(await told(events, opened, system), [])
  const asked = { ResetType: 'ForceRestart' }
  t.equal((await server.post(`${system}Actions/ComputerSystem.Reset/`, asked, administrator)).status, 200)
  await server.until(
    () => server.get(system, administrator),
    ({ json }) => json.PowerState === 'On' && json.Boot.BootSourceOverrideEnabled === 'Disabled'
  )
}

async function users(t: Test, opened: Opened) {
  const { server, system, administrator } = opened
  const uri = `${accounts}ann/`
  const events = await EventSource.open(t, server, undefined, administrator)
  const made = await server.post(accounts, ann, administrator)
  t.same([made.status, made.headers.location], [201, uri], made.text)
  t.same(await told(events, opened, uri), ['ResourceCreated'])
  t.equal((await server.post(accounts, ann, administrator)).status, 409, 'there is one of the name')
  t.equal((await server.post(accounts, { ...ann, UserName: 'ben', Password: 'x' }, administrator)).status, 400)
  const { token } = await server.login('ann', ann.Password)
  t.equal((await server.patch(system, { AssetTag: 'R7' }, token)).status, 403)
  t.equal((await server.patch(uri, { RoleId: 'Operator' }, administrator)).status, 200)
  t.same(await told(events, opened, uri), ['ResourceChanged'])
  t.match((await server.get(uri, administrator)).json, { RoleId: 'Operator', Enabled: true, Locked: false })
  t.equal((await server.patch(uri, { Password: 'Other-Street-8' }, administrator)).status, 200)
  t.equal((await server.get(system, token)).status, 401, 'the session is over')
  await t.rejects(server.login('ann', ann.Password))
  const again = await server.login('ann', 'Other-Street-8')
  t.equal((await server.patch(uri, { Enabled: false }, administrator)).status, 200)
  t.equal((await server.get(system, again.token)).status, 401)
  await told(events, opened, uri)
  t.equal((await server.delete(uri, administrator)).status, 200)
  t.same(await told(events, opened, uri), ['ResourceRemoved'])
  t.equal((await server.get(uri, administrator)).status, 404)
}

async function eventsAfter(t: Test, opened: Opened) {
  const { server, system, administrator } = opened
  const events = await EventSource.open(t, server, undefined, administrator)
  for (const ResetType of ['ForceOff', 'On']) {
    const reset = `${system}Actions/ComputerSystem.Reset/`
    t.equal((await server.post(reset, { ResetType }, administrator)).status, 200)
    await server.until(
      () => server.get(system, administrator),
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
  const resumed = await EventSource.open(t, server, first.id, administrator)
  for (const id of ids) t.equal((await resumed.find(isPower)).id, id, 'they come again, in their order')
}

const missing = missingPam()

onBothHosts(async (t, host) => {
  for (const [board, open] of Object.entries(boards)) {
    if (board === 'openbmc' && missing !== undefined) needing(`the board ${board}`, missing, async () => {})
    else
      await t.test(`the board ${board}`, async (t) => {
        const opened = await open(t, host)
        await t.test('users are made, changed and removed', (t) => users(t, opened))
        await t.test('a boot override is set, and used by a boot', (t) => bootOverrides(t, opened))
        await t.test('events come in order, and again for one who was away', (t) => eventsAfter(t, opened))
      })
  }
}, 60)
