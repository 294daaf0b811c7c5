import { configurationSchema } from '#data/configuration'
import { type Complete, complete, type Immutable, type Infer, object } from '#runtime/schema'
import { deviceOptionsSchema, faultRules } from './faults.ts'
import { equipmentKinds, type Placed, rackGroups } from './racks.ts'
import { groupActionSchema } from './summary.ts'

/** A group as it is for one of its controllers, of which an inventory may say more. */
export function groupOf(group: Group, index: number): Group {
  const { identity } = group.listed?.[index] ?? {}
  return identity === undefined ? group : { ...group, identity: { ...group.identity, ...identity } }
}

/** The places in texts of an identity: `{n}` is the number of a controller, `{n:5}` has leading zeros, `{x:6}` is hex. */
export const places = /\{(n|x|board)(?::(\d{1,2}))?\}/g

/** Text with `places`. */
const template = (description: string) => ({ type: 'string', maxLength: 128, description }) as const

const identitySchema = {
  type: 'object',
  properties: {
    serialNumber: template("Of systems and chassis; {board} is the board's own. Default {board}-{n:5}"),
    uuid: template('The UUID of systems. Default: derived from the seed and the number'),
    macPrefix: {
      type: 'string',
      pattern: '^[0-9A-F]{2}(:[0-9A-F]{2}){2}$',
      description: 'The first half of all MAC addresses. Default 02:4D:4E'
    },
    hostName: template('Of managers. Default bmc-{n:5}'),
    systemName: template("Of systems. Default: the board's"),
    assetTag: template("Of systems, until a client sets one. Default: the board's"),
    manufacturer: template("Of systems and their chassis. Default: the board's"),
    model: template("Of systems and their chassis. Default: the board's")
  },
  description: 'What distinguishes the controllers'
} as const

const devices = {
  ...deviceOptionsSchema,
  description:
    'Options of the simulated devices, over those of the board: { "power": { "resetTime": 120000, "faults": { "stuckOn": true } } }'
} as const

const faults = { ...faultRules, description: 'Faults of requests' } as const

const away = (description: string) => ({ type: 'number', minimum: 0, maximum: 86_400, description }) as const

const absence = {
  ...object({
    reset: away('After Manager.Reset'),
    update: away('After an update of the firmware, and whenever else the controller starts anew by itself')
  }),
  description: 'For how long a controller closes all connections when it restarts. Default 0'
} as const

/** A step of a scenario: a time, and an action as in a POST to `/fleet/`. */
export type ScenarioStep = Immutable<Infer<typeof stepSchema>>

const { controllers: _, ...actions } = groupActionSchema.properties

const stepSchema = object(['at'], {
  at: {
    type: 'string',
    pattern: '^[0-9]{2,4}:[0-5][0-9](:[0-5][0-9])?$',
    description: 'Hours and minutes, or hours, minutes and seconds, after the start of the fleet: 00:10'
  },
  controllers: {
    type: 'array',
    maxItems: 1000,
    items: { type: 'integer', minimum: 1 },
    description: 'Numbers of controllers. Default: all'
  },
  replay: {
    type: 'string',
    description: 'A file with a recorded stream of events, which happen again at their distances in time'
  },
  ...actions
})

/** Changes the time of the scenario: see `speed`; seconds to leap forward. */
export const timeSchema = object({
  speed: { type: 'number', minimum: 0, maximum: 86_400 },
  advance: { type: 'number', minimum: 0, maximum: 31_536_000 }
})

/** Controllers that are alike. */
export type Group = Immutable<Infer<typeof groupSchema>> & Placed

/** The members of the file that say how controllers are reached. */
const reachSchema = {
  address: {
    type: 'string',
    description:
      'Address to listen on. Default: in a network those of the controllers, otherwise all addresses of the machine'
  },
  port: {
    type: 'integer',
    minimum: 0,
    maximum: 65_535,
    description:
      'Of the first controller; the others have those that follow, or with 0 free ones. Of all of them in a network. Default: after the last of the group before, first 8443'
  },
  network: {
    type: 'string',
    pattern: '^[0-9A-Fa-f.:]+/[0-9]{1,3}$',
    description:
      'Each controller has an address in this network, and all share one port: 127.20.0.0/16. The first is that after the address that is given'
  },
  domain: {
    type: 'string',
    pattern: '^[A-Za-z0-9-]+([.][A-Za-z0-9-]+)*$',
    maxLength: 190,
    description:
      'All share one address and port, and are distinguished by the name that a client asks for: bmc-00007.lab.example with lab.example'
  },
  certificates: {
    type: 'string',
    enum: ['shared', 'own'],
    description:
      'Of controllers with a domain: all present the same certificate, or each its own to clients that ask for its name. Default: shared'
  }
} as const

const groupSchema = object(['count'], {
  name: {
    type: 'string',
    pattern: '^[A-Za-z0-9._-]{1,64}$',
    description: 'In metrics and fleet top. Default: the index of the group, from 0'
  },
  count: { type: 'integer', minimum: 1, maximum: 1_000_000, description: 'Controllers' },
  board: {
    type: 'string',
    description: 'The name of a board in data/boards, or the path of a board file. Default sim'
  },
  ...reachSchema,
  identity: identitySchema,
  machine: {
    ...configurationSchema.properties.machine,
    description:
      'Settings of boards that are virtual machines, over those of the configuration: { "memory": 256, "network": "tap,ifname=vm{n},script=no" }. Files are in the machine\'s own directory, or have absolute paths'
  },
  devices,
  faults,
  absence
})

const many = (description: string) => ({ type: 'integer', minimum: 0, maximum: 8, description }) as const

const rackSchema = object(['name', 'servers'], {
  name: { type: 'string', minLength: 1, maxLength: 64, description: '{n} is the number of the rack among those alike' },
  count: { type: 'integer', minimum: 1, maximum: 10_000, description: 'Racks that are alike. Default 1' },
  servers: { type: 'array', maxItems: 100, items: groupSchema, description: 'Of each rack' },
  chassisManager: { type: 'boolean', description: 'A controller that lists the servers. Default: none' },
  powerShelves: many('Each feeds all servers. Default 0: the servers have another supply'),
  switches: many('The first has a port for each other controller. Default 0'),
  coolingUnit: { type: 'boolean', description: 'A controller of the liquid cooling. Default: none' },
  ...reachSchema
})

const { count: __, ...alike } = groupSchema.properties

const inventorySchema = {
  ...object(['file'], {
    file: { type: 'string', description: 'CSV, or an export of the devices of NetBox as CSV or JSON' },
    boards: {
      type: 'object',
      properties: {},
      additionalProperties: { type: 'string' },
      description: 'Boards by the device types of the file: { "PowerEdge R650": "dell.json" }. Default: board'
    },
    roles: {
      type: 'object',
      properties: {},
      additionalProperties: { type: 'string', enum: [...equipmentKinds, 'None'] },
      description:
        'What devices manage, by the roles of the file; None leaves them out. Default: by words of the role such as switch, else Server'
    },
    ...alike
  }),
  description:
    'Controllers that a file lists, with the members of a group for all of them; after groups and racks. Without network and domain their addresses are those of the file'
} as const

/** The first mistake in the identity of a group: the member, and what is wrong with it. */
export function identityFault({ count, identity = {} }: Group): string | undefined {
  for (const [member, text] of Object.entries(identity as Readonly<Record<string, string>>)) {
    const [unknown] = /\{[^}]*\}?/.exec(text.replace(places, '')) ?? []
    if (unknown !== undefined) return `${member}: ${unknown} is unknown; a text may contain {n}, {x} and {board}`
    const isUnique = ['serialNumber', 'uuid', 'hostName'].includes(member)
    if (isUnique && count > 1 && !/\{[nx][:}]/.test(text))
      return `${member}: all ${count} controllers would have ${text}; {n} makes it unique`
  }
  return undefined
}

/** Options of one controller, over those of its group. */
type SingleController = Immutable<Infer<typeof singleControllerSchema>>

const singleControllerSchema = object({ devices, faults, absence })

/** A file that describes a fleet. Times are seconds. */
export const fleetSchema = object({
  $schema: { type: 'string' },
  data: { type: 'string', default: 'minnow-fleet', description: 'The directory for the state of all controllers' },
  seed: { type: 'integer', default: 1, description: 'Fleets with the same seed have the same identities' },
  idle: {
    type: 'number',
    minimum: 30,
    default: 300,
    description: 'A controller without activity is closed after this time, until the next request'
  },
  open: {
    type: 'integer',
    minimum: 1,
    default: 2000,
    description: 'The maximum open controllers; beyond it, those with the oldest requests are closed earlier'
  },
  configuration: {
    ...configurationSchema,
    description: 'The configuration of every controller, as in a configuration file'
  },
  control: {
    type: ['boolean', 'string'],
    description:
      "True: administrators change a controller's faults at /redfish/v1/Oem/Vendor/Faults/. An address and a port: this, and the page of the fleet is there, over HTTPS; each worker has the next port. Default: false"
  },
  metrics: {
    type: 'string',
    pattern: '^.+:[0-9]{1,5}$',
    default: '',
    description:
      'Address and port where /metrics is for Prometheus, over HTTPS and without a login; each worker has the next port. Nowhere unless it is said'
  },
  controllers: {
    type: 'object',
    properties: {},
    additionalProperties: singleControllerSchema,
    description:
      'Single controllers by their number, or by their name in inventory.json: faults beside those of their group, and options of devices over those'
  },
  scenario: {
    type: 'array',
    maxItems: 10_000,
    items: stepSchema,
    description: 'Steps, each at a time: an action as in a POST to /fleet/ of the page'
  },
  workers: {
    type: 'integer',
    minimum: 1,
    maximum: 64,
    default: 1,
    description: 'Processes that serve a part of the controllers each'
  },
  speed: {
    type: 'number',
    minimum: 0,
    maximum: 86_400,
    default: 1,
    description:
      'How fast the time of the scenario passes, and that of restarts: 60 for a minute in a second, 0 for not at all'
  },
  groups: { type: 'array', maxItems: 1000, items: groupSchema, description: 'In the order of their numbers, from 1' },
  racks: {
    type: 'array',
    maxItems: 1000,
    items: rackSchema,
    description: 'Racks with their equipment; after the groups'
  },
  inventory: inventorySchema
})

/** The content of a fleet's file. */
export type FleetFile = Immutable<Infer<typeof fleetSchema>>

type Settings = Omit<
  Complete<typeof fleetSchema>,
  'configuration' | 'control' | 'controllers' | 'scenario' | 'inventory'
>

/** A whole fleet: what its file says, with the defaults. */
export interface FleetDescription extends Settings {
  readonly configuration: Complete<typeof configurationSchema>
  readonly control: boolean | string
  readonly controllers: { readonly [numberOrName: string]: SingleController }
  readonly groups: readonly Group[]
  readonly scenario: readonly ScenarioStep[]
}

/** Defaults that differ from those of a single controller. */
const ownDefaults = {
  /** Thousands of controllers would read their simulated sensors all the time. An hour of readings is kept. */
  sensors: { interval: 30, samples: 120, energySaveEvery: 3600 },
  /** How far the deliveries of each controller are is a commit of its own. */
  events: { saveEvery: 5 },
  /** Many controllers share a listener, and all of a client's connections to them come from one address. */
  limits: { connections: 4096, connectionsPerAddress: 4096, handshakeTime: 60 },
  /** Of thousands of simulated controllers with the same password. */
  password: { iterations: 1000 },
  store: { cache: 8_388_608, writeBuffer: 4_194_304 }
} as const

/** @param given fits the schema @param listed the groups of its inventory */
export function describeFleet(given: FleetFile, listed: readonly Group[] = []): FleetDescription {
  const configured = (given.configuration ?? {}) as Readonly<Record<string, object>>
  const merged = Object.entries(ownDefaults).map(([name, own]) => [name, { ...own, ...configured[name] }])
  const {
    configuration: _,
    controllers: __,
    inventory: ___,
    ...settings
  } = complete(fleetSchema, { ...given, configuration: {} })
  return {
    ...settings,
    configuration: complete(configurationSchema, { ...configured, ...Object.fromEntries(merged) }),
    control: given.control ?? false,
    controllers: given.controllers ?? {},
    groups: [...(given.groups ?? []), ...rackGroups(given.racks ?? []), ...listed].map((group: Group) => ({
      ...group,
      machine: { ...configured.machine, ...group.machine }
    })),
    scenario: given.scenario ?? []
  }
}
