import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onEveryHost } from './every-host.ts'
import { messagesOf } from './messages-of.ts'
import { onEveryHostAndBoard } from './on-boards.ts'
import { partsOf } from './parts.ts'
import { directory, type Server, start } from './server.ts'

const system = '/redfish/v1/Systems/1/'
const success = ['Base.Success()']

onEveryHostAndBoard(async (t, board) => {
  const server = await board.start(t)
  const { system, chassis } = await partsOf(server)
  const reset = (ResetType: string) => server.post(`${system}Actions/ComputerSystem.Reset/`, { ResetType })

  t.test('the locating lamp of a chassis is switched', async (t) => {
    for (const lit of [true, false]) {
      const answer = await server.patch(chassis, { LocationIndicatorActive: lit })
      t.same([answer.status, messagesOf(answer)], [200, success])
      t.equal((await server.get(chassis)).json.LocationIndicatorActive, lit)
    }
  })

  t.test('the server is powered off and on', async (t) => {
    t.equal((await reset('ForceOff')).status, 200)
    await powered(server, system, 'Off')
    for (const senseless of ['ForceOff', 'GracefulShutdown', 'ForceRestart', 'GracefulRestart', 'Nmi']) {
      const answer = await reset(senseless)
      t.equal(answer.status, 409, senseless)
      t.same(messagesOf(answer), ['Mgmt.InvalidOperationForSystemState()'])
    }
    t.equal((await server.get(chassis)).json.PowerState, 'Off')
    t.equal((await reset('On')).status, 200)
    await powered(server, system, 'On')
    t.equal((await reset('On')).status, 409)
  })

  t.test('the power button is pressed and held', async (t) => {
    const push = (PushType: string) =>
      server.post(`${system}Actions/Oem/Vendor/VendorComputerSystemExt.PowerButton/`, { PushType })
    for (const [how, state] of [
      ['Press', 'Off'],
      ['Press', 'On'],
      ['PressAndHold', 'Off']
    ] as const) {
      const answer = await push(how)
      t.same([answer.status, messagesOf(answer)], [200, success])
      await powered(server, system, state)
    }
    t.equal((await reset('PushPowerButton')).status, 200)
    await powered(server, system, 'On')
  })

  t.test('the standby supply is interrupted only when the server is off', async (t) => {
    const answer = await server.post(`${system}Actions/Oem/Vendor/VendorComputerSystemExt.SystemReset/`, {
      ResetType: 'AuxCycle'
    })
    t.equal(answer.status, 200)
    t.same(messagesOf(answer), ['Mgmt.SystemPowerOffRequired()'])
    t.equal((await server.get(system)).json.PowerState, 'On')
  })

  t.test('an override with Once ends with the boot', async (t) => {
    const Boot = { BootSourceOverrideTarget: 'Pxe', BootSourceOverrideEnabled: 'Once' }
    t.equal((await server.patch(system, { Boot })).status, 200)
    t.match((await server.get(system)).json.Boot, Boot)
    t.equal((await reset('ForceRestart')).status, 200)
    await server.until(
      () => server.get(system),
      ({ json }) => json.Boot.BootSourceOverrideEnabled === 'Disabled'
    )
  })

  t.test('an override with Continuous stays', async (t) => {
    const Boot = { BootSourceOverrideTarget: 'Cd', BootSourceOverrideEnabled: 'Continuous' }
    await server.patch(system, { Boot })
    await reset('ForceOff')
    await powered(server, system, 'Off')
    await reset('On')
    await powered(server, system, 'On')
    t.match((await server.get(system)).json.Boot, Boot)
    t.equal((await server.patch(system, { Boot: { BootSourceOverrideEnabled: 'Disabled' } })).status, 200)
  })

  t.test('an invalid boot target is refused together with the rest of the body', async (t) => {
    const before = (await server.get(system)).text
    const answer = await server.patch(system, { AssetTag: 'rack 7', Boot: { BootSourceOverrideTarget: 'Tape' } })
    t.equal(answer.status, 400)
    t.match(messagesOf(answer), [/^Base\.PropertyValueNotInList\(Tape, .*BootSourceOverrideTarget\)$/])
    t.equal((await server.get(system)).text, before)
  })
})

onEveryHost(async (t, host) => {
  t.test('the boot order of a new machine is a permutation of the boot options', async (t) => {
    const server = await start(t, host)
    const { BootOrder, BootOptions } = (await server.get(system)).json.Boot
    const { Members } = (await server.get(BootOptions['@odata.id'])).json
    t.equal(Members.length, BootOrder.length)
    const reversed = [...BootOrder].reverse()
    t.equal((await server.patch(system, { Boot: { BootOrder: reversed } })).status, 200)
    t.same((await server.get(system)).json.Boot.BootOrder, reversed)
    for (const wrong of [BootOrder.slice(1), [...BootOrder.slice(1), 'Boot9999'], [...BootOrder, BootOrder[0]]]) {
      t.equal((await server.patch(system, { Boot: { BootOrder: wrong } })).status, 400)
    }
    t.same((await server.get(system)).json.Boot.BootOrder, reversed)
  })

  t.test('while a reset is under way the system is busy, and says for how long', async (t) => {
    const board = JSON.parse(readFileSync('data/boards/sim.json', 'utf8'))
    board.systems['1'].power.resetTime = 20_000
    const file = join(directory(t), 'board.json')
    writeFileSync(file, JSON.stringify(board))
    const own = await start(t, host, { args: ['--board', file] })
    const again = () => own.post(`${system}Actions/ComputerSystem.Reset/`, { ResetType: 'ForceRestart' })
    t.equal((await again()).status, 200)
    const { status, headers, json } = await again()
    const seconds = Number(headers['retry-after'])
    t.equal(status, 503)
    t.ok(seconds > 5 && seconds <= 20, `${seconds} s are left`)
    t.same(messagesOf({ json }), [`Base.ServiceTemporarilyUnavailable(${seconds})`])
    const complaints = own.process.stderr.filter((line) => /"level":"(error|warning)"/.test(line))
    // The emulator of ARMv7 has no such filter.
    t.same(
      complaints.filter((line) => !line.includes('does not filter system calls')),
      []
    )
  })

  t.test('after a loss of power the server is on again as its policy says', async (t) => {
    const first = await start(t, host)
    const { data } = first
    t.equal((await first.get(system)).json.PowerRestorePolicy, 'LastState')
    t.equal((await first.post(`${system}Bios/Settings/`, { Attributes: { QuietBoot: false } })).status, 200)
    const lost = async (server: Server) => {
      await server.kill()
      const off = JSON.stringify({ state: 'Off', interrupted: true })
      writeFileSync(join(data, 'machine/power-1.json'), off)
      return start(t, host, { data })
    }
    const second = await lost(first)
    await powered(second, system, 'On')
    t.equal((await second.get(`${system}Bios/`)).json.Attributes.QuietBoot, false)
    const { Members } = (await second.get(`${system}LogServices/SystemLog/Entries/?$expand=.`)).json
    t.ok(Members.some(({ MessageId }: { MessageId: string }) => MessageId.endsWith('ServerPowerRestored')))
    t.equal((await second.patch(system, { PowerRestorePolicy: 'AlwaysOff' })).status, 200)
    const third = await lost(second)
    t.equal((await third.get(system)).json.PowerState, 'Off')
    const wrong = await third.patch(system, { PowerRestorePolicy: 'Never', PowerOnDelaySeconds: 241 })
    t.equal(wrong.status, 400)
    t.same(messagesOf(wrong).sort(), [
      'Base.PropertyValueNotInList(Never, PowerRestorePolicy)',
      'Base.PropertyValueOutOfRange(241, PowerOnDelaySeconds)'
    ])
  })

  t.test('a boot that found nothing is tried again until there is no attempt left', async (t) => {
    const board = JSON.parse(readFileSync('data/boards/sim.json', 'utf8'))
    Object.assign(board.systems['1'].power, { resetTime: 0, faults: { unbootable: true } })
    const file = join(directory(t), 'board.json')
    writeFileSync(file, JSON.stringify(board))
    const own = await start(t, host, { args: ['--board', file], configuration: { bootRetryTime: 0 } })
    const Boot = { AutomaticRetryConfig: 'RetryAttempts', AutomaticRetryAttempts: 2 }
    t.equal((await own.patch(system, { Boot })).status, 200)
    await own.post(`${system}Actions/ComputerSystem.Reset/`, { ResetType: 'ForceRestart' })
    const told = await own.until(
      () => own.get(`${system}LogServices/SystemLog/Entries/?$expand=.`),
      ({ json }) => json.Members.some((each: { MessageId: string }) => each.MessageId.endsWith('ServerBootFailed'))
    )
    const ids: string[] = told.json.Members.map((each: { MessageId: string }) => each.MessageId.split('.').at(-1))
    t.equal(ids.filter((each) => each === 'ServerBootRetried').length, 2)
    t.match((await own.get(system)).json.Boot, { ...Boot, RemainingAutomaticRetryAttempts: 0 })
  })

  t.test('a reset of the manager restarts the service, at the same port and with its state', async (t) => {
    const own = await start(t, host)
    await own.patch(system, { AssetTag: 'rack 7' })
    const connection = await own.connect()
    const answer = await own.post('/redfish/v1/Managers/1/Actions/Manager.Reset/', { ResetType: 'ForceRestart' })
    t.equal(answer.status, 200)
    await connection.closed
    const after = await own.until(
      () => own.get(system),
      ({ status }) => status === 200
    )
    t.equal(after.json.AssetTag, 'rack 7')
    t.equal(await own.stop(), 0)
    t.equal(own.process.stdout.length, 2, 'it prints its address and that of its page only once')
  })
})

async function powered(server: Server, system: string, state: string): Promise<void> {
  await server.until(
    () => server.get(system),
    ({ json }) => json.PowerState === state
  )
}
