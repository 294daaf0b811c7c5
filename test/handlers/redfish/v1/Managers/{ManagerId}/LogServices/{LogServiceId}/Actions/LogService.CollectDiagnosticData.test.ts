import t from 'tap'
import {
  POST,
  privileges
} from '#handlers/redfish/v1/Managers/{ManagerId}/LogServices/{LogServiceId}/Actions/LogService.CollectDiagnosticData.ts'
import { GET } from '#handlers/redfish/v1/Managers/{ManagerId}/LogServices/{LogServiceId}/Entries/{LogEntryId}/Attachment.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const params = { ManagerId: '1', LogServiceId: 'EventLog' }
const log = 'Managers/1/EventLog'
const uri = '/redfish/v1/Managers/1/LogServices/EventLog'
const body = { DiagnosticDataType: 'Manager' } as const
const entry = { created: '2025-06-01T11:00:00.000Z', severity: 'OK', text: 'x', messageId: 'y', args: [] } as const
const secret = 'planted secret'
const tables = {
  logEntry: { [`${log}/0000000011`]: entry, 'Systems/1/SystemLog/0000000001': entry },
  hostNames: { 1: { hostName: 'rack7', domain: 'example.net' } },
  account: { admin: { hash: secret } },
  session: { 1: { digest: secret } },
  subscription: { 1: { destination: secret } },
  biosPending: { 1: { AdminPassword: secret } },
  virtualMedia: { '1/1': { image: secret } },
  update: { 1: { uri: secret } },
  license: { 1: { key: secret } }
} as object

const collected = async () => {
  const target = `${uri}/Actions/LogService.CollectDiagnosticData`
  const outcome = await POST(
    context({
      params,
      uri: target,
      body,
      tables,
      serviceLog: () => ({ lines: ['{"message":"listening"}'], dropped: 0 })
    })
  )
  return { outcome, record: outcome.writes?.diagnosticData?.[log] as { entry: string; text: string; size: number } }
}

t.test('the log gets an entry that links the collected data', async (t) => {
  const { outcome, record } = await collected()
  t.match(outcome, {
    status: 201,
    location: `${uri}/Entries/12`,
    writes: { logEntry: { [`${log}/0000000012`]: { text: 'Diagnostic data was collected for admin.' } } }
  })
  t.equal(record.entry, `${log}/0000000012`)
  const named = (LogEntryId: string) =>
    GET(context({ params: { ...params, LogEntryId }, tables: { diagnosticData: { [log]: record } } }))
  t.strictSame(named('12'), JSON.parse(record.text))
  t.same(await refusal(() => named('11')), missing)
  t.same(await refusal(() => GET(context({ params: { ...params, LogEntryId: '12' } }))), missing, 'once it is gone')
})

t.test('it holds versions, both logs, the service’s last words and how the controller is set up', async (t) => {
  const { record } = await collected()
  const data = JSON.parse(record.text)
  t.match(data, {
    Board: 'sim',
    Versions: [
      { Id: 'Manager-1', Version: /./ },
      { Id: 'BIOS-1', Version: /^R22/ }
    ],
    ServiceLog: ['{"message":"listening"}'],
    Log: [{ Log: log }, { Log: 'Systems/1/SystemLog', Message: 'x' }],
    State: [{ Table: 'hostNames', Key: '1' }]
  })
  t.equal(JSON.parse(data.Configuration).limits.logEntries, 250)
  t.equal(Buffer.byteLength(`${record.text}\n`), record.size)
})

t.test('it holds no secrets', async (t) => {
  const { record } = await collected()
  t.notOk(record.text.includes(secret))
})

t.test('there is no other log', async (t) => {
  const other = { ManagerId: '1', LogServiceId: 'SystemLog' }
  t.same(await refusal(() => POST(context({ params: other, body }))), missing)
})

t.test('it takes the privilege for the controller', async (t) => {
  t.same(privileges, { POST: 'MgmtConfigPriv' })
})
