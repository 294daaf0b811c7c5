import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { perform } from '#runtime/fleet/group-actions.ts'
import { Rows } from '#runtime/fleet/rows.ts'
import { directory } from '#test/host/server.ts'
import { changing, log, open } from './open.ts'

const rack = { name: 'A1', network: '127.24.0.0/24', servers: [{ count: 3 }] }
const [managerNumber, shelfNumber] = [4, 5]

/** A fleet of one rack with three servers, a chassis manager and shelves, whose faults are set as by its page. */
async function racked(t: Test, directory: string, more: object = {}) {
  const racks = [{ ...rack, chassisManager: true, powerShelves: 1, ...more }]
  const opened = await open(t, directory, 0, { groups: [], racks })
  const { roster, database } = opened.fleet
  const settings = { roster, ...changing(opened.fleet) }
  const parts = async (number: number, parts: object) => {
    const addFaults = { devices: { sensors: { faults: { parts } } } }
    t.same(await perform(settings, { controllers: [number], removeFaults: ['sensors.parts'], addFaults }), [])
  }
  const get = async (number: number, path: string) => (await opened.ask(number, 'GET', `/redfish/v1/${path}`)).json
  const messages = async (number: number, at = log): Promise<string[]> => {
    const { json } = await opened.ask(number, 'GET', `${at}?$expand=.`)
    return json.Members.map((each: { MessageId?: string; MessageArgs?: string[] }) =>
      [each.MessageId?.split('.').at(-1), ...(each.MessageArgs ?? [])].join(' ')
    )
  }
  const away = () => [...roster].map(({ isAway }) => isAway)
  return { ...opened, database, roster, parts, get, messages, away }
}

/** Waits until something is so, for a minute at most. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 60_000
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error('never so')
    await pause(5)
  }
}

const rackPower = 'Chassis/Rack/EnvironmentMetrics/'
const serverLog = '/redfish/v1/Systems/1/LogServices/SystemLog/Entries/'
const lost = { powerSupplies: 'inputLost' }

t.test('the power of a rack is the sum of its servers, whether they were opened or not', async (t) => {
  const { ask, get, roster } = await racked(t, directory(t))
  t.equal((await get(managerNumber, rackPower)).PowerWatts.Reading, 3 * 289)
  t.notOk(roster.get(1)!.service, 'no server was opened')
  const shelf = 'PowerEquipment/PowerShelves/1'
  t.equal((await get(shelfNumber, `${shelf}/Metrics/`)).PowerWatts.Reading, 3 * 289)
  t.equal((await get(shelfNumber, `${shelf}/Outlets/2/`)).PowerWatts.Reading, 289)
  const supply = 'Chassis/Shelf/PowerSubsystem/PowerSupplies/1/Metrics/'
  t.equal((await get(shelfNumber, supply)).OutputPowerWatts.Reading, 144.5)
  const reset = '/redfish/v1/Systems/1/Actions/ComputerSystem.Reset'
  t.equal((await ask(2, 'POST', reset, { ResetType: 'ForceOff' })).status, 200)
  const power = async () => (await get(managerNumber, rackPower)).PowerWatts.Reading
  await until(async () => (await get(managerNumber, 'Chassis/Server2/')).PowerState === 'Off')
  const { json: own } = await ask(2, 'GET', '/redfish/v1/Chassis/1/EnvironmentMetrics/')
  t.equal(await power(), 2 * 289 + own.PowerWatts.Reading)
  t.match(await get(managerNumber, 'Chassis/Server2/'), {
    Name: 'bmc-00002',
    SerialNumber: roster.get(2)!.identity().serialNumber,
    Location: { Placement: { Rack: 'A1', RackOffset: 2 } }
  })
})

t.test('a controller of a rack shows the state of the rack and stores none of it', async (t) => {
  const options = { chassisManager: true, coolingUnit: true, switches: 1 }
  const { ask, get, database } = await racked(t, directory(t), options)
  const equipment = [managerNumber, shelfNumber, 6, 7]
  const stored = async () => Promise.all(equipment.map((number) => database.entries(String(number))))
  for (const number of equipment) await get(number, '')
  const before = await stored()
  const reset = '/redfish/v1/Systems/1/Actions/ComputerSystem.Reset'
  t.equal((await ask(2, 'POST', reset, { ResetType: 'ForceOff' })).status, 200)
  await until(async () => (await get(managerNumber, 'Chassis/Server2/')).PowerState === 'Off')
  t.same(await stored(), before, 'another look has written nothing')
  const outlet = '/redfish/v1/PowerEquipment/PowerShelves/1/Outlets/2'
  const control = `${outlet}/Actions/Outlet.PowerControl`
  t.equal((await ask(shelfNumber, 'POST', control, { PowerState: 'Off' })).status, 200)
  t.match((await ask(shelfNumber, 'GET', outlet)).json, { PowerState: 'Off', PowerWatts: { Reading: 0 } })
  const after = JSON.stringify(await stored())
  t.match(after, 'PowerState', 'a change by a client is stored')
  t.notMatch(after, 'PowerWatts', 'and no reading with it')
})

t.test('servers go down with their shelf, and come back as their policies say', async (t) => {
  const { ask, get, roster, parts, messages, away } = await racked(t, directory(t))
  const system = '/redfish/v1/Systems/1/'
  t.equal((await ask(1, 'GET', system)).json.PowerState, 'On')
  t.equal((await ask(2, 'PATCH', system, { PowerRestorePolicy: 'AlwaysOff' })).status, 200)
  await parts(shelfNumber, { 'powerSupplies/1': 'failed' })
  t.same(away(), [false, false, false, false, false], 'the other power supplies go on')
  const supply = 'Chassis/Shelf/PowerSubsystem/PowerSupplies/'
  await until(async () => (await messages(shelfNumber)).includes('PowerSupplyFailed Power supply 1'))
  t.match((await get(shelfNumber, `${supply}1/`)).Status, { Health: 'Critical' })

  await parts(shelfNumber, lost)
  t.same(away(), [true, true, true, false, false])
  t.same(roster.get(1)!.seen.power, { Off: 1 })
  const listed = () => JSON.parse(new Rows(roster).after(0)).controllers
  const unpowered = { kind: 'Server', rack: 'A1', state: 'NoPower' }
  const others = [{ kind: 'ChassisManager' }, { kind: 'PowerShelf', state: 'Open' }]
  t.match(listed(), [unpowered, unpowered, unpowered, ...others.map((each) => ({ rack: 'A1', ...each }))])
  await t.rejects(roster.get(1)!.open(), /it has no power/)
  await until(async () => (await messages(managerNumber)).includes('ServerPoweredOff Server3'))
  t.ok((await messages(managerNumber)).includes('PowerSupplyInputLost shelf-00005'))
  t.equal((await get(managerNumber, rackPower)).PowerWatts.Reading, 0)
  t.match(await get(managerNumber, 'Chassis/Server1/'), { PowerState: 'Off', Status: { Health: 'Critical' } })

  await parts(shelfNumber, {})
  t.same(away(), [false, false, false, false, false])
  await until(async () => (await ask(1, 'GET', system)).json.PowerState === 'On')
  t.ok((await messages(1, serverLog)).includes('ServerPowerRestored 1 LastState'))
  t.equal((await ask(2, 'GET', system)).json.PowerState, 'Off')
  t.match(listed(), [{ state: 'Open' }, {}, { state: 'Closed' }])
  t.notOk(roster.get(3)!.service, 'what was never opened is not opened')
  t.equal((await ask(3, 'GET', system)).json.PowerState, 'On')
  t.ok((await messages(managerNumber)).includes('PartOK shelf-00005'))
})

t.test('with two shelves servers survive the failure of one', async (t) => {
  const { get, parts, messages, away } = await racked(t, directory(t), { powerShelves: 2 })
  await parts(shelfNumber, lost)
  t.notOk(away().includes(true))
  await until(async () => (await messages(managerNumber)).includes('RedundancyLost power shelves'))
  const metrics = 'PowerEquipment/PowerShelves/1/Metrics/'
  t.equal((await get(shelfNumber, metrics)).PowerWatts.Reading, 0)
  t.equal((await get(shelfNumber + 1, metrics)).PowerWatts.Reading, 3 * 289)
  await parts(shelfNumber + 1, lost)
  t.same(away(), [true, true, true, false, false, false])
  await parts(shelfNumber, {})
  t.notOk(away().includes(true))
})

t.test('an outlet takes the power from one server, also after a restart of the fleet', async (t) => {
  const data = directory(t)
  const first = await racked(t, data)
  const outlet = '/redfish/v1/PowerEquipment/PowerShelves/1/Outlets/2'
  const control = (fleet: typeof first, PowerState: string) =>
    fleet.ask(shelfNumber, 'POST', `${outlet}/Actions/Outlet.PowerControl`, { PowerState })
  t.equal((await control(first, 'Off')).status, 200)
  t.same(first.away(), [false, true, false, false, false])
  t.equal((await first.ask(shelfNumber, 'GET', outlet)).json.PowerState, 'Off')
  await first.fleet.close()
  const second = await racked(t, data)
  t.same(second.away(), [false, true, false, false, false])
  await control(second, 'On')
  t.notOk(second.away().includes(true))
})

t.test('the ports of the switch lead to the controllers, and theirs to the switch', async (t) => {
  const { ask, get, roster, parts } = await racked(t, directory(t), { switches: 2 })
  const [switchNumber] = [6]
  const port = 'Fabrics/Ethernet/Switches/1/Ports/2/'
  const { mac } = roster.get(2)!.identity()
  t.match(await get(switchNumber, port), {
    LinkStatus: 'LinkUp',
    Ethernet: { LLDPReceive: { ChassisId: mac, SystemName: 'bmc-00002' } }
  })
  t.match(await get(switchNumber + 1, port), { LinkStatus: 'LinkDown' })
  const own = '/redfish/v1/Managers/1/DedicatedNetworkPorts/1/'
  t.equal((await ask(2, 'PATCH', own, { Ethernet: { LLDPEnabled: true } })).status, 200)
  await until(async () => (await ask(2, 'GET', own)).json.Ethernet.LLDPReceive !== undefined)
  t.match((await ask(2, 'GET', own)).json.Ethernet.LLDPReceive, {
    ChassisId: roster.get(switchNumber)!.identity().mac,
    PortId: 'eth2',
    SystemName: 'switch-00006'
  })
  await parts(shelfNumber, lost)
  await until(async () => (await get(switchNumber, port)).LinkStatus === 'LinkDown')
  t.notOk((await get(switchNumber, port)).Ethernet.LLDPReceive)
})

t.test('the heat of the cooling unit is the power of the servers', async (t) => {
  const { get } = await racked(t, directory(t), { coolingUnit: true })
  const { HeatRemovedkW, SupplyTemperatureCelsius, ReturnTemperatureCelsius } = await get(
    6,
    'ThermalEquipment/CDUs/1/SecondaryCoolantConnectors/1/'
  )
  t.equal(HeatRemovedkW.Reading, 0.867)
  t.ok(ReturnTemperatureCelsius.Reading > SupplyTemperatureCelsius.Reading)
})

t.test('racks that are alike have controllers of their own', async (t) => {
  const racks = [{ ...rack, name: 'B{n:2}', count: 2, powerShelves: 1 }]
  const { fleet } = await open(t, directory(t), 0, { groups: [], racks })
  t.same(
    [...fleet.roster].map(({ place }) => [place?.kind, place?.rack, place?.unit]),
    [
      ...['B01', 'B02'].flatMap((name) => [1, 2, 3].map((unit) => ['Server', name, unit])),
      ...['B01', 'B02'].map((name) => ['PowerShelf', name, undefined])
    ]
  )
})
