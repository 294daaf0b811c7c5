// own process: it starts what was built
import t from 'tap'
import { followPage } from './tours.ts'

t.test('the examples of the logs work as printed', async (t) => {
  const { printed, times } = await followPage(t, 'docs/logs.md')
  t.equal(times('"error":'), 1, printed)
  for (const log of ['SystemLog', 'SEL', 'PostCodes'])
    t.match(printed, `"@odata.id":"/redfish/v1/Systems/1/LogServices/${log}/"`)
  t.match(printed, '"Message":"The server 1 started to boot after a reset."')
  t.match(printed, / 01 00 02( [0-9a-f]{2}){4} 20 00 04 1d 00 6f 01 ff ff/, 'the record')
  t.match(printed, '"MessageArgs":["0x01","1","0.000"]', 'a POST code')
  t.match(printed, '"OemRecordFormat":"', 'the journal')
})
