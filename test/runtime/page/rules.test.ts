import t from 'tap'
import { concerns, linksIn } from '#runtime/page/rules/concerns.ts'
import { curlOf } from '#runtime/page/rules/curl.ts'
import { isWanted, newestFirst } from '#runtime/page/rules/log.ts'
import { moved } from '#runtime/page/rules/order.ts'
import { changedNames } from '#runtime/page/rules/pending.ts'
import { asksBefore, resets, whyNot } from '#runtime/page/rules/power.ts'
import { sensorOf } from '#runtime/page/rules/sensors.ts'
import { sizeText } from '#runtime/page/rules/size.ts'

t.test('a request is quoted for a shell, and has no password', async (t) => {
  const origin = 'https://bmc:8443'
  t.equal(curlOf('GET', origin, '/redfish/v1/', 'admin'), 'curl -k -u admin https://bmc:8443/redfish/v1/')
  t.equal(
    curlOf('PATCH', origin, '/redfish/v1/Systems/1/', "o'b", { AssetTag: "it's $(x) `y`" }),
    `curl -k -u 'o'\\''b' -X PATCH -H 'Content-Type: application/json' -d '{"AssetTag":"it'\\''s $(x) \`y\`"}' https://bmc:8443/redfish/v1/Systems/1/`
  )
})

t.test('an event concerns its origin, resources below and above it, and those that name it', async (t) => {
  const none = new Set<string>()
  const system = '/redfish/v1/Systems/1/'
  t.ok(concerns(system, none, system))
  t.ok(concerns(`${system}?$expand=.`, none, system))
  t.ok(concerns(`${system}Bios/Settings/`, none, system))
  t.ok(concerns(system, none, `${system}Bios/`))
  t.ok(concerns(system, new Set(['/redfish/v1/Chassis/1/']), '/redfish/v1/Chassis/1/'), 'its chassis has the lamp')
  t.notOk(concerns('/redfish/v1/Chassis/1/', none, system))
  t.notOk(concerns('/redfish/v1/', none, system), 'the root stands above everything')
  t.notOk(concerns('/redfish/v1/Systems/', none, system), 'a member that changes is no other list')
  const links = { a: { '@odata.id': '/x/' }, b: [{ '@odata.id': '/y/' }], c: null, d: { DataSourceUri: '/z/' } }
  t.same([...linksIn(links)], ['/x/', '/y/', '/z/'])
})

t.test('a metric property leads to the sensor that it shows', async (t) => {
  const chassis = '/redfish/v1/Chassis/1/'
  const members = (...numbers: number[]) =>
    numbers.map((SensorNumber, index) => ({ MemberId: `${index}`, SensorNumber }))
  const thermal = { Fans: members(21), Temperatures: members(1, 7) }
  const of = (property: string) => sensorOf(property, chassis, thermal)?.slice(chassis.length)
  t.equal(of(`${chassis}Sensors/41/#/Reading`), 'Sensors/41/')
  t.equal(of(`${chassis}Thermal/#/Temperatures/1/ReadingCelsius`), 'Sensors/7/')
  t.equal(of(`${chassis}Thermal/#/Fans/0/Reading`), 'Sensors/21/')
  t.equal(of(`${chassis}Power/#/PowerControl/0/PowerConsumedWatts`), 'Sensors/TotalPower/')
  const others = ['Thermal/#/Fans/1/Reading', 'Power/#/PowerControl/1/PowerConsumedWatts']
  for (const each of others) t.equal(of(`${chassis}${each}`), undefined, each)
  t.equal(of('/redfish/v1/Chassis/10/Sensors/41/#/Reading'), undefined, 'that is another chassis')
})

t.test('a boot option moves, and stays in the list', async (t) => {
  t.same(moved(['a', 'b', 'c'], 2, 0), ['c', 'a', 'b'])
  t.same(moved(['a', 'b', 'c'], 0, -1), ['a', 'b', 'c'])
  t.same(moved(['a', 'b', 'c'], 2, 3), ['a', 'b', 'c'])
  t.same(moved(['a', 'b'], 7, 0), ['a', 'b'], 'what is not there does not move')
})

t.test('each reset is offered only in the power states that allow it', async (t) => {
  const offered = (state: string | null) => resets.filter((each) => whyNot(each, state) === undefined)
  t.same(offered('Off'), ['On', 'PushPowerButton'])
  t.same(
    offered('On'),
    resets.filter((each) => each !== 'On')
  )
  t.same(offered('PoweringOff'), ['ForceOff'], 'a host that does not end can be ended')
  t.same(offered(null), [])
  t.same(
    resets.filter((each) => !asksBefore(each, 'On')),
    ['On'],
    'whatever ends what runs is asked about'
  )
  t.notOk(asksBefore('PushPowerButton', 'Off'))
})

t.test('lines of a log are found by severity, time and state', async (t) => {
  const now = Date.parse('2026-01-02T12:00:00Z')
  const line = {
    key: '1',
    time: '2026-01-02T03:04:05Z',
    severity: 'OK',
    text: '=1+1 "x"',
    origin: '/redfish/v1/Systems/1/',
    log: 'SEL',
    resolved: true
  }
  const anything = { severity: '', range: '', state: '' }
  t.ok(isWanted(line, anything, now))
  t.ok(isWanted(line, { ...anything, severity: 'OK', range: 'Day' }, now))
  t.notOk(isWanted(line, { ...anything, severity: 'Critical' }, now))
  t.notOk(isWanted(line, { ...anything, range: 'Hour' }, now))
  t.notOk(isWanted(line, { ...anything, state: 'open' }, now))
  t.ok(isWanted({ ...line, resolved: undefined }, { ...anything, state: 'open' }, now))
  t.same(
    newestFirst([line, { ...line, key: '2', time: '2026-01-02T03:04:05.5+00:00' }]).map(({ key }) => key),
    ['2', '1']
  )
})

t.test('bytes are counted as on the label of a drive', async (t) => {
  t.same(
    [1_920_383_410_176, 143_000_000, 512, 0].map((each) => sizeText(each, 'en')),
    ['1.92 TB', '143 MB', '512 byte', '0 byte']
  )
})

t.test('a setting is pending if its value differs', async (t) => {
  t.same(changedNames({ a: 1, b: 'x' }, { a: 1, b: 'y' }), ['b'])
})
