import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { onBothHosts } from './every-host.ts'
import { directory, type Json, type Response, type Scope, type Server, start } from './server.ts'

const system = '/redfish/v1/Systems/1/'
const program = resolve('test/hal/fixtures/qemu.mjs')

/** The board with the virtual machine, whose QEMU is another one. */
function boardFile(t: Scope, power: object): string {
  const board = JSON.parse(readFileSync('data/boards/qemu.json', 'utf8'))
  const files = directory(t)
  writeFileSync(join(files, 'code.fd'), '')
  const machine = { qemu: program, firmware: join(files, 'code.fd'), timeout: 3000, ...power }
  board.systems['1'].power = { ...board.systems['1'].power, ...machine }
  const file = join(files, 'board.json')
  writeFileSync(file, JSON.stringify(board))
  return file
}

const reset = (server: Server, ResetType: string) =>
  server.post(`${system}Actions/ComputerSystem.Reset/`, { ResetType })

async function becomes(server: Server, state: string): Promise<void> {
  await server.until(
    () => server.get(system),
    ({ json }) => json.PowerState === state
  )
}

/** The failure as the client sees it: the keys of the messages with their arguments. */
function messagesOf({ json }: Response): string[] {
  const messages: Json[] = json.error['@Message.ExtendedInfo']
  return messages.map(({ MessageId, MessageArgs = [] }) => `${MessageId.split('.').at(-1)}(${MessageArgs})`)
}

const failures = ({ json }: Response): Json[] =>
  json.Members.filter(({ MessageId }: Json) => MessageId.endsWith('.ServerFailed'))

/** The last entry about a failure in the log of the system; it is written after the state has changed. */
async function failure(server: Server): Promise<string> {
  const answer = await server.until(
    () => server.get(`${system}LogServices/SystemLog/Entries/?$expand=.`),
    (answer) => failures(answer).length > 0
  )
  return failures(answer).at(-1)?.MessageArgs.join(' ')
}

onBothHosts(async (t, host) => {
  for (const [what, power, words] of [
    ['whose program is missing', { qemu: 'no-such-qemu' }, 'qemu: there is no program no-such-qemu'],
    ['whose firmware is missing', { firmware: '/no/code.fd' }, 'qemu: there is no file /no/code.fd'],
    ['whose disk is missing', { disk: '/no/disk.img' }, 'qemu: there is no file /no/disk.img']
  ] as const) {
    t.test(`a machine ${what} stays off, and the answer names what is missing`, async (t) => {
      const server = await start(t, host, { args: ['--board', boardFile(t, power)] })
      const answer = await reset(server, 'On')
      t.equal(answer.status, 503)
      t.equal(answer.headers['retry-after'], '60')
      t.same(messagesOf(answer), ['ServiceTemporarilyUnavailable(60)', `DeviceFailed(${words})`])
      t.equal((await server.get(system)).json.PowerState, 'Off')
    })
  }

  t.test("a machine that does not start is off again, and the log has QEMU's message", async (t) => {
    const server = await start(t, host, { args: ['--board', boardFile(t, { arguments: ['refuse'] })] })
    t.equal((await reset(server, 'On')).status, 200)
    await becomes(server, 'Off')
    t.match(await failure(server), 'qemu: the machine does not start: qemu: refused as it was told')
  })

  t.test('a machine whose monitor does not answer can be switched off all the same', async (t) => {
    const server = await start(t, host, { args: ['--board', boardFile(t, { arguments: ['deaf'] })] })
    t.equal((await reset(server, 'On')).status, 200)
    await becomes(server, 'On')
    const answer = await reset(server, 'Nmi')
    t.equal(answer.status, 503)
    t.same(messagesOf(answer), [
      'ServiceTemporarilyUnavailable(15)',
      'DeviceFailed(qemu: inject-nmi: no answer in 3000 ms)'
    ])
    t.equal((await reset(server, 'ForceOff')).status, 200)
    await becomes(server, 'Off')
  })

  t.test('a cold boot continues after the controller restarts during it', async (t) => {
    const server = await start(t, host, { args: ['--board', boardFile(t, { offTime: 2000 * host.slowness })] })
    t.equal((await reset(server, 'On')).status, 200)
    await becomes(server, 'On')
    const cold = { ResetType: 'ColdBoot' }
    const target = `${system}Actions/Oem/Vendor/VendorComputerSystemExt.SystemReset/`
    t.equal((await server.post(target, cold)).status, 200)
    await becomes(server, 'Off')
    t.equal(
      (await server.post('/redfish/v1/Managers/1/Actions/Manager.Reset/', { ResetType: 'ForceRestart' })).status,
      200
    )
    await becomes(server, 'On')
    await reset(server, 'ForceOff')
    await becomes(server, 'Off')
  })
})
