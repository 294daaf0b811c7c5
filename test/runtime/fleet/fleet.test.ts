import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { configuration } from '#data/configuration'
import { describeFleet } from '#data/fleet'
import { loadBackends } from '#hal/backends.ts'
import type { SimPower } from '#hal/sim/power.ts'
import { Control } from '#runtime/fleet/control.ts'
import { FaultSetting } from '#runtime/fleet/fault-setting.ts'
import { openFleet } from '#runtime/fleet/fleet.ts'
import { planReach } from '#runtime/fleet/plan.ts'
import { Messages } from '#runtime/request/answer.ts'
import { Origins } from '#runtime/request/origin.ts'
import { SharedDatabase } from '#runtime/store/shared.ts'
import { as, password, simulated } from '#test/runtime/service.ts'
import { log, open } from './open.ts'

const system = '/redfish/v1/Systems/1/'

t.test('a controller without requests is not open', async (t) => {
  const { fleet, ask } = await open(t, t.testdir())
  t.equal(fleet.roster.open, 0)
  await ask(2, 'GET', system)
  t.equal(fleet.roster.open, 1)
})

t.test('a controller that received no file has no folder', async (t) => {
  const directory = t.testdir()
  const { ask } = await open(t, directory)
  await ask(2, 'PATCH', system, { AssetTag: 'rack' })
  t.notOk(existsSync(`${directory}/controllers`))
})

t.test('an idle controller is closed, and continues at the next request', async (t) => {
  const { fleet, ask, sleep } = await open(t, t.testdir())
  await ask(1, 'PATCH', system, { AssetTag: 'rack' })
  const entries = (await ask(1, 'GET', log)).json['Members@odata.count']
  sleep(299)
  await ask(2, 'GET', system)
  fleet.roster.tidy()
  t.equal(fleet.roster.open, 2, 'not before its time')
  sleep(1)
  fleet.roster.tidy()
  t.equal(fleet.roster.open, 1)
  t.equal((await ask(1, 'GET', system)).json.AssetTag, 'rack')
  t.equal((await ask(1, 'GET', log)).json['Members@odata.count'], entries, 'the log has no new entry')
  t.equal(fleet.roster.open, 2)
})

t.test('a controller is not put aside before a reset of its host has ended', async (t) => {
  const groups = [{ count: 2, network: '127.20.0.0/16', devices: { power: { resetTime: 3_600_000, offTime: 0 } } }]
  const { fleet, ask, sleep } = await open(t, t.testdir(), 2, { groups })
  const reset = (ResetType: string) => ask(1, 'POST', `${system}Actions/ComputerSystem.Reset/`, { ResetType })
  await ask(2, 'GET', system)
  t.equal((await reset('ForceRestart')).status, 200)
  t.equal((await ask(1, 'GET', system)).json.PowerState, 'On')
  const service = fleet.roster.get(1)?.service
  sleep(1000)
  fleet.roster.tidy()
  t.equal(fleet.roster.get(2)?.service, undefined)
  t.ok(service !== undefined && fleet.roster.get(1)?.service === service)
  t.equal((await reset('ForceOff')).status, 200, 'which ends it')
  while ((await ask(1, 'GET', system)).json.PowerState !== 'Off') await pause(2)
  sleep(1000)
  fleet.roster.tidy()
  t.equal(fleet.roster.open, 0)
})

t.test('a controller is not put aside before the timer of a host that hangs has run out', async (t) => {
  const power = { watchdogTime: 3_600_000, resetTime: 0, faults: { hangs: true } }
  const groups = [{ count: 1, network: '127.20.0.0/16', devices: { power } }]
  const { fleet, ask, sleep } = await open(t, t.testdir(), 1, { groups })
  await ask(1, 'POST', `${system}Actions/ComputerSystem.Reset/`, { ResetType: 'ForceRestart' })
  const entries = async () => (await ask(1, 'GET', `${system}LogServices/SystemLog/Entries/?$expand=.`)).json.Members
  while (!JSON.stringify(await entries()).includes('ServerReset')) await pause(2)
  sleep(1000)
  fleet.roster.tidy()
  t.equal(fleet.roster.open, 1)
})

t.test('of too many, those that were asked longest ago are put aside', async (t) => {
  const { fleet, ask, sleep } = await open(t, t.testdir(), 4, { open: 2 })
  for (const number of [1, 2, 3, 1]) await ask(number, 'GET', system)
  fleet.roster.tidy()
  t.equal(fleet.roster.open, 3, 'a request may be under way')
  sleep(20)
  fleet.roster.tidy()
  t.strictSame(
    [1, 2, 3, 4].map((number) => fleet.roster.get(number)?.service !== undefined),
    [true, false, true, false]
  )
})

t.test('a controller with a subscriber stays, and is opened at the next start', async (t) => {
  const directory = t.testdir()
  const { fleet, ask, sleep } = await open(t, directory)
  const subscription = { Destination: 'https://192.0.2.1/', Protocol: 'Redfish', Context: 'x' }
  t.equal((await ask(3, 'POST', '/redfish/v1/EventService/Subscriptions/', subscription)).status, 201)
  sleep(1000)
  fleet.roster.tidy()
  t.equal(fleet.roster.open, 1)
  await fleet.close()
  const again = await open(t, directory)
  await again.fleet.roster.wake(again.fleet.database, new Promise(() => {}))
  t.ok(again.fleet.roster.get(3)?.service)
  t.equal(again.fleet.roster.open, 1)
})

t.test('a controller that is reset starts again, and the others do not', async (t) => {
  const { fleet, ask } = await open(t, t.testdir())
  const [one, two] = await Promise.all([1, 2].map((number) => fleet.roster.get(number)!.open()))
  const started = async (number: number) =>
    (await ask(number, 'GET', `${log}?$expand=.`)).json.Members.filter((entry: { MessageId: string }) =>
      entry.MessageId.endsWith('ControllerStarted')
    ).length
  t.equal(await started(1), 1)
  t.equal((await ask(1, 'POST', '/redfish/v1/Managers/1/Actions/Manager.Reset/', {})).status, 200)
  await one!.restarted
  while (fleet.roster.get(1)?.service === undefined || fleet.roster.get(1)?.service === one) await pause(2)
  t.equal(await started(1), 2)
  t.equal(fleet.roster.get(2)?.service, two)
})

t.test('a controller that reboots is unreachable, and starts again by itself', async (t) => {
  const { fleet, ask } = await open(t, t.testdir())
  const started = async () =>
    (await ask(1, 'GET', `${log}?$expand=.`)).json.Members.filter((entry: { MessageId: string }) =>
      entry.MessageId.endsWith('ControllerStarted')
    ).length
  await ask(1, 'PATCH', system, { AssetTag: 'rack' })
  t.equal(await started(), 1)
  const controller = fleet.roster.get(1)!
  const before = controller.service
  controller.reboot(1)
  t.ok(controller.isAway)
  await t.rejects(controller.open(), /it reboots/)
  while (controller.isAway || controller.service === undefined || controller.service === before)
    await new Promise((resolve) => setTimeout(resolve, 1))
  t.equal(await started(), 2)
  t.equal((await ask(1, 'GET', system)).json.AssetTag, 'rack')
})

t.test('a controller may reboot while it is opened, and does not start in a closed fleet', async (t) => {
  const { fleet, ask } = await open(t, t.testdir())
  const opening = ask(2, 'GET', system)
  const controller = fleet.roster.get(2)!
  controller.reboot(3_600_000)
  await opening
  while (controller.service !== undefined) await pause(2)
  await t.rejects(controller.open(), /it reboots/)
  await fleet.close()
  t.notOk(controller.isAway)
  t.equal(controller.service, undefined)
})

t.test('a file has faults of single controllers, by their number or their name', async (t) => {
  const groups = [
    { count: 4, network: '127.20.0.0/16', faults: [{ delay: 1 }], devices: { power: { faults: { slow: 1 } } } }
  ]
  const stuck = { power: { faults: { stuckOn: true } } }
  const controllers = {
    2: { faults: [{ status: 503 }] },
    'bmc-00003': { devices: { ...stuck, sensors: { faults: { stale: true } } } },
    5: {}
  }
  const directory = t.testdir()
  const { fleet } = await open(t, directory, 4, { groups, controllers })
  const shown = [1, 2, 3, 4].map((number) => {
    const { faults, deviceFaults } = fleet.roster.get(number)!
    return [faults.rules, deviceFaults]
  })
  const slow = { power: { faults: { slow: 1 } } }
  t.strictSame(shown, [
    [[{ delay: 1 }], slow],
    [[{ delay: 1 }, { status: 503 }], slow],
    [[{ delay: 1 }], { ...stuck, sensors: { faults: { stale: true } } }],
    [[{ delay: 1 }], slow]
  ])
  t.strictSame([...fleet.roster.unknown], ['5'])
  const wrong = { 1: { devices: { power: { faults: { stuckOff: true } } } } }
  await t.rejects(
    open(t, `${directory}/wrong`, 1, { controllers: wrong }),
    /controllers.1: devices: .*stuckOff is not known/
  )
})

t.test('no option makes a machine of a fleet a real one', async (t) => {
  const directory = t.testdir()
  const devices = { indicator: { type: 'leds', led: 'id' } }
  const real = /devices: chassis\/1\/indicator\/type is leds, not one of sim$/
  await t.rejects(open(t, directory, 1, { groups: [{ count: 1, network: '127.20.0.0/16', devices }] }), real)
  await t.rejects(open(t, directory, 1, { controllers: { 1: { devices } } }), real)
})

t.test('faults of devices change while a controller is open, and stay when it is opened again', async (t) => {
  const { fleet } = await open(t, t.testdir())
  const controller = fleet.roster.get(1)!
  const faultsOf = async () => {
    const { devices } = await controller.open()
    return (devices.power.get('1') as SimPower).faults
  }
  t.strictSame(await faultsOf(), {})
  await controller.setDeviceFaults({
    power: { faults: { stuckOn: true } },
    sensors: { faults: { stuckAt: { 2: 99 } } }
  })
  t.strictSame(await faultsOf(), { stuckOn: true })
  t.equal((await controller.open()).hardware.reading('1', 2), 99)
  await controller.close()
  t.strictSame(await faultsOf(), { stuckOn: true })
  await controller.setDeviceFaults({ power: { faults: { hang: true } } })
  t.strictSame(await faultsOf(), { hang: true }, 'those that are not named are gone')
  await t.rejects(controller.setDeviceFaults({ power: { faults: { stuckOff: true } } }), /stuckOff is not known/)
  t.match(controller.deviceFaults, { power: { faults: { hang: true } }, sensors: { faults: { stuckAt: { 2: 99 } } } })
})

t.test('readings that a fault froze are on disk when the fault is acknowledged', async (t) => {
  const directory = t.testdir({ first: {} })
  const { fleet } = await open(t, `${directory}/first`)
  const controller = fleet.roster.get(1)!
  await controller.open()
  await controller.setDeviceFaults({ sensors: { faults: { stuckAt: { 2: 99 } } } })
  await controller.setDeviceFaults({ sensors: { faults: { stale: true } } })
  cpSync(`${directory}/first`, `${directory}/killed`, { recursive: true })
  const again = (await open(t, `${directory}/killed`)).fleet.roster.get(1)!
  await again.setDeviceFaults({ sensors: { faults: { stale: true } } })
  t.equal((await again.open()).hardware.reading('1', 2), 99)
})

t.test('simultaneous writes of all of them are stored in few batches, completely', async (t) => {
  const directory = t.testdir()
  const { fleet, ask } = await open(t, directory, 20)
  const numbers = Array.from({ length: 20 }, (_, index) => index + 1)
  await Promise.all(numbers.map((number) => ask(number, 'PATCH', system, { AssetTag: `rack ${number}` })))
  await fleet.close()
  const again = await open(t, directory, 20)
  for (const number of numbers) t.equal((await again.ask(number, 'GET', system)).json.AssetTag, `rack ${number}`)
})

t.test('a password that was generated is the same at the next start', async (t) => {
  const directory = t.testdir()
  const { parts } = simulated(directory)
  const { configuration: _, board: __, adminPassword: ___, ...host } = parts
  const groups = [{ count: 1, network: '127.20.0.0/16' }]
  const description = describeFleet({ data: directory, groups })
  const given = { ...host, loadBackends, description, reaches: planReach(description.groups), adminPassword: undefined }
  const first = await openFleet(given)
  t.match(first.generatedPassword, /^\w{16}$/)
  await first.close()
  const second = await openFleet(given)
  t.equal(second.generatedPassword, undefined)
  await second.close()
})

t.test('the diagnostic data of a controller has the lines of its own log, and of no other', async (t) => {
  const { ask, lines } = await open(t, t.testdir())
  const sessions = '/redfish/v1/SessionService/Sessions/'
  for (const number of [1, 2]) await ask(number, 'POST', sessions, { UserName: `user-${number}`, Password: 'x' })
  for (const number of [1, 2]) {
    const own = await lines(number)
    t.ok(own.length > 0)
    t.ok(own.every(({ controller }) => controller === number))
  }
})

t.test('device warnings of a controller are in its own log', async (t) => {
  const directory = t.testdir()
  const board = JSON.parse(readFileSync('data/boards/sim.json', 'utf8'))
  const [fru, smbios] = [`${directory}/eeprom`, `${directory}/DMI`]
  writeFileSync(fru, 'no FRU information')
  Object.assign(board.systems['1'], { fru, smbios })
  writeFileSync(`${directory}/board.json`, JSON.stringify(board))
  const devices = { power: { faults: { failNext: 'EIO' } } }
  const groups = [{ count: 1, network: '127.20.0.0/16', board: `${directory}/board.json`, devices }]
  const { ask, lines } = await open(t, directory, 1, { groups })
  const reset = await ask(1, 'POST', `${system}Actions/ComputerSystem.Reset/`, { ResetType: 'ForceRestart' })
  t.equal(reset.status, 503)
  const messages = (await lines(1)).map(({ message }) => message)
  for (const message of [
    'an EEPROM cannot be read: the board file applies',
    'the SMBIOS tables of a host cannot be read: the board file applies',
    'a device failed'
  ]) {
    t.ok(messages.includes(message), message)
  }
})

t.test('a page of another site does not set faults', async (t) => {
  const { fleet } = await open(t, t.testdir())
  const setting = new FaultSetting(fleet.database, () => t.fail('nothing has changed'))
  const control = new Control(setting, new Origins(''), new Messages('compact'))
  const asked = async (method: string, headers: Record<string, string>) => {
    const own = { ...as('admin', password), host: 'bmc', 'content-length': '2', ...headers }
    const head = { method, target: '/redfish/v1/Oem/Vendor/Faults/', headers: own, address: '127.0.0.1' }
    const begun = await control.begin(fleet.roster.get(1)!, head)
    return 'finish' in begun ? 'its body is read' : begun.status
  }
  t.equal(await asked('PATCH', { origin: 'https://evil.example' }), 403)
  t.equal(await asked('PATCH', { 'sec-fetch-site': 'cross-site' }), 403)
  t.equal(await asked('GET', { origin: 'https://evil.example' }), 200)
  t.equal(await asked('PATCH', { origin: 'https://bmc' }), 415)
  t.equal(await asked('PATCH', { origin: 'https://bmc', 'content-type': 'application/json' }), 'its body is read')
  t.equal(await asked('PATCH', {}), 'its body is read')
})

t.test('faults that cannot be stored are not set, and the client receives the error', async (t) => {
  const directory = t.testdir()
  const { fleet } = await open(t, directory)
  const controller = fleet.roster.get(1)!
  // A file is in place of its directory.
  const path = `${directory}/other`
  const database = await SharedDatabase.open(path, configuration.store)
  await database.close()
  rmSync(path, { recursive: true })
  writeFileSync(path, '')
  const setting = new FaultSetting(database, () => t.fail('nothing has changed'))
  const control = new Control(setting, new Origins(''), new Messages('compact'))
  const headers = as('admin', password)
  const head = { method: 'PATCH', target: '/redfish/v1/Oem/Vendor/Faults/', headers, address: '127.0.0.1' }
  const begun = await control.begin(controller, head)
  if (!('finish' in begun)) return t.fail('it is refused before its body is there')
  const wanted = { Rules: [{ status: 500 }], Devices: { power: { faults: { stuckOn: true } } } }
  const { status } = await begun.finish(new TextEncoder().encode(JSON.stringify(wanted)))
  t.equal(status, 503)
  t.strictSame([controller.faults.rules, controller.deviceFaults], [[], {}])
})

t.test('an administrator who has to change the password first changes no faults', async (t) => {
  const { fleet, ask } = await open(t, t.testdir())
  const account = {
    UserName: 'second',
    Password: 'Green-Door-4',
    RoleId: 'Administrator',
    PasswordChangeRequired: true
  }
  t.equal((await ask(1, 'POST', '/redfish/v1/AccountService/Accounts', account)).status, 201)
  const setting = new FaultSetting(fleet.database, () => t.fail('nothing has changed'))
  const control = new Control(setting, new Origins(''), new Messages('compact'))
  const headers = as('second', 'Green-Door-4')
  for (const method of ['GET', 'PATCH']) {
    const head = { method, target: '/redfish/v1/Oem/Vendor/Faults/', headers, address: '127.0.0.1' }
    const begun = await control.begin(fleet.roster.get(1)!, head)
    if ('finish' in begun) return t.fail('it is refused before its body is there')
    t.equal(begun.status, 403)
    t.match(new TextDecoder().decode(begun.body), /PasswordChangeRequired/)
  }
})
