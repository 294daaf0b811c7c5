import { X509Certificate } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import type { ScenarioStep } from '#data/fleet'
import type { Controller } from '#runtime/fleet/controller.ts'
import { perform } from '#runtime/fleet/group-actions.ts'
import { Scenario } from '#runtime/fleet/scenario.ts'
import { FleetTime } from '#runtime/fleet/time.ts'
import type { Json } from '#test/host/server.ts'
import { changing, log, open } from './open.ts'

const minute = 60_000

/** A fleet whose scenario has begun; its time stands still unless the settings say another speed. */
async function played(t: Test, directory: string, scenario: readonly ScenarioStep[], settings: object = {}) {
  const { fleet, ask } = await open(t, directory, 2, { speed: 0, scenario, ...settings })
  const { setting, addresses, places } = changing(fleet)
  const own = new Scenario(scenario, { ...fleet, setting, addresses })
  await own.begin()
  const one = fleet.roster.get(1)!
  const starts = async () => {
    const { json } = await ask(1, 'GET', `${log}?$expand=.`)
    return json.Members.filter(({ MessageId = '' }) => MessageId.endsWith('ControllerStarted')).length
  }
  return {
    fleet,
    ask,
    one,
    setting,
    addresses,
    places,
    scenario: own,
    starts,
    advance: (minutes: number) => fleet.time.advance(minutes * minute)
  }
}

const stuck = (sensors: object) => ({ devices: { sensors: { faults: { stuckAt: sensors } } } })

t.test('faults begin and end, and a controller restarts, when the file says so', async (t) => {
  const steps = [
    { at: '00:15', controllers: [1], restart: 240 },
    { at: '00:10', controllers: [1], addFaults: stuck({ 7: 900 }) },
    { at: '00:12', controllers: [1], addFaults: stuck({ 2: 95 }) },
    { at: '00:20', addFaults: { devices: { firmware: { faults: { cutAt: 0.8 } } }, rules: [{ status: 503 }] } },
    { at: '00:30:30', removeFaults: ['sensors.stuckAt', 'requests.status'] }
  ]
  const { fleet, ask, one, starts, advance, scenario } = await played(t, t.testdir(), steps)
  const readings = async () => JSON.stringify((await ask(1, 'GET', '/redfish/v1/Chassis/1/Thermal/')).json)
  t.equal((await ask(1, 'GET', '/redfish/v1/')).status, 200)
  t.equal(await starts(), 1)
  await advance(9.99)
  t.same(one.deviceFaults, {})
  await advance(0.01)
  t.same(one.deviceFaults, { sensors: { faults: { stuckAt: { 7: 900 } } } })
  await advance(2)
  t.same(one.deviceFaults, { sensors: { faults: { stuckAt: { 2: 95, 7: 900 } } } }, 'the fan is slow still')
  t.match(await readings(), '"ReadingCelsius":95')
  await advance(3)
  t.ok(one.isAway)
  await advance(3.99)
  t.ok(one.isAway)
  await advance(0.01)
  t.notOk(one.isAway)
  t.equal(await starts(), 2)
  await advance(60)
  t.equal(scenario.done, scenario.steps)
  for (const each of fleet.roster) {
    t.same(each.deviceFaults.firmware, { faults: { cutAt: 0.8 } })
    t.same(each.faults.rules, [])
  }
  t.same(one.deviceFaults.sensors, { faults: {} })
})

t.test('a fleet that is started again goes on after the last step', async (t) => {
  const directory = t.testdir()
  const steps = [1, 2, 3].map((n) => ({ at: `00:0${n}`, addFaults: { rules: [{ delay: n }] } }))
  const delays = ({ one }: Awaited<ReturnType<typeof played>>) => one.faults.rules.map(({ delay }) => delay)
  const first = await played(t, directory, steps)
  await first.advance(2.5)
  t.same(delays(first), [1, 2])
  await first.fleet.close()
  const second = await played(t, directory, steps)
  t.same(delays(second), [1, 2], 'what was set stays')
  t.equal(second.fleet.time.now(), 2 * minute)
  await second.advance(1)
  t.same(delays(second), [1, 2, 3])
})

t.test('a controller moves to the address that a DHCP server gives it, and keeps it', async (t) => {
  const directory = t.testdir()
  const port = '/redfish/v1/Managers/1/EthernetInterfaces/1/'
  const steps = [{ at: '00:01', controllers: [1], address: '127.20.9.9' }]
  const addressesOf = async ({ ask }: Awaited<ReturnType<typeof played>>) =>
    (await ask(1, 'GET', port)).json.IPv4Addresses.map((each: Json) => [each.Address, each.AddressOrigin].join(' '))
  const first = await played(t, directory, steps)
  const sent: string[] = []
  first.fleet.roster.onOpened(({ store }) => {
    store.on('event', (key) => {
      const { messageId = '', origin } = store.get('event', key) ?? {}
      if (messageId.endsWith('.ResourceChanged')) sent.push(String(origin))
    })
  })
  await first.addresses.listen(first.one, 8443)
  t.same(await addressesOf(first), ['127.20.0.1 Static'])
  await first.advance(1)
  t.same([...first.places], ['127.20.9.9:8443'], 'it has left the other one')
  t.equal(first.one.address, '127.20.9.9')
  t.same(await addressesOf(first), ['127.20.9.9 DHCP'])
  t.same(sent, [port.slice(0, -1)])
  await first.fleet.close()
  const second = await played(t, directory, steps)
  t.equal(second.one.address, '127.20.9.9')
  t.same(await addressesOf(second), ['127.20.9.9 DHCP'])
})

t.test('an address from a DHCP server takes the place of one that a client has set', async (t) => {
  const port = '/redfish/v1/Managers/1/EthernetInterfaces/1/'
  const wish = { IPv4StaticAddresses: [{ Address: '192.0.2.7', SubnetMask: '255.255.255.0' }] }
  const steps = [1, 2].map((n) => ({ at: `00:0${n}`, controllers: [1], address: `127.20.9.${n}` }))
  const { ask, one, addresses, advance } = await played(t, t.testdir(), steps)
  await addresses.listen(one, 8443)
  const shows = async (...own: readonly string[]) => {
    const { json } = await ask(1, 'GET', port)
    const static4 = json.IPv4StaticAddresses.map((each: Json) => each.Address)
    t.same([...static4, ...json.IPv4Addresses.map((each: Json) => each.Address)], own)
  }
  const set = async () => t.equal((await ask(1, 'PATCH', port, wish)).status, 200)
  await set()
  await advance(1)
  await shows('127.20.9.1')
  await one.close()
  await shows('127.20.9.1')
  await set()
  await one.close()
  await advance(1)
  await shows('127.20.9.2')
})

t.test('a controller keeps its address if the new one cannot be assigned', async (t) => {
  const { fleet, one, advance, ...settings } = await played(t, t.testdir(), [])
  const parts = { roster: fleet.roster, ...settings }
  await settings.addresses.listen(one, 8443)
  settings.places.add('127.20.9.9:8443')
  const moved = (number: number, address: string) => perform(parts, { controllers: [number], address })
  t.same(await moved(1, '127.20.9.9'), [{ number: 1, message: '127.20.9.9:8443 is in use' }])
  t.match(await moved(1, '127.20.9.256'), [{ message: 'address: 127.20.9.256 is not an IPv4 address' }])
  t.match(await moved(2, '127.20.9.8'), [{ number: 2, message: /^address: this is for controllers that listen on/ }])
  t.equal(one.address, '127.20.0.1')
  t.same([...settings.places], ['127.20.0.1:8443', '127.20.9.9:8443'])
})

t.test('a controller has moved for its readers even when its own store takes no events', async (t) => {
  const { addresses, places } = await played(t, t.testdir(), [])
  const one = {
    ...{ number: 1, address: '127.20.0.1' },
    async lease(address: string) {
      one.address = address
      throw new Error('the disk refuses writes')
    }
  }
  const moved: string[] = []
  addresses.onChanged(({ address = '' }) => void moved.push(address))
  const controller = one as unknown as Controller
  await addresses.listen(controller, 8443)
  await t.rejects(addresses.change(controller, '127.20.9.9'), { message: 'the disk refuses writes' })
  t.same(moved, ['127.20.9.9'])
  t.same([...places], ['127.20.9.9:8443'])
})

t.test('a controller that restarts is at its new address when it returns', async (t) => {
  const steps = [
    { at: '00:01', controllers: [1], restart: 120 },
    { at: '00:02', controllers: [1], address: '127.20.9.9' }
  ]
  const { ask, one, addresses, places, advance } = await played(t, t.testdir(), steps)
  await addresses.listen(one, 8443)
  t.equal((await ask(1, 'GET', '/redfish/v1/')).status, 200)
  await advance(2)
  t.ok(one.isAway)
  t.same([...places], ['127.20.9.9:8443'])
  await advance(1)
  const { json } = await ask(1, 'GET', '/redfish/v1/Managers/1/EthernetInterfaces/1/')
  t.match(json.IPv4Addresses, [{ Address: '127.20.9.9', AddressOrigin: 'DHCP' }])
})

t.test('a controller is away after a reset by its manager for as long as the file says', async (t) => {
  const groups = [{ count: 2, network: '127.20.0.0/16', absence: { reset: 60, update: 90 } }]
  const controllers = { 2: { absence: { reset: 120 } } }
  const { fleet, ask, starts, advance } = await played(t, t.testdir(), [], { groups, controllers })
  const gone = (number: number) =>
    new Promise<void>((resolve) => {
      const end = fleet.roster.onChanged((each) => {
        if (each.number !== number || !each.isAway) return
        end()
        resolve()
      })
    })
  for (const number of [1, 2]) {
    t.equal((await ask(number, 'GET', '/redfish/v1/')).status, 200)
    const left = gone(number)
    const action = '/redfish/v1/Managers/1/Actions/Manager.Reset'
    t.equal((await ask(number, 'POST', action, { ResetType: 'ForceRestart' })).status, 200, 'it answers first')
    await left
  }
  const away = () => [...fleet.roster].map(({ isAway }) => isAway)
  await advance(0.99)
  t.same(away(), [true, true])
  await advance(0.01)
  t.same(away(), [false, true])
  t.equal(await starts(), 2)
  await advance(1)
  t.same(away(), [false, false])
})

t.test('certificates expire, are not valid yet, have another name, and are good again', async (t) => {
  const groups = [{ count: 2, domain: 'lab.example', certificates: 'own' }]
  const kinds = ['expired', 'notYetValid', 'wrongName', 'renewed'] as const
  const steps = kinds.map((certificate, index) => ({ at: `00:0${index + 1}`, controllers: [1], certificate }))
  const directory = t.testdir()
  const { fleet, ask, advance } = await played(t, directory, steps, { groups })
  const shown = async (number: number) => {
    const uri = '/redfish/v1/Managers/1/NetworkProtocol/HTTPS/Certificates/1/'
    const { ValidNotBefore, ValidNotAfter, CertificateString } = (await ask(number, 'GET', uri)).json
    const now = fleet.roster.now()
    const valid = Date.parse(ValidNotBefore) > now ? 'later' : Date.parse(ValidNotAfter) < now ? 'earlier' : 'now'
    const name = new X509Certificate(CertificateString).checkHost(`bmc-0000${number}.lab.example`)
    return { valid, name: name !== undefined, CertificateString }
  }
  const first = await shown(1)
  const other = await shown(2)
  t.match(first, { valid: 'now', name: true })
  for (const like of [
    { valid: 'earlier', name: true },
    { valid: 'later', name: true },
    { valid: 'now', name: false }
  ]) {
    await advance(1)
    t.match(await shown(1), like)
    t.equal(await fleet.roster.get(1)!.service!.identity.renew(new Date(fleet.roster.now())), undefined, 'it stays')
  }
  await advance(1)
  const last = await shown(1)
  t.match(last, { valid: 'now', name: true })
  t.not(last.CertificateString, first.CertificateString)
  t.strictSame(await shown(2), other)
  await fleet.close()
  const again = await played(t, directory, steps, { groups })
  t.equal(again.fleet.roster.get(1)?.service, undefined)
  const { identity } = await again.fleet.roster.get(1)!.open()
  t.equal(identity.chain, last.CertificateString)
})

t.test('recorded events happen again at their distances, also after the fleet was started again', async (t) => {
  const directory = t.testdir()
  const replay = `${directory}/events.txt`
  const recorded = ['Fan', 'Hot', 'Cool'].map((name, index) => ({
    ...{ EventId: '900', EventTimestamp: `2026-01-02T08:0${index}:00Z`, MessageId: `Maker.3.2.${name}` },
    ...{ Message: `${name}.`, MessageArgs: [name], Severity: 'Warning', EventType: 'Alert' },
    OriginOfCondition: { '@odata.id': '/redfish/v1/Chassis/1/' }
  }))
  writeFileSync(replay, recorded.map((each) => `data: ${JSON.stringify({ Events: [each] })}\n\n`).join(''))
  const steps = [{ at: '00:10', controllers: [1], replay }]
  const seen = async ({ one }: Awaited<ReturnType<typeof played>>) => {
    const { store } = await one.open()
    const records = store.keys('event').map((key) => store.get('event', key)!)
    return records.filter(({ messageId }) => messageId.startsWith('Maker'))
  }
  const first = await played(t, directory, steps)
  await first.advance(11.5)
  const [fan, hot, ...none] = await seen(first)
  t.match(fan, { messageId: 'Maker.3.2.Fan', text: 'Fan.', args: ['Fan'], severity: 'Warning', eventType: 'Alert' })
  t.match(fan, { origin: '/redfish/v1/Chassis/1', eventId: undefined, timestamp: undefined })
  t.match([hot?.messageId, none.length], ['Maker.3.2.Hot', 0])
  t.equal(first.scenario.steps, 4)
  await first.fleet.close()
  const second = await played(t, directory, steps)
  await second.advance(1)
  t.strictSame(
    (await seen(second)).map(({ text }) => text),
    ['Fan.', 'Hot.', 'Cool.']
  )
  t.throws(() => new Scenario([{ at: '00:01', replay: 'none.txt' }], {} as never), {
    message: /^scenario\.0\.replay: ENOENT/
  })
})

t.test('time passes as fast as it is said, stands still, and leaps', async (t) => {
  const time = new FleetTime(1_000_000)
  t.teardown(() => time.close())
  const happened: string[] = []
  const note = (name: string) => async () => {
    happened.push(`${name} ${time.now()}`)
  }
  await new Promise<void>((resolve) => {
    time.at(3 * minute, async () => resolve())
    time.at(2 * minute, note('later'))
    time.at(minute, note('first'))
    time.at(2 * minute, note('last'))
    time.at(minute, note('none'))()
  })
  t.same(happened, [`first ${minute}`, `later ${2 * minute}`, `last ${2 * minute}`])
  await time.advance(0)
  time.speed = 0
  const still = time.now()
  time.at(still + 10, async () => {
    time.at(time.now() + 10, note('nested'))
  })
  await time.advance(15)
  t.equal(happened.length, 3)
  t.equal(time.now(), still + 15)
  await time.advance(5)
  t.equal(happened.at(-1), `nested ${still + 20}`)
})
