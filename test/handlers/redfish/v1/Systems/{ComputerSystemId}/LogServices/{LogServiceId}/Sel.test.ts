import t from 'tap'
import { packSel } from '#data/logs'
import { POST } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/LogServices/{LogServiceId}/Actions/LogService.ClearLog.ts'
import {
  GET as attachment,
  privileges
} from '#handlers/redfish/v1/Systems/{ComputerSystemId}/LogServices/{LogServiceId}/Entries/{LogEntryId}/Attachment.ts'
import { GET as entries } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/LogServices/{LogServiceId}/Entries.ts'
import { GET as service } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/LogServices/{LogServiceId}.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const uri = '/redfish/v1/Systems/1/LogServices/SEL'
const params = { ComputerSystemId: '1', LogServiceId: 'SEL' }
const hot = { type: 1, number: 3, class: 1, offset: 9, isEnd: false, values: [85, 80] } as const
const about = { created: '2025-06-01T12:00:00.000Z', text: 'It is hot.', messageId: 'MgmtEvents.1.0.X', args: [] }
const logEntry = {
  'Systems/1/SEL/0000000007': { ...about, severity: 'Critical', sel: packSel(hot) },
  'Systems/1/SEL/0000000008': { ...about, severity: 'Critical', sel: packSel({ ...hot, number: 4 }) },
  'Systems/1/SEL/0000000009': {
    ...about,
    severity: 'OK',
    created: '2025-06-01T12:05:00.000Z',
    sel: packSel({ ...hot, isEnd: true, values: [77, 80] })
  },
  'Systems/1/SystemLog/0000000001': { ...about, severity: 'OK' }
} as const
const tables = { logEntry }

t.test('the SEL is a log of its own type, which can be cleared', async (t) => {
  t.match(service(context({ uri, params })), {
    LogEntryType: 'SEL',
    MaxNumberOfRecords: 250,
    OverWritePolicy: 'WrapsWhenFull',
    Actions: { '#LogService.ClearLog': {} }
  })
  t.same((await POST(context({ params, tables, body: {} }))).writes, {
    logEntry: Object.fromEntries([7, 8, 9].map((number) => [`Systems/1/SEL/000000000${number}`, null]))
  })
})

t.test(
  'entries say of which sensor they are, and an end resolves the beginning of the same sensor alone',
  async (t) => {
    const [first, second, third, ...rest] = entries(context({ uri: `${uri}/Entries`, params, tables })).Members
    t.match(first, {
      '@odata.id': `${uri}/Entries/7/`,
      AdditionalDataSizeBytes: 16,
      AdditionalDataURI: `${uri}/Entries/7/Attachment`,
      EntryCode: 'Upper Critical - going high',
      EntryType: 'SEL',
      GeneratorId: '0x0020',
      Message: 'It is hot.',
      MessageId: '0x01595550',
      Modified: '2025-06-01T12:05:00.000Z',
      Resolved: true,
      SensorNumber: 3,
      SensorType: 'Temperature',
      Severity: 'Critical'
    })
    t.match(second, { Resolved: false, SensorNumber: 4 })
    t.match(third, { EntryCode: 'Deassert', MessageId: '0x81594d50', Severity: 'OK' })
    t.notOk('Resolved' in (third ?? {}))
    t.same(rest, [])
  }
)

t.test('the data of an entry is its record in IPMI', async (t) => {
  const record = (LogEntryId: string) => attachment(context({ params: { ...params, LogEntryId }, tables })).bytes
  t.equal(Buffer.from(record('7')).toString('hex'), '070002c0403c682000040103' + '01595550')
  for (const id of ['1', '07', 'x']) t.same(await refusal(() => record(id)), missing, id)
  t.same(privileges, { GET: 'LoginPriv' })
})
