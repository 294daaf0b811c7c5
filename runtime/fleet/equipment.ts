import type { EquipmentKind } from '#data/fleet'

type Resource = Readonly<Record<string, unknown>>

/** Members of resources by the paths of these. */
export type Shown = Readonly<Record<string, Resource>>

/** How much there is in a rack. */
export interface Size {
  readonly servers: number
  /** Controllers that are no switches. */
  readonly others: number
}

/** A controller at a port of a switch. */
export interface Neighbour {
  readonly name: string
  readonly mac: string
  readonly isUp: boolean
}

/** A server as the other controllers of its rack see it. */
export interface ServerState extends Neighbour {
  readonly serialNumber: string
  /** The watts that it draws. */
  readonly watts: number
  readonly isOn: boolean
  readonly unit: number | undefined
}

/** The state of a power supply. */
export type Supply = 'ok' | 'failed' | 'inputLost'

/** The state that a controller without a server shows. */
export interface RackState {
  readonly rack: string
  readonly servers: readonly ServerState[]
  /** The controllers at the ports of the first switch, in their order. */
  readonly neighbours: readonly Neighbour[]
  /** Of a shelf: the watts that it gives each server, and the states of its power supplies. */
  readonly outlets: readonly number[]
  readonly supplies: readonly Supply[]
}

const root = '/redfish/v1'
const to = (path: string) => ({ '@odata.id': `${root}${path}` })
const type = (name: string, version: string) => ({ '@odata.type': `#${name}.${version}.${name}` })
const healthy = { State: 'Enabled', Health: 'OK' } as const
const reading = (value: number) => ({ Reading: Math.round(value * 10) / 10 })
const numbers = (count: number) => Array.from({ length: count }, (_, index) => String(index + 1))
const sum = (values: readonly number[]) => values.reduce((all, each) => all + each, 0)

/** Power supplies of a shelf, and the watts that each can give. */
const [suppliesOfShelf, supplyWatts] = [6, 3000]

/** Litres a minute of the coolant, and the degrees Celsius of what comes from the cooling unit. */
const [flow, supplyTemperature] = [120, 30]

/** Watts that warm one litre of water in a minute by one degree (4186 J/(kg K)). */
const wattsPerLitre = 4186 / 60

/** Resources by their paths below the service root, each with its own link; a list of ids is a collection. */
function machine(
  name: string,
  model: string,
  resources: Readonly<Record<string, Resource | readonly string[]>>
): Shown {
  const collections = Object.keys(resources).filter((path) => /^\/\w+$/.test(path))
  const serviceRoot = {
    ...type('ServiceRoot', 'v1_16_0'),
    ...{ Id: 'RootService', Name: name, Vendor: 'Vendor', Product: model, RedfishVersion: '1.20.0' },
    ...Object.fromEntries([...collections, '/Managers'].map((path) => [path.slice(1), to(path)]))
  }
  const all: Readonly<Record<string, Resource | readonly string[]>> = { '': serviceRoot, ...resources }
  return Object.fromEntries(
    Object.entries(all).map(([path, resource]): [string, Resource] => {
      const own = { '@odata.id': `${root}${path}` }
      if (!Array.isArray(resource))
        return [`${root}${path}`, { ...own, Id: path.slice(path.lastIndexOf('/') + 1), ...resource }]
      const Members = resource.map((id: string) => to(`${path}/${id}`))
      return [`${root}${path}`, { ...own, Name: 'Collection', Members, 'Members@odata.count': Members.length }]
    })
  )
}

const chassis = (name: string, kind: string, more: Resource) => ({
  ...type('Chassis', 'v1_23_0'),
  ...{ Name: name, ChassisType: kind, Manufacturer: 'Vendor', Status: healthy },
  ...more
})

/** The rack, with a chassis for each server (DSP0268, Chassis and EnvironmentMetrics). */
function chassisManager({ servers }: Size): Shown {
  const ids = numbers(servers).map((number) => `Server${number}`)
  const metrics = (path: string) => [
    `${path}/EnvironmentMetrics`,
    { ...type('EnvironmentMetrics', 'v1_3_1'), Name: 'Environment metrics', PowerWatts: reading(0) }
  ]
  return machine('Rack', 'Chassis manager CM1', {
    '/Chassis': ['Rack', ...ids],
    '/Chassis/Rack': chassis('Rack', 'Rack', {
      ...{ Model: 'CM1', SerialNumber: 'CM2501K' },
      EnvironmentMetrics: to('/Chassis/Rack/EnvironmentMetrics'),
      Links: { Contains: ids.map((id) => to(`/Chassis/${id}`)), ManagedBy: [to('/Managers/1')] }
    }),
    ...Object.fromEntries([metrics('/Chassis/Rack'), ...ids.map((id) => metrics(`/Chassis/${id}`))]),
    ...Object.fromEntries(
      ids.map((id) => [
        `/Chassis/${id}`,
        chassis(id, 'Sled', {
          ...{ SerialNumber: '', PowerState: 'On' },
          EnvironmentMetrics: to(`/Chassis/${id}/EnvironmentMetrics`),
          Links: { ContainedBy: to('/Chassis/Rack') }
        })
      ])
    )
  })
}

function rackShown({ rack, servers }: RackState): Shown {
  const total = sum(servers.map(({ watts }) => watts))
  const place = (offset?: number) => ({
    Placement: { Rack: rack, ...(offset !== undefined && { RackOffset: offset, RackOffsetUnits: 'EIA_310' }) }
  })
  return {
    '/Chassis/Rack': { Location: place() },
    '/Chassis/Rack/EnvironmentMetrics': { PowerWatts: reading(total) },
    ...Object.fromEntries(
      servers.flatMap(({ name, serialNumber, isOn, isUp, unit, watts }, index) => [
        [
          `/Chassis/Server${index + 1}`,
          {
            ...{ Name: name, SerialNumber: serialNumber, PowerState: isOn ? 'On' : 'Off', Location: place(unit) },
            Status: isUp ? healthy : { State: 'UnavailableOffline', Health: 'Critical' }
          }
        ],
        [`/Chassis/Server${index + 1}/EnvironmentMetrics`, { PowerWatts: reading(watts) }]
      ])
    )
  }
}

const shelf = '/PowerEquipment/PowerShelves/1'
const supplies = '/Chassis/Shelf/PowerSubsystem/PowerSupplies'

/** A shelf with an outlet for each server (DSP0268, PowerDistribution, Outlet and PowerSupply). */
function powerShelf({ servers }: Size): Shown {
  const all = numbers(suppliesOfShelf)
  return machine('Power shelf', 'PS18', {
    '/Chassis': ['Shelf'],
    '/Chassis/Shelf': chassis('Power shelf', 'Shelf', {
      ...{ Model: 'PS18', SerialNumber: 'PS2518K' },
      PowerSubsystem: to('/Chassis/Shelf/PowerSubsystem'),
      Links: { ManagedBy: [to('/Managers/1')] }
    }),
    '/Chassis/Shelf/PowerSubsystem': {
      ...type('PowerSubsystem', 'v1_1_2'),
      ...{ Name: 'Power subsystem', CapacityWatts: suppliesOfShelf * supplyWatts, PowerSupplies: to(supplies) }
    },
    [supplies]: all,
    ...Object.fromEntries(
      all.flatMap((id) => [
        [
          `${supplies}/${id}`,
          {
            ...type('PowerSupply', 'v1_5_2'),
            ...{ Name: `Power supply ${id}`, Manufacturer: 'Vendor', Model: 'PSU3K', SerialNumber: `PSU25A0${id}` },
            ...{ PowerSupplyType: 'AC', PowerCapacityWatts: supplyWatts, Status: healthy },
            Metrics: to(`${supplies}/${id}/Metrics`)
          }
        ],
        [
          `${supplies}/${id}/Metrics`,
          { ...type('PowerSupplyMetrics', 'v1_1_1'), Name: 'Metrics', OutputPowerWatts: reading(0) }
        ]
      ])
    ),
    '/PowerEquipment': {
      ...type('PowerEquipment', 'v1_2_1'),
      ...{ Name: 'Power equipment', Status: healthy, PowerShelves: to('/PowerEquipment/PowerShelves') }
    },
    '/PowerEquipment/PowerShelves': ['1'],
    [shelf]: {
      ...type('PowerDistribution', 'v1_3_2'),
      ...{ Name: 'Power shelf', EquipmentType: 'PowerShelf', Manufacturer: 'Vendor', Model: 'PS18' },
      ...{ SerialNumber: 'PS2518K', Status: healthy, Metrics: to(`${shelf}/Metrics`), Outlets: to(`${shelf}/Outlets`) },
      PowerSupplies: to(supplies),
      Links: { Chassis: [to('/Chassis/Shelf')], ManagedBy: [to('/Managers/1')] }
    },
    [`${shelf}/Metrics`]: {
      ...type('PowerDistributionMetrics', 'v1_3_2'),
      ...{ Name: 'Metrics', PowerWatts: reading(0), PowerLoadPercent: reading(0) }
    },
    [`${shelf}/Outlets`]: numbers(servers),
    ...Object.fromEntries(
      numbers(servers).map((id) => [
        `${shelf}/Outlets/${id}`,
        {
          ...type('Outlet', 'v1_4_3'),
          ...{ Name: `Outlet ${id}`, VoltageType: 'DC', NominalVoltage: 'DC48V', PowerWatts: reading(0) },
          ...{ PowerEnabled: true, PowerState: 'On', Status: healthy },
          Actions: {
            '#Outlet.PowerControl': {
              target: `${root}${shelf}/Outlets/${id}/Actions/Outlet.PowerControl`,
              'PowerState@Redfish.AllowableValues': ['On', 'Off']
            }
          }
        }
      ])
    )
  })
}

/** The number of the server at an outlet, by the path of the outlet; undefined for another path. */
export function outletAt(path: string): number | undefined {
  const [, number] = /^\/redfish\/v1\/PowerEquipment\/PowerShelves\/1\/Outlets\/(\d+)$/.exec(path) ?? []
  return number === undefined ? undefined : Number(number)
}

const failed = (state: string) => ({ State: state, Health: 'Critical' })

/** Of a power supply without input, and of one that has failed. */
const statuses = { ok: healthy, inputLost: failed('UnavailableOffline'), failed: failed('Enabled') }

/** The states of the power supplies of a shelf. @param faults those of parts, by the names of these */
export function suppliesOf(faults: Readonly<Record<string, unknown>> = {}): Supply[] {
  return numbers(suppliesOfShelf).map((id) => {
    const fault = faults[`powerSupplies/${id}`] ?? faults.powerSupplies
    return fault === 'failed' || fault === 'inputLost' ? fault : 'ok'
  })
}

function shelfShown({ rack, outlets, supplies: states }: RackState): Shown {
  const total = sum(outlets)
  const working = states.filter((each) => each === 'ok').length
  const Status = working === states.length ? healthy : failed(working === 0 ? 'UnavailableOffline' : 'Enabled')
  const load = working === 0 ? 0 : (total / (working * supplyWatts)) * 100
  return {
    '/Chassis/Shelf': { Status, Location: { Placement: { Rack: rack } } },
    [shelf]: { Status },
    [`${shelf}/Metrics`]: { PowerWatts: reading(total), PowerLoadPercent: reading(load) },
    ...Object.fromEntries(
      outlets.map((watts, index) => [`${shelf}/Outlets/${index + 1}`, { PowerWatts: reading(watts) }])
    ),
    ...Object.fromEntries(
      states.flatMap((state, index) => [
        [`${supplies}/${index + 1}`, { Status: statuses[state] }],
        [`${supplies}/${index + 1}/Metrics`, { OutputPowerWatts: reading(state === 'ok' ? total / working : 0) }]
      ])
    )
  }
}

const ports = '/Fabrics/Ethernet/Switches/1/Ports'

/** The name of a port of a switch. */
export const portName = (number: number) => `eth${number}`

/** A switch of Ethernet (DSP0268, Fabric, Switch and Port). */
function ethernetSwitch({ others }: Size): Shown {
  const fabric = {
    Name: 'Ethernet',
    FabricType: 'Ethernet',
    Status: healthy,
    Switches: to('/Fabrics/Ethernet/Switches')
  }
  return machine('Switch', 'SW48', {
    '/Chassis': ['Switch'],
    '/Chassis/Switch': chassis('Switch', 'StandAlone', {
      ...{ Model: 'SW48', SerialNumber: 'SW2548K' },
      Links: { Switches: [to('/Fabrics/Ethernet/Switches/1')], ManagedBy: [to('/Managers/1')] }
    }),
    '/Fabrics': ['Ethernet'],
    '/Fabrics/Ethernet': { ...type('Fabric', 'v1_3_2'), ...fabric },
    '/Fabrics/Ethernet/Switches': ['1'],
    '/Fabrics/Ethernet/Switches/1': {
      ...type('Switch', 'v1_9_3'),
      ...{ Name: 'Switch', SwitchType: 'Ethernet', Manufacturer: 'Vendor', Model: 'SW48', SerialNumber: 'SW2548K' },
      ...{ PowerState: 'On', Status: healthy, Ports: to(ports) },
      Links: { Chassis: to('/Chassis/Switch'), ManagedBy: [to('/Managers/1')] }
    },
    [ports]: numbers(others),
    ...Object.fromEntries(
      numbers(others).map((id) => [
        `${ports}/${id}`,
        {
          ...type('Port', 'v1_11_0'),
          ...{ Name: `Port ${id}`, PortId: portName(Number(id)), PortProtocol: 'Ethernet', PortType: 'DownstreamPort' },
          ...{ LinkState: 'Enabled', LinkStatus: 'LinkUp', CurrentSpeedGbps: 1, Status: healthy },
          Ethernet: { LLDPEnabled: true }
        }
      ])
    )
  })
}

function switchShown({ rack, neighbours }: RackState): Shown {
  const received = ({ mac, name }: Neighbour) => ({
    LLDPReceive: {
      ...{ ChassisId: mac, ChassisIdSubtype: 'MacAddr', PortId: mac, PortIdSubtype: 'MacAddr' },
      ...{ SystemName: name, SystemCapabilities: ['Station'] }
    }
  })
  return {
    '/Chassis/Switch': { Location: { Placement: { Rack: rack } } },
    ...Object.fromEntries(
      neighbours.map((each, index) => [
        `${ports}/${index + 1}`,
        {
          LinkStatus: each.isUp ? 'LinkUp' : 'LinkDown',
          Ethernet: { LLDPEnabled: true, ...(each.isUp && received(each)) }
        }
      ])
    )
  }
}

const unit = '/ThermalEquipment/CDUs/1'

/** A unit that distributes a coolant (DSP0268, CoolingUnit and CoolantConnector). */
function coolingUnit(): Shown {
  const connector = (path: string, name: string) => ({
    [path]: ['1'],
    [`${path}/1`]: {
      ...type('CoolantConnector', 'v1_1_1'),
      ...{ Name: name, CoolantConnectorType: 'Pair', RatedFlowLitersPerMinute: flow, Status: healthy }
    }
  })
  return machine('Cooling unit', 'CDU100', {
    '/Chassis': ['CDU'],
    '/Chassis/CDU': chassis('Cooling unit', 'HeatExchanger', {
      ...{ Model: 'CDU100', SerialNumber: 'CDU2510K' },
      Links: { ManagedBy: [to('/Managers/1')] }
    }),
    '/ThermalEquipment': {
      ...type('ThermalEquipment', 'v1_1_2'),
      ...{ Name: 'Thermal equipment', Status: healthy, CDUs: to('/ThermalEquipment/CDUs') }
    },
    '/ThermalEquipment/CDUs': ['1'],
    [unit]: {
      ...type('CoolingUnit', 'v1_2_1'),
      ...{
        Name: 'Cooling unit',
        EquipmentType: 'CDU',
        Manufacturer: 'Vendor',
        Model: 'CDU100',
        SerialNumber: 'CDU2510K'
      },
      ...{ CoolingCapacityWatts: 100_000, Coolant: { CoolantType: 'Water' }, Status: healthy },
      PrimaryCoolantConnectors: to(`${unit}/PrimaryCoolantConnectors`),
      SecondaryCoolantConnectors: to(`${unit}/SecondaryCoolantConnectors`),
      Links: { Chassis: [to('/Chassis/CDU')], ManagedBy: [to('/Managers/1')] }
    },
    ...connector(`${unit}/PrimaryCoolantConnectors`, 'Facility water'),
    ...connector(`${unit}/SecondaryCoolantConnectors`, 'Coolant of the rack')
  })
}

function coolingShown({ rack, servers }: RackState): Shown {
  const heat = sum(servers.map(({ watts }) => watts))
  const warmer = heat / (wattsPerLitre * flow)
  const coolant = (supply: number) => ({
    HeatRemovedkW: { Reading: Math.round(heat) / 1000 },
    FlowLitersPerMinute: reading(flow),
    SupplyTemperatureCelsius: reading(supply),
    ReturnTemperatureCelsius: reading(supply + warmer),
    DeltaTemperatureCelsius: reading(warmer)
  })
  return {
    '/Chassis/CDU': { Location: { Placement: { Rack: rack } } },
    // The water of the building is cooler than the coolant by some degrees.
    [`${unit}/PrimaryCoolantConnectors/1`]: coolant(supplyTemperature - 8),
    [`${unit}/SecondaryCoolantConnectors/1`]: coolant(supplyTemperature)
  }
}

type Kind = Exclude<EquipmentKind, 'Server'>

const kinds: Readonly<Record<Kind, readonly [resources: (size: Size) => Shown, shown: (state: RackState) => Shown]>> = {
  ChassisManager: [chassisManager, rackShown],
  PowerShelf: [powerShelf, shelfShown],
  Switch: [ethernetSwitch, switchShown],
  CoolingUnit: [coolingUnit, coolingShown]
}

/** The resources of a controller without a server, by their paths. */
export const resourcesOf = (kind: Kind, size: Size): Shown => kinds[kind][0](size)

/** The members of them that follow the state of the rack, by the paths of the resources. */
export const shownOf = (kind: Kind, state: RackState): Shown =>
  Object.fromEntries(Object.entries(kinds[kind][1](state)).map(([path, members]) => [`${root}${path}`, members]))
