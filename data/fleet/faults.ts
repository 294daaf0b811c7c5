import type { Immutable, Infer } from '#runtime/schema'

const seconds = (description: string) => ({ type: 'number', minimum: 0, maximum: 3600, description }) as const

/** Faults of some of the requests to a controller. */
export type FaultRule = Immutable<Infer<typeof faultRuleSchema>>

const quirks = ['NoTrailingSlash', 'NoETag', 'WrongETag', 'NoContentForOk'] as const

const faultRuleSchema = {
  type: 'object',
  properties: {
    path: {
      type: 'string',
      maxLength: 256,
      description: 'Of requests whose path is this, with * for anything: /redfish/v1/Systems*. Default: all'
    },
    methods: {
      type: 'array',
      items: { type: 'string', enum: ['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE'] },
      description: 'Default: all'
    },
    after: { type: 'integer', minimum: 0, description: 'So many of such requests fare well first' },
    times: { type: 'integer', minimum: 1, description: 'So many fare badly at most, until the rules are set anew' },
    share: { type: 'number', minimum: 0, maximum: 1, description: 'Of such requests; default 1' },
    delay: seconds('So long before a request is looked at'),
    jitter: seconds('Up to so long in addition'),
    status: {
      type: 'integer',
      minimum: 400,
      maximum: 599,
      description: 'It is answered with this status in place of anything else'
    },
    retryAfter: { type: 'integer', minimum: 0, maximum: 86_400, description: 'Retry-After of such an answer' },
    expireSession: { type: 'boolean', description: 'Its X-Auth-Token is not known' },
    hangUp: {
      type: 'number',
      minimum: 0,
      maximum: 1,
      description: 'The connection ends after this share of the answer: 0.5; with 0 there is none'
    },
    reboot: seconds(
      'The controller reboots: for so long it hangs up on everybody, and then it starts anew. Nobody is answered before'
    ),
    rate: { type: 'integer', minimum: 1, description: 'Bytes of the body of an answer in a second' },
    missing: {
      type: 'array',
      items: { type: 'string' },
      maxItems: 64,
      description: 'Members that the resource has not'
    },
    quirks: {
      type: 'array',
      items: { type: 'string', enum: quirks },
      description:
        'Of controllers of other makers: URIs without a trailing slash; no ETag, or one that is never current; 204 for a change where the answer has nothing but messages'
    }
  }
} as const

export const faultRules = { type: 'array', maxItems: 64, items: faultRuleSchema } as const

/** The kinds of devices that a board has one or more of. */
export const deviceKinds = ['power', 'firmware', 'indicator', 'sensors', 'port'] as const

const anything = { type: ['string', 'number', 'boolean', 'null', 'array', 'object'] } as const

const byKind = <const S>(each: S) =>
  Object.fromEntries(deviceKinds.map((kind) => [kind, each])) as { readonly [K in (typeof deviceKinds)[number]]: S }

/** Options of simulated devices by their kind. What the back ends take is checked with the board that they are for. */
export type DeviceOptions = Immutable<Infer<typeof deviceOptionsSchema>>

export const deviceOptionsSchema = {
  type: 'object',
  properties: byKind({ type: 'object', properties: {}, additionalProperties: anything })
} as const

/** The changeable members of a controller's control resource: faults of requests, and of devices. */
export const faultControlSchema = {
  type: 'object',
  properties: {
    Rules: faultRules,
    Devices: {
      type: 'object',
      properties: byKind({
        type: 'object',
        required: ['faults'],
        properties: { faults: { type: 'object', properties: {}, additionalProperties: anything } }
      })
    }
  }
} as const
