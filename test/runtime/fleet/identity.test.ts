import { readFileSync, writeFileSync } from 'node:fs'
import t, { type Test } from 'tap'
import type { Board } from '#data/board'
import { simSensors } from '#hal/sim/sensors.ts'
import { boardOf, kindOf } from '#runtime/fleet/identity.ts'
import { writeMockup } from '#test/runtime/recording/mockups.ts'
import { recorded } from '#test/runtime/recording/recorded.ts'
import { open } from './open.ts'

type Ask = Awaited<ReturnType<typeof open>>['ask']

/** Members whose values are one machine's own. */
const identity = /serialnumber$|mac(address)?$|uuid$|^durablename$|ww[np]?n$/i

/** Resources that are the same in all controllers: the certificate of the listener, and files that describe types. */
const shared = /\/Certificates\/|\/HttpsCert|\/JsonSchemas|\/Registries/

/** The identities in the whole tree of a controller, by where they are. */
async function identitiesOf(ask: Ask, number: number): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  const paths = new Set(['/redfish/v1/'])
  const look = (value: unknown, at: string, name: string): void => {
    if (Array.isArray(value)) for (const [index, each] of value.entries()) look(each, `${at}/${index}`, name)
    else if (typeof value === 'object' && value !== null)
      for (const [inner, each] of Object.entries(value)) look(each, `${at} ${inner}`, inner)
    else if (name === '@odata.id' && !/#/.test(String(value))) paths.add(String(value))
    else if (identity.test(name) && value !== null && value !== '') found.set(at, String(value))
  }
  for (const path of paths) {
    if (shared.test(path)) continue
    const { status, json } = await ask(number, 'GET', path)
    if (status === 200) look(json, path, '')
  }
  return found
}

/** Compares the trees of two controllers. @returns those of the first one */
async function compared(t: Test, ask: Ask) {
  const [one, two] = [await identitiesOf(ask, 1), await identitiesOf(ask, 2)]
  t.strictSame([...one.keys()], [...two.keys()], 'both have them in the same places')
  const others = new Set([...two.values()].map((each) => each.toLowerCase()))
  for (const [at, value] of one) t.notOk(others.has(value.toLowerCase()), `${at}: ${value}`)
  t.strictSame(await identitiesOf(ask, 1), one, 'and it keeps them')
  return one
}

t.test('no two controllers have a serial number, an address or a UUID in common', async (t) => {
  const { ask } = await open(t, t.testdir())
  const found = await compared(t, ask)
  t.ok(found.size > 50, `${found.size}`)
  for (const part of [
    '/Memory/',
    '/Drives/',
    '/Controllers/',
    '/PowerSupplies/',
    '/PCIeDevices/',
    '/EthernetInterfaces/'
  ])
    t.ok(
      [...found.keys()].some((at) => at.includes(part)),
      part
    )
  const [system, nvme] = ['/redfish/v1/Systems/1/', '/redfish/v1/Systems/1/Storage/nvme/Controllers/1/']
  t.equal(
    found.get(`${nvme} SerialNumber`),
    found.get(`${system} SerialNumber`),
    'what is the same in the board stays so'
  )
  const option = (await ask(1, 'GET', `${system}BootOptions/Boot0004/`)).json.UefiDevicePath
  const mac = found.get(`${system}EthernetInterfaces/1/ MACAddress`)!
  t.ok(option.includes(`MAC(${mac.replaceAll(':', '')},`), option)
})

/** A recording whose maker is generous with names. */
function generous(folder: string): string {
  const { file } = recorded(writeMockup(folder, 'contoso'))
  const at = '/redfish/v1/Systems/System.Embedded.1'
  const ports = Array.from({ length: 40 }, (_, n) => ({
    '@odata.id': `${at}/Ports/${n}`,
    Id: `${n}`,
    MACAddress: `02:00:00:00:01:${(16 + n).toString(16).toUpperCase()}`,
    PermanentMACAddress: `02-00-00-00-01-${(16 + n).toString(16)}`
  }))
  const drives = [
    'naa.5000C500A1B2C3D4',
    '50:00:c5:00:a1:b2:c3:d5',
    'eui.0025385A01A40001',
    'iqn.2001-04.com.contoso:42'
  ]
  const things = [
    ...ports,
    ...drives.map((DurableName, n) => ({
      '@odata.id': `${at}/Drives/${n}`,
      SerialNumber: `S6NV${n}`,
      Identifiers: [{ DurableName }]
    })),
    {
      '@odata.id': `${at}/Fabric`,
      PermanentWWNN: '20000025B5A00001',
      PermanentWWPN: '20000025B5B00001',
      Oem: { Contoso: { ChassisServiceTag: 'CT0SO42', NodeUUID: '4C4C4544-0043-5410-8030-B7C04F4E3432' } }
    },
    { '@odata.id': `${at}/Empty`, SerialNumber: 'Unknown', MACAddress: '00:00:00:00:00:00' }
  ]
  for (const each of things) file.resources[each['@odata.id']] = each
  file.resources[at].Oem.Contoso.Things = things.map((each) => ({ '@odata.id': each['@odata.id'] }))
  writeFileSync(`${folder}/generous.json`, JSON.stringify(file))
  return `${folder}/generous.json`
}

t.test('neither have those of a recording, wherever its maker has them', async (t) => {
  const directory = t.testdir()
  const groups = [{ count: 2, network: '127.20.0.0/16', board: generous(directory) }]
  const { ask } = await open(t, directory, 2, { groups })
  const system = '/redfish/v1/Systems/System.Embedded.1'
  // A placeholder is the same in all of them.
  const empty = (await ask(2, 'GET', `${system}/Empty`)).json
  t.match(empty, { SerialNumber: 'Unknown', MACAddress: '00:00:00:00:00:00' })
  const hidden: Ask = async (number, method, target, body) =>
    target.endsWith('/Empty') ? { status: 404, json: undefined } : ask(number, method, target, body)
  const found = await compared(t, hidden)
  t.ok(found.size > 90, `${found.size}`)
  const mac = found.get(`${system}/Ports/7 MACAddress`)!
  t.match(mac, /^02:4D:4E(:[\dA-F]{2}){3}$/)
  t.equal(found.get(`${system}/Ports/7 PermanentMACAddress`)?.toUpperCase(), mac.replaceAll(':', '-'))
  t.match(found.get(`${system}/Drives/0 Identifiers/0 DurableName`), /^naa\.5000C500A1[\dA-F]{6}$/)
  t.match(found.get(`${system}/Drives/1 Identifiers/0 DurableName`), /^50:00:c5:00:a1(:[\da-f]{2}){3}$/)
  t.equal(found.get(`${system}/Fabric Oem Contoso NodeUUID`), found.get(`${system} UUID`), 'the same for the same')
  const option = (await ask(1, 'GET', `${system}/BootOptions/NIC.PxeDevice.1-1`)).json.UefiDevicePath
  const nic = found.get('/redfish/v1/Managers/CMC.Embedded.1/EthernetInterfaces/NIC.1 MACAddress')!
  t.ok(option.includes(`MAC(${nic.replaceAll(':', '')},`), option)
})

t.test('a change of a recorded resource affects one controller only, as its other state does', async (t) => {
  const directory = t.testdir()
  const { file } = recorded(writeMockup(directory, 'contoso'))
  const thing = '/redfish/v1/Oem/Thing'
  file.resources[thing] = {
    '@odata.id': thing,
    Card: { '@Redfish.WriteableProperties': ['Label'], SerialNumber: 'C42', Label: '' }
  }
  writeFileSync(`${directory}/board.json`, JSON.stringify(file))
  const groups = [{ count: 2, network: '127.20.0.0/16', board: `${directory}/board.json` }]
  const { ask } = await open(t, directory, 2, { groups })
  t.equal((await ask(2, 'PATCH', thing, { Card: { Label: 'mine' } })).status, 200)
  t.match((await ask(2, 'GET', thing)).json.Card, { SerialNumber: 'C42-00002', Label: 'mine' })
  t.match((await ask(1, 'GET', thing)).json.Card, { SerialNumber: 'C42-00001', Label: '' })
})

const board: Board = JSON.parse(readFileSync('data/boards/sim.json', 'utf8'))

/** All addresses of Ethernet of a machine's board. */
const macsOf = ({ systems, managers }: Board) => [
  ...Object.values(managers).flatMap(({ ethernetInterfaces }) =>
    Object.values(ethernetInterfaces).map(({ port }) => String(port.mac))
  ),
  ...Object.values(systems).flatMap(({ ethernetInterfaces }) => Object.values(ethernetInterfaces).map(({ mac }) => mac))
]

t.test('a machine with many ports has none of the addresses of the next one', async (t) => {
  const directory = t.testdir()
  const port = board.systems['1']!.ethernetInterfaces['1']!
  const ports = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`${n}`, port]))
  const large = { ...board, systems: { 1: { ...board.systems['1'], ethernetInterfaces: ports } } }
  writeFileSync(`${directory}/board.json`, JSON.stringify(large))
  const groups = [
    { count: 2, network: '127.20.0.0/16', board: `${directory}/board.json` },
    { count: 2, network: '127.21.0.0/16' }
  ]
  const { fleet } = await open(t, directory, 4, { groups })
  const macs = await Promise.all(
    [1, 2, 3, 4].map(async (number) => macsOf((await fleet.roster.get(number)!.open()).hardware.board))
  )
  t.strictSame(
    macs.map((each) => each.length),
    [31, 31, 3, 3]
  )
  t.equal(new Set(macs.flat()).size, macs.flat().length)
  const many = [{ count: 600_000, network: '10.0.0.0/8', board: `${directory}/board.json` }]
  await t.rejects(
    open(t, `${directory}/many`, 1, { groups: many }),
    /36 MAC addresses each are too many for .* number 600000/
  )
})

t.test(
  'sensors of two controllers show different things at the same time, and those of one seed the same',
  async (t) => {
    const readings = async (seed: number, number: number, options: object = {}) => {
      const chassis = { ...board.chassis['1']!, sensors: { type: 'sim', ...options } }
      const kind = kindOf({ ...board, chassis: { 1: chassis } }, { count: 9 })
      const made = boardOf(kind, { seed, number, addresses: 16, address: undefined }).chassis['1']!
      const { type: _, ...rest } = made.sensors
      const sensors = made.temperatures.map((each) => ({
        ...{ number: each.number, kind: 'temperature', on: each.reading, standby: each.standby }
      }))
      const device = simSensors({ ...rest, sensors: sensors as never, now: () => 1_800_000_000_000 })
      await device.poll()
      return sensors.map((each) => device.read(each.number))
    }
    const first = await readings(1, 1)
    t.ok(first.every(Number.isFinite))
    t.strictSame(await readings(1, 1), first)
    t.notSame(await readings(1, 2), first)
    t.notSame(await readings(2, 1), first)
    t.strictSame(await readings(1, 1, { seed: 7 }), await readings(1, 2, { seed: 7 }), 'where the file says so')
  }
)

t.test('a product of the identity is that of a system and its chassis, and of no part', async (t) => {
  const identity = { manufacturer: 'Dell', model: 'PowerEdge R650' }
  const { ask } = await open(t, t.testdir(), 0, { groups: [{ count: 1, identity }] })
  const shown = async (path: string) => (await ask(1, 'GET', `/redfish/v1/${path}/`)).json
  for (const path of ['Systems/1', 'Chassis/1'])
    t.match(await shown(path), { Manufacturer: identity.manufacturer, Model: identity.model })
  t.match(await shown('Chassis/enclosurechassis'), { Model: /^(?!PowerEdge)/ })
})
