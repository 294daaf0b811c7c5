import { onBoards } from './on-boards.ts'
import { partsOf } from './parts.ts'
import { admin, basic, type Json, password } from './server.ts'

onBoards(async (t, board) => {
  const server = await board.start(t)
  const { system, manager } = await partsOf(server)
  const entries = (log: string) => server.get(`${system}LogServices/${log}/Entries/`)

  t.test('a boot is in the SEL, with its record of sixteen bytes', async (t) => {
    await server.post(`${system}Actions/ComputerSystem.Reset/`, { ResetType: 'ForceRestart' })
    const { json } = await server.until(
      () => entries('SEL'),
      ({ json }) => json.Members.length > 0
    )
    const [entry] = json.Members
    t.match(entry, {
      AdditionalDataSizeBytes: 16,
      EntryCode: 'Assert',
      EntryType: 'SEL',
      Message: /^The server \w+ started to boot after a reset\.$/,
      SensorType: 'SystemBoot/Restart'
    })
    const { status, headers, bytes } = await server.get(entry.AdditionalDataURI)
    t.match({ status, headers }, { status: 200, headers: { 'content-type': 'application/octet-stream' } })
    t.match(Buffer.from(bytes).toString('hex'), /^010002[0-9a-f]{8}2000041d006f01ffff$/)
    t.equal((await server.post(`${system}LogServices/SEL/Actions/LogService.ClearLog/`, {})).status, 200)
    const after = (await entries('SEL')).json.Members
    t.match(after, [{ Id: '2', SensorType: 'Event Logging Disabled', Message: 'The log was cleared by admin.' }])
  })

  t.test('the POST codes of the boot are a log', async (t) => {
    const { json } = await server.until(
      () => entries('PostCodes'),
      ({ json }) => json.Members.length > 0
    )
    const { MessageArgs, AdditionalDataSizeBytes, AdditionalDataURI } = json.Members.at(-1)
    t.match([MessageArgs[0], AdditionalDataSizeBytes], [/^0x[0-9a-f]{2}$/, 1])
    t.same([...(await server.get(AdditionalDataURI)).bytes], [Number(MessageArgs[0])])
  })

  t.test('the journal of the service is for administrators, and has no secrets', async (t) => {
    const journal = `${manager}LogServices/Journal/`
    const reader = { UserName: 'ann', Password: 'Green-Door-4', RoleId: 'ReadOnly' }
    t.equal((await server.post('/redfish/v1/AccountService/Accounts', reader)).status, 201)
    t.equal((await server.get(`${journal}Entries/`, basic('ann', 'Green-Door-4'))).status, 403)
    const { token } = await server.login()
    await server.get('/redfish/v1/Systems/', basic('ann', 'Blue-Door-5'))
    const { status, json } = await server.get(`${journal}Entries/`)
    t.equal(status, 200)
    const lines: string[] = json.Members.map(({ Message }: Json) => Message)
    t.ok(lines.some((line) => line.startsWith('listening; ')))
    for (const secret of ['Green-Door', 'Blue-Door', password, token['x-auth-token'], admin.authorization])
      t.notMatch(lines.join('\n'), secret)
    const last = json.Members.at(-1)
    t.match((await server.get(last['@odata.id'])).json, { Message: last.Message, EntryType: 'Oem' })
  })
})
