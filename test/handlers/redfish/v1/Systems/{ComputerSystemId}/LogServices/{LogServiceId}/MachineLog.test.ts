import t from 'tap'
import type { Board } from '#data/board'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { POST } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/LogServices/{LogServiceId}/Actions/LogService.ClearLog.ts'
import { GET as attachment } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/LogServices/{LogServiceId}/Entries/{LogEntryId}/Attachment.ts'
import {
  DELETE,
  GET as entry,
  methods,
  PATCH
} from '#handlers/redfish/v1/Systems/{ComputerSystemId}/LogServices/{LogServiceId}/Entries/{LogEntryId}.ts'
import { GET as entries } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/LogServices/{LogServiceId}/Entries.ts'
import { GET as service } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/LogServices/{LogServiceId}.ts'
import { GET as services } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/LogServices.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const uri = '/redfish/v1/Systems/1/LogServices/EventLog'
const board = { ...sim, systems: { 1: { ...sim.systems[1], eventLog: { type: 'openbmc' } } } } as unknown as Board
const params = { ComputerSystemId: '1', LogServiceId: 'EventLog' }
const fan = {
  created: '2025-06-01T12:00:00.000Z',
  modified: '2025-06-01T12:05:00.000Z',
  severity: 'Critical',
  text: 'Fan 1 failed.',
  resolution: 'Replace it.',
  resolved: true,
  data: { FAN: '1', CALLOUT: 'bay=2' }
} as const
const tables = {
  machineLogEntry: {
    '1/0000000009': fan,
    '1/0000000010': { resolved: false, data: {} },
    '10/0000000009': fan
  }
}
const given = { uri, params, board, tables }
const withId = (LogEntryId: string) => ({ ...given, params: { ...params, LogEntryId } })
const busy = [['Base.ServiceTemporarilyUnavailable', '1']]

t.test('a system has it where its board names what holds it', async (t) => {
  const ids = (of: object) => services(context({ params, uri: '/redfish/v1/Systems/1/LogServices', ...of })).Members
  const uris = (of: object) => ids(of).map((each) => each['@odata.id'].split('/').at(-2))
  t.same(uris({ board }), ['SystemLog', 'EventLog', 'SEL', 'PostCodes'])
  t.same(uris({}), ['SystemLog', 'SEL', 'PostCodes'])
  t.same(await refusal(() => entries(context({ params, uri }))), missing)
})

t.test('its entries have the numbers and words of the program that has it', async (t) => {
  const { Members } = entries(context({ ...given, uri: `${uri}/Entries` }))
  t.match(Members[0], {
    '@odata.id': `${uri}/Entries/9/`,
    Id: '9',
    AdditionalDataSizeBytes: 20,
    AdditionalDataURI: `${uri}/Entries/9/Attachment`,
    Created: fan.created,
    EntryType: 'Event',
    Message: fan.text,
    Modified: fan.modified,
    Resolution: fan.resolution,
    Resolved: true,
    Severity: 'Critical'
  })
  t.same(Object.keys(Members[1] ?? {}).sort(), [
    '@odata.id',
    '@odata.type',
    'Description',
    'EntryType',
    'Id',
    'Name',
    'Resolved'
  ])
  t.equal(Members.length, 2)
  for (const id of ['11', '09', '0', 'x', '9-1']) t.same(await refusal(() => entry(context(withId(id)))), missing, id)
})

t.test('the data of an entry is what the program has beside its text', async (t) => {
  t.equal(new TextDecoder().decode(attachment(context(withId('9'))).bytes), 'FAN=1\nCALLOUT=bay=2\n')
  t.same(await refusal(() => attachment(context(withId('10')))), missing)
})

t.test('an entry is resolved and removed; those of other logs are not', async (t) => {
  t.same(methods(params), ['GET', 'PATCH', 'DELETE'])
  t.same(methods({ ...params, LogServiceId: 'SystemLog' }), ['GET'])
  const patch = (Resolved?: boolean) =>
    PATCH(context({ ...withId('9'), body: Resolved === undefined ? {} : { Resolved } }))
  t.same((await patch(false)).writes, { machineLogEntry: { '1/0000000009': { resolved: false } } })
  t.same((await patch()).writes, {})
  t.same((await DELETE(context(withId('10')))).writes, { machineLogEntry: { '1/0000000010': null } })
  t.same(await refusal(() => DELETE(context(withId('11')))), missing)
  const other = { uri, params: { ...params, LogServiceId: 'SystemLog', LogEntryId: '9' } }
  t.same(await refusal(() => DELETE(context(other))), missing)
  t.same(await refusal(() => PATCH(context({ ...other, body: { Resolved: true } }))), missing)
})

t.test('clearing removes the entries of this system', async (t) => {
  const { writes, events } = await POST(context({ ...given, body: {} }))
  t.same(writes, { machineLogEntry: { '1/0000000009': null, '1/0000000010': null } })
  t.match(events, [{ origin: uri }])
})

t.test('a log whose program is away is shown as it was, and one that is not known yet not at all', async (t) => {
  t.equal(service(context(given)).Status, undefined)
  const away = { ...given, eventLog: 'last' } as const
  t.equal(service(context(away)).Status?.State, 'UnavailableOffline')
  t.equal(entries(context(away)).Members.length, 2)
  const unknown = { ...given, eventLog: 'unknown' } as const
  t.equal(service(context(unknown)).Status?.State, 'UnavailableOffline')
  for (const read of [
    () => entries(context(unknown)),
    () => entry(context({ ...withId('9'), eventLog: 'unknown' })),
    () => POST(context({ ...unknown, body: {} }))
  ])
    t.match(await refusal(read), { status: 503, messages: busy })
})
