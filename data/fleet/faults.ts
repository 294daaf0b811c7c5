import { type Immutable, type Infer, object } from '#runtime/schema'

const seconds = (description: string) => ({ type: 'number', minimum: 0, maximum: 3600, description }) as const

/** Faults of some of the requests to a controller. */
export type FaultRule = Immutable<Infer<typeof faultRuleSchema>>

const quirks = ['NoTrailingSlash', 'NoETag', 'WrongETag', 'NoContentForOk'] as const

const anything = { type: ['string', 'number', 'boolean', 'null', 'array', 'object'] } as const

/** Values by JSON pointers (RFC 6901). */
const byPointer = (description: string) =>
  ({ type: 'object', properties: {}, additionalProperties: anything, description }) as const

const faultRuleSchema = object({
  path: {
    type: 'string',
    maxLength: 256,
    description: 'The path of the requests, with * for any text: /redfish/v1/Systems*. Default: all'
  },
  methods: {
    type: 'array',
    items: { type: 'string', enum: ['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE'] },
    description: 'Default: all'
  },
  after: { type: 'integer', minimum: 0, description: 'Requests that succeed before the first fault' },
  times: { type: 'integer', minimum: 1, description: 'The maximum faults until the rules are set again' },
  share: { type: 'number', minimum: 0, maximum: 1, description: 'The share of these requests that fail; default 1' },
  delay: seconds('The time before a request is processed'),
  jitter: seconds('The maximum random time in addition'),
  latency: {
    type: 'object',
    required: ['median'],
    properties: {
      median: { type: 'number', minimum: 0.0001, maximum: 3600 },
      p99: { type: 'number', minimum: 0.0001, maximum: 3600 }
    },
    description:
      'A random time in addition, in seconds: log-normal with this median and 99th percentile, exponential without p99'
  },
  status: {
    type: 'integer',
    minimum: 400,
    maximum: 599,
    description: 'The status of the answer'
  },
  retryAfter: { type: 'integer', minimum: 0, maximum: 86_400, description: 'Retry-After of such an answer' },
  expireSession: { type: 'boolean', description: 'Treats the X-Auth-Token of the request as unknown' },
  hangUp: {
    type: 'number',
    minimum: 0,
    maximum: 1,
    description: 'Closes the connection after this share of the answer, such as 0.5; with 0, before the answer'
  },
  reboot: seconds(
    'Reboots the controller: it closes all connections for this time, without an answer, and starts again'
  ),
  rate: { type: 'integer', minimum: 1, description: 'Bytes of the body of an answer per second' },
  missing: {
    type: 'array',
    items: { type: 'string' },
    maxItems: 64,
    description: 'Members that the resource lacks'
  },
  type: {
    type: 'string',
    maxLength: 128,
    description:
      'The resources that replace, merge and remove change, also within collections: ComputerSystem, by their @odata.type. Default: the answer'
  },
  replace: byPointer('New values by JSON pointers: { "/Status/Health": "Critical" }'),
  merge: byPointer('Merge patches (RFC 7396) by JSON pointers: { "/Status": { "Health": "Critical" } }'),
  remove: {
    type: 'array',
    items: { type: 'string', maxLength: 256 },
    maxItems: 64,
    description: 'JSON pointers to what is missing: /Members/0'
  },
  quirks: {
    type: 'array',
    items: { type: 'string', enum: quirks },
    description:
      'Of controllers of other makers: URIs without a trailing slash; no ETag, or one that is never current; 204 for a change where the answer has nothing but messages'
  }
})

export const faultRules = { type: 'array', maxItems: 64, items: faultRuleSchema } as const

/** The kinds of devices that a board has one or more of. */
export const deviceKinds = ['power', 'firmware', 'indicator', 'sensors', 'port'] as const

const byKind = <const S>(each: S) =>
  Object.fromEntries(deviceKinds.map((kind) => [kind, each])) as { readonly [K in (typeof deviceKinds)[number]]: S }

/** Options of simulated devices by their kind. Their values are checked with the board that they are for. */
export type DeviceOptions = Immutable<Infer<typeof deviceOptionsSchema>>

export const deviceOptionsSchema = object(byKind({ type: 'object', properties: {}, additionalProperties: anything }))

/** Faults of devices by their kind. */
export const deviceFaults = object(
  byKind(object(['faults'], { faults: { type: 'object', properties: {}, additionalProperties: anything } }))
)

/** The changeable members of a controller's control resource: faults of requests, and of devices. */
export const faultControlSchema = object({ Rules: faultRules, Devices: deviceFaults })
