import { type Board, type BoardChassis, loads } from '#data/board'
import { chassisUri } from '#data/chassis'
import { boardSensors, powerSensors, sensorId, sensorTypes } from '#data/sensors'
import { type Sensor, sensorKinds } from '#hal/sensors.ts'
import type {} from '#runtime/contract'
import type { MetricReportDefinition } from './records.ts'

declare module '#runtime/contract' {
  interface Services {
    /** The report that is due to a definition now: see `Telemetry`. */
    report(definition: string): MetricReport
  }
}

/** A metric of a machine over time (DSP0268, MetricDefinition). */
export interface Metric {
  readonly id: string
  readonly name: string
  /** UCUM. */
  readonly units: string
  readonly minimum: number
  readonly maximum: number
  readonly implementation: 'PhysicalSensor' | 'Synthesized'
  readonly properties: readonly MetricProperty[]
}

/** One property of a resource that shows a metric: the sum of the readings of sensors. */
export interface MetricProperty {
  /** With a JSON pointer as its fragment. */
  readonly uri: string
  readonly chassis: string
  /** The `Id` of the sensor that shows it. */
  readonly sensor: string
  readonly sensors: readonly number[]
}

/** One value in a report. */
export interface MetricValue {
  readonly metric: string
  readonly property: string
  /** `undefined` if it could not be read. */
  readonly value: number | undefined
  /** ISO 8601. */
  readonly timestamp: string
}

/** The measured values at one time. */
export interface MetricReport {
  /** Grows with each report of a definition, also over restarts; 0 before the first. */
  readonly sequence: number
  /** ISO 8601; `undefined` before the first report. */
  readonly timestamp: string | undefined
  readonly values: readonly MetricValue[]
}

const names = {
  CPUUtilization: 'Processor utilization',
  MemoryBandwidth: 'Memory bandwidth in use',
  IOBandwidth: 'I/O bandwidth in use'
}

const otherNames: { readonly [K in Sensor['kind']]: string } = {
  temperature: 'Other temperatures',
  fan: 'Other fan speeds',
  power: 'Other power',
  load: 'Other utilization',
  voltage: 'Voltage',
  current: 'Current',
  energy: 'Energy',
  humidity: 'Humidity',
  airFlow: 'Air flow',
  liquidFlow: 'Liquid flow',
  altitude: 'Altitude',
  frequency: 'Frequency',
  pressure: 'Pressure',
  speed: 'Other speeds'
}

interface Described {
  /** The metrics of each chassis. */
  readonly chassis: readonly (readonly [id: string, sensors: ReturnType<typeof boardSensors>])[]
  readonly metrics: readonly Metric[]
  readonly properties: readonly MetricProperty[]
  /** The definitions that ship, by their ids. */
  readonly shipped: ReadonlyMap<string, MetricReportDefinition>
}

/** By the sensors of the first chassis: the boards of a fleet differ, but what is measured in them is the same. */
const known = new WeakMap<object, Described>()

function describedOf(board: Board): Described {
  const chassis = Object.entries(board.chassis).map(([id, each]) => [id, boardSensors(each)] as const)
  const [, key = chassis] = chassis[0] ?? []
  const found = known.get(key)
  const isSame = (of: Described) =>
    of.chassis.length === chassis.length &&
    chassis.every(([id, sensors], at) => of.chassis[at]?.[0] === id && of.chassis[at][1] === sensors)
  if (found !== undefined && isSame(found)) return found
  const all = describe(board)
  const shipped = new Map(all.map((metric) => [metric.id, shippedDefinition(metric)]))
  const described = { chassis, metrics: all, properties: all.flatMap(({ properties }) => properties), shipped }
  known.set(key, described)
  return described
}

/** The metrics of a board. */
export const metrics = (board: Board): readonly Metric[] => describedOf(board).metrics

/** The properties of all of them; for boards that measure the same, the same list. */
export const metricProperties = (board: Board): readonly MetricProperty[] => describedOf(board).properties

function describe({ chassis }: Board): readonly Metric[] {
  const all = Object.entries(chassis)
  const properties = (of: (each: BoardChassis, uri: string) => readonly Omit<MetricProperty, 'chassis'>[]) =>
    all.flatMap(([id, each]) => of(each, chassisUri(id)).map((property) => ({ ...property, chassis: id })))
  const percent = { units: '%', minimum: 0, maximum: 100, implementation: 'PhysicalSensor' } as const
  const busy = loads.map((id) => ({
    ...percent,
    id,
    name: names[id],
    properties: properties((each, uri) =>
      each.loads.filter(({ load }) => load === id).map((sensor) => ownReading(uri, sensor))
    )
  }))
  const others = sensorKinds.flatMap((kind): Metric[] => {
    const measured = properties(({ measurements = [] }, uri) =>
      measurements.filter((each) => each.kind === kind).map((sensor) => ownReading(uri, sensor))
    )
    const { units, range } = sensorTypes[kind]
    const [minimum, maximum] = range
    const id = `${kind[0]?.toUpperCase()}${kind.slice(1)}Measurement`
    const shown = { id, name: otherNames[kind], units, minimum, maximum, implementation: 'PhysicalSensor' } as const
    return measured.length === 0 ? [] : [{ ...shown, properties: measured }]
  })
  const supplies = all.flatMap(([, { powerSupplies }]) => powerSupplies)
  return [
    ...busy,
    {
      id: 'PowerConsumption',
      name: 'Power consumption',
      units: 'W',
      minimum: 0,
      maximum: supplies.reduce((sum, { capacityWatts = 0 }) => sum + capacityWatts, 0),
      implementation: 'Synthesized',
      properties: properties((chassis, uri) => {
        const sensors = powerSensors(chassis)
        return sensors.length === 0 ? [] : [{ uri: powerPropertyOf(uri), sensor: 'TotalPower', sensors }]
      })
    },
    {
      id: 'PowerSupplyOutput',
      name: 'Output of power supplies',
      units: 'W',
      minimum: 0,
      maximum: Math.max(0, ...supplies.map(({ capacityWatts = 0 }) => capacityWatts)),
      implementation: 'PhysicalSensor',
      properties: properties(({ powerSupplies }, uri) =>
        powerSupplies.flatMap(({ output }) => (output === undefined ? [] : [ownReading(uri, output)]))
      )
    },
    {
      id: 'Temperature',
      name: 'Temperature',
      units: 'Cel',
      minimum: -40,
      maximum: 125,
      implementation: 'PhysicalSensor',
      properties: properties(({ temperatures }, uri) =>
        temperatures.map((each, index) => reading(uri, each, `Thermal/#/Temperatures/${index}/ReadingCelsius`))
      )
    },
    {
      ...percent,
      id: 'FanSpeed',
      name: 'Fan speed',
      properties: properties(({ fans }, uri) =>
        fans.map((each, index) => reading(uri, each, `Thermal/#/Fans/${index}/Reading`))
      )
    },
    ...others
  ]
}

const powerPropertyOf = (chassis: string) => `${chassis}/Power/#/PowerControl/0/PowerConsumedWatts`

/** The metric property that is the power of a chassis. */
export const powerUri = (chassis: string) => powerPropertyOf(chassisUri(chassis))

interface Measured {
  readonly id?: string | undefined
  readonly number: number
}

/** The property of a sensor. */
const ownReading = (chassis: string, measured: Measured) =>
  reading(chassis, measured, `Sensors/${sensorId(measured)}/#/Reading`)

function reading(chassis: string, measured: Measured, property: string) {
  return { uri: `${chassis}/${property}`, sensor: sensorId(measured), sensors: [measured.number] }
}

/** A metric property as the service writes it, whether or not a slash ends the resource's URI. */
export function metricPropertyUri(uri: string): string {
  return uri.replace(/\/?#/, '/#')
}

/** The default properties of a definition, without its metrics. */
export const defaultDefinition = {
  removed: false,
  type: 'OnRequest',
  enabled: true,
  interval: null,
  start: null,
  actions: ['LogToMetricReportsCollection', 'RedfishEvent'],
  updates: 'Overwrite',
  appendLimit: 256
} as const

/** The definition that ships for each metric, and has its `Id`. */
function shippedDefinition({ id, name }: Metric): MetricReportDefinition {
  const metric = { id, properties: [], function: null, duration: null, timeScope: 'Point' } as const
  return { ...defaultDefinition, name, interval: 'PT1M', metrics: [metric] }
}

type Records = {
  get(table: 'metricReportDefinition', key: string): MetricReportDefinition | undefined
  keys(table: 'metricReportDefinition'): readonly string[]
}

/** The definition of this id: a client's, or one that ships. */
export function reportDefinition(records: Records, board: Board, id: string): MetricReportDefinition | undefined {
  const stored = records.get('metricReportDefinition', id)
  if (stored !== undefined) return stored.removed ? undefined : stored
  return describedOf(board).shipped.get(id)
}

/** The ids of all definitions: those that ship first. */
export function reportDefinitionIds(records: Records, board: Board): string[] {
  const ids = new Set([...metrics(board).map(({ id }) => id), ...records.keys('metricReportDefinition')])
  return [...ids].filter((id) => records.get('metricReportDefinition', id)?.removed !== true)
}

/** Whether the reports of a definition are resources. */
export function isListed({ actions }: MetricReportDefinition): boolean {
  return actions.includes('LogToMetricReportsCollection')
}
