import { roles } from '#data/accounts'
import type { AttributeRegistry } from '#data/bios'
import type { Board } from '#data/board'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { configuration as defaults } from '#data/configuration'
import type { DeliveryStatus } from '#data/events'
import type { License } from '#data/license'
import type { MetricReport } from '#data/telemetry'
import type { IndicatorState } from '#hal/indicators.ts'
import type { PortState } from '#hal/ports.ts'
import type { PowerState } from '#hal/power.ts'
import { simPort } from '#hal/sim/ports.ts'
import registry from '#registries/bios/BiosAttributeRegistryRS220.v1_1_0.json' with { type: 'json' }
import { type Caller, type Context, fail, MessageError, type Tables } from '#runtime/contract'

/** A subscription before its first event. */
const nothingDelivered: DeliveryStatus = {
  settled: 0,
  delivered: 0,
  queueFull: 0,
  retired: 0,
  attemptsSpent: 0,
  unreachable: false,
  deliveredAt: '',
  failedAt: '',
  failure: '',
  queued: 0,
  trouble: 'none'
}

/** The world as a test wants it: whatever it does not say is as after a first start. */
export interface Given<P extends string, B> {
  readonly params?: Record<P, string>
  readonly uri?: string
  readonly body?: B
  readonly caller?: Partial<Omit<Caller, 'privileges'>>
  readonly tables?: { readonly [T in keyof Tables]?: { readonly [key: string]: Partial<Tables[T]> } }
  readonly configuration?: Partial<typeof defaults>
  readonly board?: Board
  /** Of system 1. */
  readonly power?: PowerState
  /** Of every chassis. */
  readonly indicator?: IndicatorState
  readonly port?: PortState
  /** UEFI variables by `<guid>/<name>`. */
  readonly variables?: Readonly<Record<string, { readonly attributes: number; readonly data: Uint8Array }>>
  /** Readings of sensors, by `<chassis>/<number>`; the others cannot be read. */
  readonly readings?: Readonly<Record<string, number>>
  /** By the ids of their definitions. */
  readonly reports?: Readonly<Record<string, MetricReport>>
  readonly documents?: Readonly<Record<string, string>>
  readonly now?: string
  /** When sessions were last used, in milliseconds since 1970. */
  readonly accessed?: Readonly<Record<string, number>>
  /** How the delivery to every subscription goes. */
  readonly delivery?: Partial<DeliveryStatus>
  /** The certificate that the service serves with, PEM. */
  readonly chain?: string
  /** The certificate whose key the service has: DER. */
  readonly fits?: (certificate: Uint8Array) => boolean
  /** The contents of license keys with a good signature. */
  readonly licenses?: Readonly<Record<string, License>>
  /** The passwords that are right. */
  readonly passwords?: Readonly<Record<string, string>>
}

/** The context of a handler, made of plain values. */
export function context<P extends string = never, B = undefined>(given: Given<P, B> = {}): Context<P, B> {
  const { tables = {}, documents = {}, accessed = {}, passwords = {}, power = 'On', indicator = 'Off' } = given
  const configuration = { ...defaults, ...given.configuration }
  const record = (table: keyof Tables, key: string) => tables[table]?.[key]
  const state = {
    get: <T extends keyof Tables>(table: T, key: string) => record(table, key) as Tables[T] | undefined,
    keys: (table: keyof Tables) => Object.keys(tables[table] ?? {}).sort()
  }
  const person = (user: string, role: string): Caller => ({
    user,
    role,
    privileges: new Set(roles[role]?.vendor),
    address: '192.0.2.1',
    passwordChangeRequired: state.get('account', user)?.passwordChangeRequired ?? false
  })
  return {
    params: given.params ?? ({} as Record<P, string>),
    uri: given.uri ?? '/redfish/v1',
    body: given.body as B,
    caller: { ...person(given.caller?.user ?? 'admin', given.caller?.role ?? 'Administrator'), ...given.caller },
    machine: {
      board: given.board ?? (sim as Board),
      power: () => power,
      indicator: () => indicator,
      port: () => given.port ?? simPort().state,
      nvram: () => ({ health: { state: 'ok', faults: [] }, space: { total: 0x3ffb8, free: 0x3ff00, largest: 0x8400 } }),
      variable: (_, name, guid) => given.variables?.[`${guid}/${name}`],
      reading: (chassis, sensor) => given.readings?.[`${chassis}/${sensor}`],
      attributeRegistry: () => registry as unknown as AttributeRegistry
    },
    state,
    configuration,
    credentials: {
      async verify(user, password) {
        if (passwords[user] !== password) fail(401, 'Mgmt.UnauthorizedLoginAttempt')
        return person(user, state.get('account', user)?.role ?? 'ReadOnly')
      },
      hash: async (password) => `hash of ${password}`,
      matches: async (password, hash) => hash === `hash of ${password}`,
      digest: (token) => `digest of ${token}`
    },
    readLicense: (key) => given.licenses?.[key],
    ownCertificate: {
      chain: given.chain ?? '',
      request: undefined,
      fits: given.fits ?? (() => false),
      makeRequest: async ({ subject }) => ({ request: `request of ${subject.commonName}`, key: 'sealed key' })
    },
    document: (name) => (documents[name] === undefined ? undefined : new TextEncoder().encode(documents[name])),
    documents: Object.keys(documents),
    now: () => new Date(given.now ?? '2025-06-01T12:00:00.000Z'),
    accessed: (session) => accessed[session] ?? state.get('session', session)?.accessedAt ?? 0,
    report: (definition) => given.reports?.[definition] ?? { sequence: 0, timestamp: undefined, values: [] },
    delivery: () => ({ ...nothingDelivered, ...given.delivery }),
    seal: (text) => `sealed ${text}`,
    random: (bytes) => 'ab'.repeat(bytes)
  }
}

/** The failure as a client would see it: the status, the headers, and each message as its key and arguments. */
export interface Refusal {
  readonly status: number
  readonly said: readonly (readonly string[])[]
  readonly headers?: Readonly<Record<string, string>>
}

/** How a handler refuses; anything but a refusal is the test's failure. */
export async function refusal(work: () => unknown): Promise<Refusal> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof MessageError)) throw error
    const { status, messages, headers } = error
    const said = messages.map(({ key, args }) => [key, ...args])
    return { status, said, ...(Object.keys(headers).length > 0 && { headers }) }
  }
  throw new Error('the handler did not refuse')
}

/** 404; the runtime says which URI was asked for. */
export const missing: Refusal = { status: 404, said: [] }
