import { EventEmitter, once } from 'node:events'
import t from 'tap'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { sleep } from '#runtime/base/sleep.ts'
import { updateFile } from '#runtime/build/update-file.mjs'
import { serveHttps } from '#test/runtime/service/https-server.ts'
import { as, type Fixture, openFixture, password } from '#test/runtime/service.ts'

const service = '/redfish/v1/UpdateService'

const file = (component: string, more: object = {}) =>
  updateFile(sim.updateKey, { board: 'sim', component, version: '3.1', ...more }, { kernel: new Uint8Array(9).fill(7) })

/** The files of a server, by path. */
const files: Readonly<Record<string, Uint8Array>> = {
  '/controller': file('controller'),
  '/bios': file('bios'),
  '/other': file('controller', { board: 'ast2600-evb' }),
  '/cut': file('controller').subarray(0, -1)
}

/** Settles when a task is in one of some states. */
async function reached(fixture: Fixture, task: string, states: readonly string[]) {
  for (;;) {
    const changed = new Promise<void>((resolve) => {
      const stop = fixture.service.store.on('task', () => {
        stop()
        resolve()
      })
    })
    const { json } = await fixture.ask('GET', task)
    if (states.includes(json.TaskState)) return json
    await changed
  }
}

t.test('a file is fetched for a component that accepts it, and the task names the obstacle', async (t) => {
  const fixture = await openFixture()
  t.teardown(() => fixture.close())
  const { origin } = await serveHttps(t, ({ url = '' }, response) => {
    const found = files[url]
    response.writeHead(found === undefined ? 404 : 200).end(found)
  })
  const account = { UserName: 'operator', Password: password, RoleId: 'Operator' }
  t.equal((await fixture.ask('POST', '/redfish/v1/AccountService/Accounts/', account)).status, 201)
  const refused = (reason: string) => ['Update.VerificationFailed', `Mgmt.UpdateFileRefused ${reason}`]
  for (const [path, parameters, user, expected] of [
    ['/missing', {}, 'admin', ['Update.TransferFailed']],
    ['/cut', {}, 'admin', refused('it ends too early')],
    ['/other', {}, 'admin', refused('it is for the board ast2600-evb')],
    ['/controller', {}, 'operator', refused('the user may not update its target')],
    [
      '/controller',
      { Targets: [`${service}/FirmwareInventory/BIOS-1`] },
      'admin',
      refused('no target takes firmware of the kind controller')
    ],
    ['/bios', { '@Redfish.OperationApplyTime': 'Immediate' }, 'operator', refused('its host is not off')],
    ['/bios', { '@Redfish.OperationApplyTime': 'OnReset' }, 'operator', []],
    [
      '/bios',
      { '@Redfish.OperationApplyTime': 'OnReset' },
      'operator',
      refused('BIOS of Dual-socket rack server is being updated already')
    ],
    ['/controller', { '@Redfish.OperationApplyTime': 'OnStartUpdateRequest' }, 'admin', []]
  ] as const) {
    const body = { ImageURI: `${origin}${path}`, ...parameters }
    const action = `${service}/Actions/UpdateService.SimpleUpdate/`
    const { status, headers } = await fixture.ask('POST', action, body, as(user, password))
    t.equal(status, 202, path)
    const shown = await reached(fixture, headers.location as string, ['Exception', 'Pending'])
    const told: string[] = shown.Messages.map(
      ({ MessageId, MessageArgs }: { MessageId: string; MessageArgs: string[] }) =>
        `${MessageId.replace(/\.[\d.]+\./, '.')} ${MessageArgs.join(' ')}`
    )
    const title = `${path} ${JSON.stringify(parameters)}`
    t.ok(told.includes(`Update.TransferringToComponent ${origin}${path} the controller`), title)
    const faults = told.filter((each) => /Failed|Refused/.test(each))
    t.same(
      faults.map((each) => (each.startsWith('Mgmt.') ? each : each.split(' ')[0])),
      expected,
      title
    )
    if (expected.length === 0)
      t.ok(
        told.some((each) => /^Update\.TargetDetermined .*3\.1$/.test(each)),
        title
      )
  }
})

t.test('a file comes from a server that is trusted, by a password, and the task shows its progress', async (t) => {
  const fixture = await openFixture()
  t.teardown(() => fixture.close())
  const { store } = fixture.service
  const image = { board: 'sim', component: 'bios', version: '3.1' }
  const content = updateFile(sim.updateKey, image, { kernel: new Uint8Array(99_000).fill(7) })
  const authorization = `Basic ${Buffer.from('ann:secret').toString('base64')}`
  const isShown = () => store.keys('task').some((id) => store.get('task', id)?.percent === 20)
  const { origin, cert } = await serveHttps(t, async ({ headers }, response) => {
    response.writeHead(headers.authorization === authorization ? 200 : 401, { 'content-length': content.length })
    response.write(content.subarray(0, 60_000))
    while (response.statusCode === 200 && !isShown()) await sleep(1)
    response.end(content.subarray(60_000))
  })
  const fetched = async (parameters: object) => {
    const body = { ImageURI: `${origin}/bios`, '@Redfish.OperationApplyTime': 'OnReset', ...parameters }
    const { headers } = await fixture.ask('POST', `${service}/Actions/UpdateService.SimpleUpdate/`, body)
    const { TaskState, PercentComplete } = await reached(fixture, headers.location as string, ['Exception', 'Pending'])
    return [TaskState, PercentComplete]
  }
  const login = { Username: 'ann', Password: 'secret' }
  t.equal((await fetched({}))[0], 'Exception')
  await store.commit({ updateService: { settings: { verifyCertificate: true } } })
  t.equal((await fetched(login))[0], 'Exception', 'its authority is not imported')
  await store.commit({ trustedCertificate: { 1: { pem: cert } } })
  t.same(await fetched(login), ['Pending', 40])
})

t.test('the connection ends when the user of an update whose file is on its way may make it no more', async (t) => {
  const fixture = await openFixture()
  t.teardown(() => fixture.close())
  const requests = new EventEmitter()
  const asked = once(requests, 'request')
  const { origin } = await serveHttps(t, (request) => requests.emit('request', request))
  const accounts = '/redfish/v1/AccountService/Accounts'
  const account = { UserName: 'operator', Password: password, RoleId: 'Operator' }
  t.equal((await fixture.ask('POST', `${accounts}/`, account)).status, 201)
  const action = `${service}/Actions/UpdateService.SimpleUpdate/`
  const body = { ImageURI: `${origin}/bios`, '@Redfish.OperationApplyTime': 'OnReset' }
  const { headers } = await fixture.ask('POST', action, body, as('operator', password))
  const [{ socket }] = await asked
  const closed = new Promise((resolve) => socket.on('close', resolve))
  t.equal((await fixture.ask('PATCH', `${accounts}/operator/`, { RoleId: 'ReadOnly' })).status, 200)
  await closed
  const { Messages } = await reached(fixture, headers.location as string, ['Exception'])
  t.match(Messages.at(-3), { MessageId: /TransferFailed$/ })
  t.match(Messages.at(-2), { MessageId: /InsufficientPrivilege$/ })
})
