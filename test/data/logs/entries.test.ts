import t from 'tap'
import { as, type Fixture, openFixture } from '#test/runtime/service.ts'

const events = '/redfish/v1/Managers/1/LogServices/EventLog/'
const host = '/redfish/v1/Systems/1/LogServices/SystemLog/'

/** The messages of a log, oldest entry first. */
async function messages(service: Fixture, log: string): Promise<string[]> {
  const { json } = await service.ask('GET', `${log}Entries/?$expand=.`)
  return json.Members.map(({ Message }: { Message: string }) => Message)
}

/** Waits until the last entry of a log is this one. */
async function until(service: Fixture, log: string, text: string): Promise<void> {
  while ((await messages(service, log)).at(-1) !== text) await new Promise((resolve) => setImmediate(resolve))
}

t.test('a start of the controller is logged, and the log outlives it', async (t) => {
  const first = await openFixture()
  t.same(await messages(first, events), ['The management controller started.'])
  await first.service.close()
  const again = await openFixture(() => undefined, first.directory)
  t.teardown(() => again.close())
  t.same(await messages(again, events), ['The management controller started.', 'The management controller started.'])
  t.equal((await again.ask('GET', `${events}Entries/2/`)).json.Id, '2')
})

t.test('the power of the host is followed in both logs', async (t) => {
  const service = await openFixture()
  t.teardown(() => service.close())
  const reset = (ResetType: string) =>
    service.ask('POST', '/redfish/v1/Systems/1/Actions/ComputerSystem.Reset/', { ResetType })
  t.equal((await reset('Nmi')).status, 200)
  await until(service, host, 'A non-maskable interrupt was sent to the server 1.')
  t.equal((await reset('ForceRestart')).status, 200)
  await until(service, host, 'The server 1 started to boot after a reset.')
  t.equal((await reset('ForceOff')).status, 200)
  await until(service, host, 'The server 1 is powered off.')
  t.equal((await reset('On')).status, 200)
  await until(service, host, 'The server 1 started to boot after power-on.')
  await until(service, host, 'The server 1 is powered on.')
  const { json } = await service.ask('GET', `${host}Entries/1/`)
  t.match(json, {
    Severity: 'Warning',
    Created: /^\d{4}-/,
    EntryType: 'Event',
    MessageId: 'MgmtEvents.1.0.NonMaskableInterrupt',
    MessageArgs: ['1']
  })
})

t.test(
  'failed logins are logged, up to the number that locks an account, and unknown names are not repeated',
  async (t) => {
    const service = await openFixture((configuration) => {
      configuration.lockout.threshold = 3
    })
    t.teardown(() => service.close())
    const account = { UserName: 'ann', Password: 'Green-Door-4', RoleId: 'ReadOnly' }
    t.equal((await service.ask('POST', '/redfish/v1/AccountService/Accounts/', account)).status, 201)
    for (const user of ['a secret', 'another', 'ann']) {
      for (let count = 0; count < 5; count += 1) await service.ask('GET', events, undefined, as(user, 'wrong'))
    }
    await until(service, events, 'The account ann is locked after failed logins.')
    t.same((await messages(service, events)).slice(1), [
      ...Array(3).fill('A login as an unknown user from 127.0.0.1 failed.'),
      ...Array(3).fill('A login as ann from 127.0.0.1 failed.'),
      'The account ann is locked after failed logins.'
    ])
  }
)

t.test('a log holds as many entries as the configuration says', async (t) => {
  const service = await openFixture((configuration) => {
    configuration.limits.logEntries = 3
  })
  t.teardown(() => service.close())
  for (let count = 0; count < 4; count += 1) {
    await service.ask('POST', '/redfish/v1/Systems/1/Actions/ComputerSystem.Reset/', { ResetType: 'Nmi' })
  }
  const ids = async () => {
    const { json } = await service.ask('GET', `${host}Entries/`)
    return json.Members.map((each: { '@odata.id': string }) => each['@odata.id'].split('/').at(-2))
  }
  while ((await ids()).at(-1) !== '4') await new Promise((resolve) => setImmediate(resolve))
  t.same(await ids(), ['2', '3', '4'])
})

t.test('a log that is cleared while it is written to does not repeat a number', async (t) => {
  const service = await openFixture()
  t.teardown(() => service.close())
  const nmi = () => service.ask('POST', '/redfish/v1/Systems/1/Actions/ComputerSystem.Reset/', { ResetType: 'Nmi' })
  const clear = () => service.ask('POST', `${host}Actions/LogService.ClearLog/`, {})
  const said = await Promise.all([nmi(), clear(), nmi(), clear(), nmi()])
  t.same(
    said.map(({ status }) => status),
    [200, 200, 200, 200, 200]
  )
  const last = async () => (await service.ask('GET', `${host}Entries/`)).json.Members.at(-1)['@odata.id']
  while (!(await last()).endsWith('/5/')) await new Promise((resolve) => setImmediate(resolve))
  t.ok((await messages(service, host)).some((text) => text === 'The log was cleared by admin.'))
})

t.test('a long log is paged', async (t) => {
  const service = await openFixture((configuration) => {
    configuration.limits.collectionPage = 2
  })
  t.teardown(() => service.close())
  for (let count = 0; count < 3; count += 1) {
    await service.ask('POST', '/redfish/v1/Systems/1/Actions/ComputerSystem.Reset/', { ResetType: 'Nmi' })
  }
  const read = async () => (await service.ask('GET', `${host}Entries/`)).json
  let page = await read()
  while (page['Members@odata.count'] < 3) {
    await new Promise((resolve) => setImmediate(resolve))
    page = await read()
  }
  t.match(page, { 'Members@odata.count': 3, 'Members@odata.nextLink': `${host}Entries/?$skip=2` })
  t.equal(page.Members.length, 2)
})
