import t from 'tap'
import { POST } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/LogServices/{LogServiceId}/Actions/LogService.ClearLog.ts'
import { GET as attachment } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/LogServices/{LogServiceId}/Entries/{LogEntryId}/Attachment.ts'
import { GET as entry } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/LogServices/{LogServiceId}/Entries/{LogEntryId}.ts'
import { GET as entries } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/LogServices/{LogServiceId}/Entries.ts'
import { GET as service } from '#handlers/redfish/v1/Systems/{ComputerSystemId}/LogServices/{LogServiceId}.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const uri = '/redfish/v1/Systems/1/LogServices/PostCodes'
const params = { ComputerSystemId: '1', LogServiceId: 'PostCodes' }
const started = '2025-06-01T12:00:00.000Z'
const tables = {
  postCodes: {
    '1/0000000003': { started, codes: '19ad', times: [10, 1500], dropped: 0 },
    '1/0000000004': { started, codes: '42', times: [0], dropped: 7 },
    '2/0000000001': { started, codes: '01', times: [0], dropped: 0 }
  }
}

t.test('each code of each boot is an entry with its time', async (t) => {
  t.match(service(context({ uri, params })), { LogEntryType: 'Event', OverWritePolicy: 'WrapsWhenFull' })
  const { Members } = entries(context({ uri: `${uri}/Entries`, params, tables }))
  t.same(
    Members.map(({ Id, Created, Message }) => [Id, Created, Message]),
    [
      ['3-1', '2025-06-01T12:00:00.010Z', 'The firmware reported the POST code 0x19 in boot 3, after 0.010 seconds.'],
      ['3-2', '2025-06-01T12:00:01.500Z', 'The firmware reported the POST code 0xad in boot 3, after 1.500 seconds.'],
      ['4-8', started, 'The firmware reported the POST code 0x42 in boot 4, after 0.000 seconds.']
    ]
  )
  t.match(Members[2], { AdditionalDataSizeBytes: 1, AdditionalDataURI: `${uri}/Entries/4-8/Attachment` })
})

t.test('the data of an entry is the code', async (t) => {
  const given = { ...params, LogEntryId: '3-2' }
  t.same([...attachment(context({ params: given, tables })).bytes], [0xad])
  for (const LogEntryId of ['3-3', '4-1', '4-7', '4-9', '5-1', '3', '03-1', '3-01', '3-0', '3-99999999999'])
    t.same(await refusal(() => entry(context({ params: { ...params, LogEntryId }, tables }))), missing, LogEntryId)
})

t.test('clearing removes the codes of this system', async (t) => {
  const { writes, events } = await POST(context({ params, tables, body: {} }))
  t.same(writes, { postCodes: { '1/0000000003': null, '1/0000000004': null } })
  t.match(events, [{ origin: uri }])
})
