import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { groupOf, inRack } from '#data/fleet'
import { placed, readDescription } from '#runtime/fleet/command.ts'
import { addressOf, Finder, listenersOf, planReach } from '#runtime/fleet/plan.ts'
import { shareOf } from '#runtime/fleet/workers.ts'
import { directory } from '#test/host/server.ts'
import { open } from './open.ts'

/** A file in a directory of the test. */
function written(t: Test, name: string, text: string): string {
  const file = join(directory(t), name)
  writeFileSync(file, text)
  return file
}

const reachesOf = (args: string[]) => planReach(readDescription(args)!.groups)

/** All controllers of a fleet as its inventory has them. */
function controllersOf(...args: string[]) {
  return reachesOf(args).flatMap((reach) =>
    Array.from({ length: reach.group.count }, (_, index) => {
      const { identity, board } = groupOf(reach.group, index)
      const { kind, rack, unit } = inRack(reach.group, index) ?? {}
      return { at: addressOf(reach, index), port: reach.port, ...identity, board, kind, rack, unit }
    })
  )
}

/** The mistake in a fleet of this inventory, without the directory of its file. */
function faultOf(file: string, ...args: string[]): string {
  try {
    reachesOf(['--inventory', file, ...args])
    return ''
  } catch (error) {
    return placed((error as Error).message, ['--inventory', file]).replaceAll(file.replace(/[^/]+$/, ''), '')
  }
}

const device = {
  id: 7,
  name: 'node7.dc1.example',
  device_type: { id: 1, manufacturer: { name: 'Dell' }, model: 'PowerEdge R650', slug: 'r650' },
  role: { id: 2, name: 'Compute' },
  site: { id: 3, name: 'DC1' },
  rack: { id: 4, name: 'A01' },
  position: 12.0,
  status: { value: 'active', label: 'Active' },
  serial: 'ABC1234',
  asset_tag: 'T-7',
  oob_ip: { address: '127.26.0.7/24' },
  primary_ip4: { address: '10.0.0.7/24' }
}

t.test('each row of a table is a controller with its identity, address and place', async (t) => {
  const file = written(
    t,
    'devices.csv',
    `\uFEFFName,Rack,Unit,Serial number,Address,Asset tag,Board,Notes\r
node1,A1,3,SN1,127.26.0.9,"T ""1""",sim,"two
lines"\r
node2,A1,4,SN2,127.26.0.3,,sim,\r
\r
"node3",,,,fd00:26::3,,,last`
  )
  t.same(controllersOf('--inventory', file, '--port', '443'), [
    {
      ...{
        at: '127.26.0.9',
        port: 443,
        hostName: 'node1',
        systemName: 'node1',
        serialNumber: 'SN1',
        assetTag: 'T "1"'
      },
      ...{ board: 'sim', kind: 'Server', rack: 'A1', unit: 3 }
    },
    {
      ...{ at: '127.26.0.3', port: 443, hostName: 'node2', systemName: 'node2', serialNumber: 'SN2' },
      ...{ board: 'sim', kind: 'Server', rack: 'A1', unit: 4 }
    },
    {
      ...{ at: 'fd00:26::3', port: 443, hostName: 'node3', systemName: 'node3' },
      ...{ board: undefined, kind: undefined, rack: undefined, unit: undefined }
    }
  ])
  const semicolons = written(t, 'devices.csv', 'name;rack\nnode1;"A;1"\n')
  t.match(controllersOf('--inventory', semicolons), [{ at: '0.0.0.0', port: 8443, hostName: 'node1', rack: 'A;1' }])
})

t.test('an export of NetBox is an inventory', async (t) => {
  const others = [
    { ...device, name: 'shelf 1', role: { name: 'Power shelf' }, serial: '', oob_ip: null },
    { ...device, name: 'old', status: { value: 'decommissioning' } },
    { ...device, name: 'panel', role: { name: 'Patch panel' } }
  ]
  const answer = written(t, 'netbox.json', JSON.stringify({ count: 4, next: null, results: [device, ...others] }))
  const fleet = (file: string, more: object = {}) =>
    written(
      t,
      'fleet.json',
      JSON.stringify({
        inventory: {
          ...{ file, boards: { 'PowerEdge R650': 'sim' }, roles: { 'Patch panel': 'None' }, board: 'blade.json' },
          ...more
        }
      })
    )
  const all = controllersOf(fleet(answer))
  t.match(all, [
    {
      ...{ at: '127.26.0.7', hostName: 'node7', systemName: 'node7.dc1.example', serialNumber: 'ABC1234' },
      ...{ assetTag: 'T-7', board: 'sim', kind: 'Server', rack: 'DC1/A01', unit: 12 }
    },
    { at: '10.0.0.7', hostName: 'shelf-1', kind: 'PowerShelf', rack: 'DC1/A01', unit: 12 }
  ])
  t.equal(all.length, 2)
  const list = written(t, 'netbox.json', JSON.stringify([{ ...device, device_type: { model: 'R660' } }]))
  t.match(controllersOf(fleet(list)), [{ board: 'blade.json' }], 'other device types have the board of all')
  const csv = written(
    t,
    'netbox.csv',
    `Name,Status,Site,Rack,Position,Role,Manufacturer,Type,Serial number,IP Address,OOB IP
node7,Active,DC1,A01,12.0,Compute,Dell,PowerEdge R650,ABC1234,10.0.0.7/24,127.26.0.7/24
panel1,Active,DC1,A01,40.0,Patch panel,Generic,48-port,,,
node8,Planned,DC1,A01,13.0,Compute,Dell,PowerEdge R650,,,
`
  )
  const [one, ...more] = controllersOf(fleet(csv))
  t.match(one, { at: '127.26.0.7', board: 'sim', serialNumber: 'ABC1234', rack: 'DC1/A01', unit: 12 })
  t.same(more, [])
  const elsewhere = fleet(csv, { network: '127.27.0.0/24', port: 900 })
  t.match(controllersOf(elsewhere), [{ at: '127.27.0.1', port: 900 }], 'a network replaces the addresses')
})

t.test('manufacturer and model of an inventory are those of servers without a board of their own', async (t) => {
  const fleet = (name: string, text: string, more: object = {}) => {
    const file = written(t, name, text)
    return controllersOf(written(t, 'fleet.json', JSON.stringify({ inventory: { file, ...more } })))
  }
  const shelf = {
    ...device,
    name: 'shelf',
    role: { name: 'Power shelf' },
    serial: '',
    oob_ip: { address: '127.26.0.8' }
  }
  const json = JSON.stringify([device, shelf])
  const product = { manufacturer: 'Dell', model: 'PowerEdge R650' }
  const csv = 'Name,Manufacturer,Type\na,Dell,PowerEdge R650\nb,,\n'
  t.match(fleet('netbox.json', json), [product, { manufacturer: undefined, model: undefined }])
  t.match(fleet('netbox.csv', csv), [product, { manufacturer: undefined, model: undefined }])
  for (const more of [{ board: 'blade.json' }, { boards: { 'PowerEdge R650': 'sim' } }])
    t.match(fleet('netbox.json', json, more), [{ manufacturer: undefined, model: undefined }], 'the board says it')
})

t.test('a mistake in an inventory names its file, line and column', async (t) => {
  const csv = (text: string, ...args: string[]) => faultOf(written(t, 'devices.csv', text), ...args)
  const two = 'name,serial,address,rack,position,role\n"a\n",1,127.0.0.1,A,1,Compute\n'
  t.equal(csv(`${two}b,2,127.0.0,A,2,`), 'devices.csv:4: address: 127.0.0 is not an address')
  t.equal(csv(`${two}b,2,,A,2,`), 'devices.csv:4: address: it has none, and others have one')
  t.equal(csv(`${two}b,2,127.0.0.1/8,A,2,`), 'devices.csv:4: address: 127.0.0.1/8 is also in line 2')
  t.equal(csv(`${two}b,1,127.0.0.2,A,2,`), 'devices.csv:4: serial: 1 is also in line 2')
  t.equal(csv(`${two}A,2,127.0.0.2,A,2,`), 'devices.csv:4: name: A is also in line 2')
  t.equal(csv(`${two}b,2,127.0.0.2,A,top,`), 'devices.csv:4: position: top is not a position in a rack')
  t.equal(
    csv(`${two}b,2,127.0.0.2,,,Leaf switch`),
    'devices.csv:4: rack: it has none, and its role, Leaf switch, is that of a part of one'
  )
  t.equal(csv('address\n127.0.0.1\n'), 'devices.csv: its first line has no column name')
  t.equal(csv('name\n"a'), 'devices.csv: line 2 has a quotation mark that is not closed or not doubled')
  t.equal(csv('name,status\na,offline\n'), 'devices.csv lists no controllers')
  t.equal(csv(two, '--network', '127.0.0.0/33'), 'devices.csv:2: network: 127.0.0.0/33 is not a network')
  t.equal(csv(two, '--network', '127.0.0.0/24'), '')
  t.equal(csv(two, '--count', '3'), 'count is not known')
  const json = (...devices: object[]) =>
    faultOf(written(t, 'netbox.json', JSON.stringify({ results: devices }, undefined, 1)))
  t.equal(json(device, { name: 'b', oob_ip: { address: 'b' } }), 'netbox.json:42: oob ip: b is not an address')
  t.equal(json(device, { ...device, name: 'b', serial: '' }), 'netbox.json:70: oob ip: 127.26.0.7/24 is also in line 3')
  t.equal(faultOf(written(t, 'netbox.json', '{}')), 'netbox.json: it has no list of devices')
  t.match(faultOf(written(t, 'netbox.json', '[{')), /^netbox.json: it is incomplete, and ends in line 1$/)
  t.equal(faultOf('none.csv'), 'cannot read none.csv: ENOENT')
  const file = written(t, 'fleet.json', '{\n"inventory": {\n"file": "a.csv",\n"roles": { "Compute": "Servers" } } }')
  t.throws(() => readDescription([file]), /inventory.roles.Compute is Servers/)
})

t.test('addresses of an inventory that belong to another group are refused', async (t) => {
  const file = written(t, 'devices.csv', 'name,address\na,127.26.1.1\nb,127.26.0.3\nc,127.26.1.3\n')
  const fault = (group: object) => {
    const fleet = written(t, 'fleet.json', JSON.stringify({ groups: [group], inventory: { file, port: 9000 } }))
    try {
      return reachesOf([fleet]).length
    } catch (error) {
      return (error as Error).message.replace(file, 'devices.csv')
    }
  }
  const refused = 'devices.csv:3: controllers from 1 on and from 4 on have ports or addresses in common'
  t.equal(fault({ count: 3, network: '127.26.0.0/24', port: 9000 }), refused)
  t.equal(fault({ count: 2, network: '127.26.0.0/24', port: 9000 }), 2)
  t.equal(fault({ count: 3, network: '127.26.0.0/24', port: 9001 }), 2)
  t.match(fault({ count: 2, port: 8999 }), /from 1 on and from 3 on have ports or addresses in common/)
})

t.test('a controller of an inventory is found by its address', async (t) => {
  const file = written(t, 'devices.csv', 'name,address\na,127.26.1.1\nb,fd00:26::1\nc,127.26.0.3\n')
  const [reach, ...others] = reachesOf(['--inventory', file, '--port', '443'])
  t.same([listenersOf(reach!), others], [3, []])
  const finder = new Finder()
  finder.add(reach!, [443, 443, 443])
  t.equal(finder.find('fd00:26:0::1', 443), 2)
  t.equal(finder.find('::ffff:127.26.0.3', 443), 3)
  t.equal(finder.find('127.26.0.3', 444), undefined)
  t.equal(finder.find('127.26.0.1', 443), undefined)
  const [all] = reachesOf(['--inventory', file, '--address', '::', '--port', '443'])
  t.equal(listenersOf(all!), 1, 'one listener takes the connections to all addresses')
})

t.test('workers divide an inventory without racks', async (t) => {
  const file = written(t, 'devices.csv', 'name,address\na,127.26.1.1\nb,127.26.0.2\nc,127.26.0.3\n')
  const description = readDescription(['--inventory', file])!
  const share = shareOf(description, planReach(description.groups), { number: 2, of: 2 })
  const [{ group, first }, ...others] = share.reaches as [(typeof share.reaches)[0]]
  t.same(
    [first, group.count, group.listed?.map(({ address }) => address), others.length],
    [2, 2, ['127.26.0.2', '127.26.0.3'], 0]
  )
})

t.test('controllers of an inventory show what it says, in racks that work as others', async (t) => {
  const file = written(
    t,
    'devices.csv',
    `name,rack,unit,serial,asset tag,address,role,site
node-b.example,A1,7,SN7,T7,127.26.0.7,Compute,
node-a,A1,3,SN3,,127.26.0.3,Compute,
manager,A1,,,,127.26.0.4,Chassis manager,
leaf,A1,,,,127.26.0.5,Leaf switch,
shelf,A2,,,,127.26.0.6,Power shelf,
`
  )
  const { groups } = readDescription(['--inventory', file])!
  const { fleet, ask } = await open(t, directory(t), 0, { groups })
  const at = (number: number, path: string) => ask(number, 'GET', `/redfish/v1/${path}`).then(({ json }) => json)
  t.match(await at(1, 'Systems/1/'), { Name: 'node-b.example', SerialNumber: 'SN7', AssetTag: 'T7' })
  t.match(await at(1, 'Managers/1/NetworkProtocol/'), { HostName: 'node-b' })
  const [port] = (await at(1, 'Managers/1/EthernetInterfaces/')).Members
  const { IPv4Addresses } = (await ask(1, 'GET', port['@odata.id'])).json
  t.equal(IPv4Addresses[0].Address, '127.26.0.7')
  t.match(await at(3, 'Chassis/Server1/'), {
    ...{ Name: 'node-b', SerialNumber: 'SN7' },
    Location: { Placement: { Rack: 'A1', RackOffset: 7 } }
  })
  t.match(await at(3, 'Chassis/Server2/'), { Name: 'node-a', Location: { Placement: { RackOffset: 3 } } })
  const neighbour = await at(4, 'Fabrics/Ethernet/Switches/1/Ports/2/')
  const metrics = await at(5, 'PowerEquipment/PowerShelves/1/Metrics/')
  t.equal(metrics.PowerWatts.Reading, 0, 'the other rack has no servers')
  t.equal(neighbour.Ethernet.LLDPReceive.SystemName, 'node-a')
  t.same(
    [...fleet.roster].map((each) => each.identity().hostName),
    ['node-b', 'node-a', 'manager', 'leaf', 'shelf']
  )
})
