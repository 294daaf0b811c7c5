import { writeFileSync } from 'node:fs'
import t from 'tap'
import { configuration } from '#data/configuration'
import { checkAddresses } from '#runtime/fleet/address-setting.ts'
import { addressText, parseAddress } from '#runtime/fleet/addresses.ts'
import { placed, readDescription } from '#runtime/fleet/command.ts'
import { Finder, planReach } from '#runtime/fleet/plan.ts'

/** The fault of a command line, or `''`. */
function faultOf(...args: string[]): string {
  try {
    const { groups, scenario } = readDescription(args)!
    checkAddresses(scenario, planReach(groups))
    return ''
  } catch (error) {
    return placed((error as Error).message, args)
  }
}

t.test('a command line that describes no fleet is refused', async (t) => {
  for (const [args, fault] of [
    ['', /^a fleet needs --count, --inventory or a file/],
    ['--count x', /^count is not an integer from 1/],
    ['--count 0', /^count is 0, not an integer from 1/],
    ['--count 2 --size 3', /^unknown option --size/],
    ['--count 2 --port 65536', /^port is 65536/],
    ['--count 2 --network 127.20.0.0', /^network is 127.20.0.0, which does not match/],
    ['--count 2 --network 127.20.0.0/40', /^127.20.0.0\/40 is not a network/],
    ['--count 2 --network 127.20.0.256/24', /is not a network/],
    ['--count 255 --network 127.20.0.0/24', /has addresses for 254, not for 255/],
    ['--count 254 --network 127.20.0.0/24', /^$/],
    ['--count 2 --network 127.20.0.255/24', /has addresses for 0/],
    ['--count 60000', /^there are no 60000 ports from 8443 on: give them a network/],
    ['--count 60000 --domain lab.example', /^$/],
    ['--count 2 --domain lab..example', /^domain is lab..example, which does not match/],
    ['--count 2 --domain a --network 127.20.0.0/24', /^controllers have a network or a domain/],
    ['--count 2 --certificates own', /^own ones are for controllers with a domain/],
    ['--count 2 --certificates mine --domain lab', /^certificates is mine/],
    ['--count 2 --certificates own --domain lab', /^$/],
    ['--count 2 --address here', /^here is not an address/],
    ['--count 2 --control here', /^control is neither true, false, nor an address and a port: here$/],
    ['--count 2 --control 127.0.0.1:9443', /^$/],
    ['none.json', /^cannot read none.json/]
  ] as const) {
    t.match(faultOf(...args.split(' ').filter(Boolean)), fault, args)
  }
})

t.test('a scenario gives addresses to controllers that listen on one each', (t) => {
  const file = `${t.testdir()}/fleet.json`
  const faultWith = (step: object, group: object = { network: '127.20.0.0/24' }) => {
    const scenario = [{ at: '00:01', controllers: [2], address: '127.20.0.9', ...step }]
    writeFileSync(file, JSON.stringify({ groups: [{ count: 2, ...group }], scenario }))
    return faultOf(file)
  }
  t.equal(faultWith({}), '')
  t.match(faultWith({ address: '::1' }), /scenario.0.address: ::1 is not an IPv4 address/)
  t.match(faultWith({ controllers: [1, 2] }), /scenario.0.controllers: an address is for one controller/)
  t.match(faultWith({ controllers: undefined }), /scenario.0.controllers: an address is for one controller/)
  t.match(faultWith({ controllers: [3] }), /scenario.0.controllers: there is no controller 3/)
  for (const group of [{ domain: 'lab' }, { port: 9000 }, { network: '127.20.0.0/24', address: '0.0.0.0' }])
    t.match(faultWith({}, group), /scenario.0.address: this is for controllers that listen .* names \(groups.0\)$/)
  t.end()
})

t.test('a fleet reads its sensors less often, and keeps all readings of an hour', async (t) => {
  const { sensors } = readDescription(['--count', '1'])!.configuration
  t.ok(sensors.interval > configuration.sensors.interval)
  t.equal(sensors.interval * sensors.samples, 3600)
})

t.test('a file that describes no fleet is refused', async (t) => {
  const file = `${t.testdir()}/fleet.json`
  const described = (groups: unknown, more: object = {}) => {
    writeFileSync(file, JSON.stringify({ groups, ...more }))
    return faultOf(file)
  }
  t.match(described([]), /groups has no elements/)
  t.match(described(undefined), /groups is missing/)
  t.match(described([{}]), /count is missing/)
  t.match(described([{ count: 1, colour: 'red' }]), /colour is not known/)
  t.match(described([{ count: 1 }], { idle: 1 }), /idle is 1, not a number from 30/)
  t.match(
    described([{ count: 1 }], { configuration: { sensors: { intervall: 3 } } }),
    /configuration.sensors.intervall is/
  )
  t.match(described([{ count: 1, identity: { macPrefix: '02' } }]), /macPrefix is 02, which does not match/)
  t.match(described([{ count: 1, faults: [{ share: 2 }] }]), /share is 2, not a number from 0 to 1/)
  t.match(described([{ count: 1, devices: { tape: {} } }]), /devices.tape is not known/)
  t.match(described([{ count: 1 }], { scenario: [{ at: '10' }] }), /scenario.0.at is 10, which does not match/)
  t.match(described([{ count: 1 }], { scenario: [{ at: '00:10', reboot: 1 }] }), /scenario.0.reboot is not known/)
  t.match(described([{ count: 1, absence: { reset: -1 } }]), /absence.reset is -1, not a number from 0/)
  t.match(described([{ count: 1 }], { controllers: { 1: { fault: [] } } }), /controllers.1.fault is not known/)
  t.match(
    described([{ count: 1 }], { controllers: { 'bmc-00001': { faults: [{ hangUp: true }] } } }),
    /controllers.bmc-00001.faults.0.hangUp is not a number from 0 to 1/
  )
  writeFileSync(file, '{"groups": }')
  t.match(faultOf(file), /is not JSON/)
  writeFileSync(file, '{\n  "groups":\n')
  t.equal(faultOf(file), `${file} is not JSON: it is incomplete, and ends in line 2`)
})

t.test('a refusal names the file, the line and the group', async (t) => {
  const file = `${t.testdir()}/fleet.json`
  const refused = (...groups: object[]) => {
    writeFileSync(file, JSON.stringify({ groups }, undefined, 1))
    return faultOf(file).replace(file, 'fleet.json')
  }
  const network = '127.20.0.0/30'
  t.equal(refused({ count: 1 }, { count: 0 }), 'fleet.json:7: groups.1.count is 0, not an integer from 1 to 1000000')
  t.equal(
    refused({ count: 2, identity: { hostName: 'node' } }),
    'fleet.json:6: groups.0.identity.hostName: all 2 controllers would have node; {n} makes it unique'
  )
  t.equal(
    refused({ count: 1, identity: { assetTag: 'rack {n} {rack}' } }),
    'fleet.json:6: groups.0.identity.assetTag: {rack} is unknown; a text may contain {n}, {x} and {board}'
  )
  t.equal(refused({ count: 1, identity: { hostName: 'node' } }, { count: 2, identity: { hostName: 'a{x:2}' } }), '')
  t.equal(refused({ count: 3, network }), `fleet.json:5: groups.0.network: ${network} has addresses for 2, not for 3`)
  t.match(refused({ count: 1, port: 9 }, { count: 1, port: 9 }), /^fleet.json:7: groups.1: controllers from 1 on and/)
  const racked = (...racks: object[]) => {
    writeFileSync(file, JSON.stringify({ racks }, undefined, 1))
    return faultOf(file).replace(file, 'fleet.json')
  }
  const rack = { name: 'A', servers: [{ count: 2 }] }
  t.equal(racked({ ...rack, name: 'A{x}' }), 'fleet.json:4: racks.0.name: {x} is unknown; a name may contain {n}')
  t.equal(racked({ ...rack, count: 2 }), 'fleet.json:4: racks.0.name: two racks are A; {n} makes each another one')
  t.equal(racked(rack, rack), 'fleet.json:12: racks.1.name: two racks are A; {n} makes each another one')
  t.equal(racked({ ...rack, servers: [] }), 'fleet.json:5: racks.0.servers has no elements')
  t.equal(racked({ ...rack, shelves: 2 }), 'fleet.json:10: racks.0.shelves is not known')
  t.equal(racked({ ...rack, network }), '')
  t.equal(
    racked({ ...rack, network, powerShelves: 1 }),
    `fleet.json:10: racks.0.network: ${network} has addresses for 0, not for 1`
  )
  t.equal(racked({ ...rack, domain: 'lab', powerShelves: 1 }), '')
  t.match(
    racked({ ...rack, count: 1, servers: [{ count: 2, identity: { hostName: 'one' } }] }),
    /^fleet.json:9: racks.0.servers.0.identity.hostName: all 2 controllers would have one/
  )
})

t.test('groups with a port or an address in common are refused', async (t) => {
  const network = '127.20.0.0/24'
  const common = [
    [
      { count: 9, port: 9000 },
      { count: 1, port: 9008 }
    ],
    [
      { count: 9, port: 9000, address: '127.0.0.1' },
      { count: 1, port: 9008 }
    ],
    [
      { count: 9, network, port: 9000 },
      { count: 6, network: '127.20.0.8/29', port: 9000 }
    ],
    [
      { count: 2, network, port: 900 },
      { count: 1, port: 900 }
    ],
    [
      { count: 1, port: 900, address: '127.20.0.2' },
      { count: 2, network, port: 900 }
    ],
    [
      { count: 9, domain: 'a', port: 9000 },
      { count: 9, domain: 'b', port: 9000 }
    ]
  ]
  for (const groups of common) t.throws(() => planReach(groups), /from 1 on and from \d+ on have ports or addresses/)
  const apart = [
    [
      { count: 9, port: 9000 },
      { count: 1, port: 9009 }
    ],
    [{ count: 9 }, { count: 9 }],
    [{ count: 9, domain: 'a' }, { count: 9 }],
    [
      { count: 9, port: 9000, address: '127.0.0.1' },
      { count: 9, port: 9000, address: '127.0.0.2' }
    ],
    [
      { count: 8, network, port: 9000 },
      { count: 6, network: '127.20.0.8/29', port: 9000 }
    ],
    [
      { count: 9, network, port: 9000 },
      { count: 9, network, port: 9001 }
    ],
    [
      { count: 9, port: 0 },
      { count: 9, port: 0 }
    ]
  ]
  for (const groups of apart) t.doesNotThrow(() => planReach(groups))
})

t.test('a controller is found by the address and the port that its client connected to', async (t) => {
  const reaches = planReach([
    { count: 300, network: '127.20.0.0/16', port: 443 },
    { count: 2, port: 9000, address: '127.0.0.1' },
    { count: 2, port: 9000, address: '127.0.0.2' },
    { count: 2, network: 'fd00:20::/64', port: 443 },
    { count: 2, port: 9100 },
    { count: 1, port: 9200, address: '127.0.0.1' },
    { count: 1, network: '127.21.0.0/24', port: 9200 }
  ])
  const finder = new Finder()
  for (const reach of reaches) {
    const ports = Array.from({ length: reach.group.count }, (_, index) => reach.port + index)
    finder.add(reach, reach.network === undefined ? ports : [reach.port])
  }
  for (const [address, port, number] of [
    ['127.20.0.1', 443, 1],
    ['127.20.1.44', 443, 300],
    ['::ffff:127.20.0.2', 443, 2],
    ['127.20.1.45', 443, undefined],
    ['127.20.0.0', 443, undefined],
    ['127.20.0.1', 444, undefined],
    ['127.0.0.1', 9001, 302],
    ['127.0.0.2', 9001, 304],
    ['127.0.0.3', 9001, undefined],
    ['fd00:20::1', 443, 305],
    ['fd00:20:0:0:0:0:0:2', 443, 306],
    ['fd00:20::3', 443, undefined],
    ['192.0.2.1', 9101, 308],
    ['127.0.0.1', 9200, 309],
    ['127.21.0.1', 9200, 310],
    ['', 443, undefined]
  ] as const) {
    t.equal(finder.find(address, port), number, `${address} ${port}`)
  }
})

t.test('a controller that shares its address is found by the name that its client asks for', async (t) => {
  const [one, other] = planReach([
    { count: 2, domain: 'lab', port: 443 },
    { count: 1, domain: 'lab', port: 444 }
  ])
  const finder = new Finder()
  finder.add(one!, [443], ['a.lab', 'B.lab'])
  finder.add(other!, [444], ['b.lab'])
  for (const [host, port, number] of [
    ['a.lab', 443, 1],
    ['b.LAB:443', 443, 2],
    ['b.lab', 444, 3],
    ['a.lab', 444, undefined],
    ['a.lab.', 443, undefined],
    ['', 443, undefined]
  ] as const)
    t.equal(finder.named(host, port), number, `${host} ${port}`)
  t.equal(finder.find('127.0.0.1', 443), undefined)
  t.throws(() => finder.add(other!, [443], ['A.lab']), /two controllers have the name A.lab/)
})

t.test('addresses are read and written as RFC 5952 says', async (t) => {
  for (const text of ['127.0.0.1', '::', '::1', 'fe80::1', '2001:db8::8:800:200c:417a', '1:2:3:4:5:6:7:8', 'fd00:20::'])
    t.equal(addressText(parseAddress(text)!), text)
  t.equal(addressText(parseAddress('2001:DB8:0:0:1:0:0:1')!), '2001:db8::1:0:0:1')
  for (const text of [
    '',
    'x',
    '1.2.3',
    '1.2.3.256',
    ':',
    ':::',
    '1::2::3',
    '1:2:3:4:5:6:7',
    '1:2:3:4:5:6:7:8:9',
    '12345::'
  ])
    t.equal(parseAddress(text), undefined, text)
})
