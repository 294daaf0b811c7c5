/**
 * What a value in a board file is: of a type of JSON, an object with these members, or with further ones: `list` and
 * `map` (an object of things by their ids) of something, something that may be missing, or be null.
 */
type Shape =
  | 'string'
  | 'number'
  | 'boolean'
  | readonly ['list' | 'map' | 'optional' | 'nullable', Shape]
  | { readonly [member: string]: Shape }

const list = (shape: Shape) => ['list', shape] as const
const map = (shape: Shape) => ['map', shape] as const
const optional = (shape: Shape) => ['optional', shape] as const
const nullable = (shape: Shape) => ['nullable', shape] as const

const backend = { type: 'string' } as const
const strings = list('string')
const sensor = { number: 'number', name: 'string', reading: 'number', standby: 'number' } as const

const ethernetInterfaces = map({ name: 'string', mac: 'string', speedMbps: 'number', linkUp: 'boolean' })

const storage = map({
  name: 'string',
  controller: {
    manufacturer: 'string',
    model: 'string',
    partNumber: 'string',
    serialNumber: 'string',
    firmwareVersion: 'string',
    speedGbps: 'number',
    protocols: strings,
    raidTypes: strings
  },
  drives: map({
    bay: 'string',
    manufacturer: 'string',
    model: 'string',
    serialNumber: 'string',
    revision: 'string',
    capacityBytes: 'number',
    protocol: 'string',
    speedGbps: 'number'
  }),
  volumes: map({ name: 'string', raidType: 'string', drives: strings })
})

const system: Shape = {
  name: 'string',
  manufacturer: 'string',
  model: 'string',
  serialNumber: 'string',
  sku: 'string',
  partNumber: 'string',
  uuid: 'string',
  biosVersion: 'string',
  processors: map({
    socket: 'string',
    manufacturer: 'string',
    model: 'string',
    cores: 'number',
    threads: 'number',
    maxSpeedMHz: 'number'
  }),
  memory: map({
    location: 'string',
    socket: 'number',
    slot: 'number',
    manufacturer: 'string',
    partNumber: 'string',
    serialNumber: 'string',
    capacityMiB: 'number',
    speed: 'number',
    ranks: 'number'
  }),
  storage,
  ethernetInterfaces,
  trustedModule: optional({ firmwareVersion: 'string' }),
  chassis: strings,
  manager: 'string',
  power: backend,
  nvram: backend,
  attributeRegistry: 'string',
  biosDevices: list({ device: 'string', prefix: 'string' }),
  bootOptions: list({
    reference: 'string',
    displayName: 'string',
    structuredName: 'string',
    uefiDevicePath: 'string',
    alias: 'string'
  }),
  factoryKeys: optional(map('string'))
}

const chassis: Shape = {
  type: 'string',
  name: 'string',
  manufacturer: 'string',
  model: 'string',
  serialNumber: 'string',
  partNumber: 'string',
  sku: 'string',
  systems: strings,
  managers: strings,
  containedBy: optional('string'),
  indicator: backend,
  sensors: backend,
  temperatures: list({ ...sensor, context: 'string', critical: 'number', fatal: 'number' }),
  fans: list(sensor),
  loads: list({ ...sensor, load: 'string' }),
  powerSupplies: list({
    bay: 'number',
    model: 'string',
    partNumber: 'string',
    serialNumber: 'string',
    firmwareVersion: 'string',
    capacityWatts: 'number',
    inputVolts: 'number',
    output: sensor
  }),
  pcieDevices: map({
    name: 'string',
    manufacturer: 'string',
    model: 'string',
    partNumber: 'string',
    serialNumber: 'string',
    firmwareVersion: 'string',
    multiFunction: 'boolean',
    generation: 'string',
    lanes: 'number'
  }),
  pcieSlots: list({
    label: 'string',
    type: 'string',
    generation: 'string',
    lanes: 'number',
    device: optional('string')
  }),
  enclosure: optional({
    model: 'string',
    uuid: 'string',
    onboardAdministrator: { ipv4: nullable('string'), ipv6: map('string'), mac: nullable('string') }
  })
}

const manager: Shape = {
  name: 'string',
  model: 'string',
  firmwareVersion: 'string',
  uuid: optional('string'),
  serviceEntryPointUuid: optional('string'),
  hostName: 'string',
  domain: 'string',
  ethernetInterfaces: map({ name: 'string', port: backend }),
  virtualMedia: map({ name: 'string', types: strings, media: optional(backend) }),
  systems: strings,
  chassis: strings
}

const board: Shape = {
  name: 'string',
  licenseKey: optional({ kty: 'string', crv: 'string', x: 'string', d: optional('string') }),
  systems: map(system),
  chassis: map(chassis),
  managers: map(manager)
}

/** The members that a board file lacks, and those that are of another type than they should be, in one line each. */
export function shapeFaults(file: unknown): string[] {
  return faults(board, file, '')
}

function faults(shape: Shape, value: unknown, at: string): string[] {
  if (isKind(shape)) {
    const [kind, inner] = shape
    if (kind === 'optional') return value === undefined ? [] : faults(inner, value, at)
    if (kind === 'nullable') return value === null ? [] : faults(inner, value, at)
    const is = kind === 'list' ? Array.isArray(value) : isObject(value)
    if (!is) return [fault(at, kind === 'list' ? 'an array' : 'an object', value)]
    return Object.entries(value as object).flatMap(([id, each]) => faults(inner, each, join(at, id)))
  }
  if (typeof shape === 'string') return typeof value === shape ? [] : [fault(at, `a ${shape}`, value)]
  if (!isObject(value)) return [fault(at, 'an object', value)]
  return Object.entries(shape).flatMap(([name, each]) => faults(each, value[name], join(at, name)))
}

function fault(at: string, wanted: string, value: unknown): string {
  return value === undefined ? `${at} is missing` : `${at === '' ? 'it' : at} is not ${wanted}`
}

function join(at: string, name: string): string {
  return at === '' ? name : `${at}/${name}`
}

function isKind(shape: Shape): shape is readonly ['list' | 'map' | 'optional' | 'nullable', Shape] {
  return Array.isArray(shape)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
