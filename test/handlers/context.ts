import { type Credentials, predefinedRole, rolePrivileges, type UsedFactor } from '#data/accounts'
import type { AttributeRegistry } from '#data/bios'
import { type Board, Inventory } from '#data/board'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { configuration as defaults } from '#data/configuration'
import type { DeliveryStatus } from '#data/events'
import type { BootProgress } from '#data/system'
import type { FirmwareState } from '#hal/firmware.ts'
import type { IndicatorState } from '#hal/indicators.ts'
import type { PortState } from '#hal/ports.ts'
import type { PowerState } from '#hal/power.ts'
import { simPort } from '#hal/sim/ports.ts'
import registry from '#registries/bios/BiosAttributeRegistryRS220.v1_1_0.json' with { type: 'json' }
import {
  type Caller,
  type Context,
  fail,
  type Infer,
  type Machine,
  MessageError,
  type Schema,
  type Services,
  type Tables
} from '#runtime/contract'
import { Basis } from '#runtime/request/basis.ts'
import { complete, derive } from '#runtime/request/derived.ts'
import { type Sources, View } from '#runtime/request/view.ts'
import { readLicenseKey } from '#runtime/service/license/key.ts'

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

const sound = { state: 'ok', faults: [] } as const
const roomy = { total: 0x3ffb8, free: 0x3ff00, largest: 0x8400 }

/**
 * The state that a test sets up; everything else is as after a first start. A member that a service adds to the context
 * has the same name here.
 */
export interface Given<P extends string, B> extends Partial<Omit<Services, 'configuration' | 'upload'>> {
  readonly params?: Record<P, string>
  readonly uri?: string
  readonly body?: B
  readonly caller?: Partial<Caller>
  readonly tables?: { readonly [T in keyof Tables]?: { readonly [key: string]: Partial<Tables[T]> } }
  readonly configuration?: Partial<typeof defaults>
  readonly board?: Board
  /** The factor that a login, or a check of a code, consumes. */
  readonly used?: UsedFactor
  /** Of system 1. */
  readonly power?: PowerState
  /** Of every system. */
  readonly bootProgress?: BootProgress
  readonly hasBreak?: boolean
  readonly noticesPowerLoss?: boolean
  /** Null: none. */
  readonly watchdog?: { readonly warns: boolean } | null
  readonly ownsBios?: boolean
  readonly bootOverrides?: ReturnType<Machine['bootOverrides']>
  readonly setsClock?: boolean
  /** Of every chassis. */
  readonly indicator?: IndicatorState
  readonly port?: PortState
  /** The slots of components, by their ids; others take no update. */
  readonly firmware?: Readonly<Record<string, FirmwareState>>
  /** The store of UEFI variables, if it is damaged or has little room. */
  readonly nvram?: Partial<ReturnType<Machine['nvram']>>
  /** UEFI variables by `<guid>/<name>`. */
  readonly variables?: Readonly<Record<string, { readonly attributes: number; readonly data: Uint8Array }>>
  /** Of every port of a controller. */
  readonly portCounters?: ReturnType<Machine['portCounters']>
  /** The counters of parts, by `links/nic-1/1`; other parts have no counters. */
  readonly counters?: Readonly<Record<string, object>>
  /** Of the power limit of chassis 1; others have none. */
  readonly powerRange?: { readonly minimum: number; readonly maximum: number }
  /** Of the log of the machine. */
  readonly eventLog?: ReturnType<Machine['eventLog']>
  readonly dumps?: ReturnType<Machine['dumps']>
  /** Readings of sensors, by `<chassis>/<number>`; the others cannot be read. */
  readonly readings?: Readonly<Record<string, number>>
  readonly documents?: Readonly<Record<string, string>>
  readonly now?: string
  /** How the delivery to every subscription goes. */
  readonly deliveryStatus?: Partial<DeliveryStatus>
  /** The certificate that the service serves with, PEM. */
  readonly chain?: string
  /** The certificate whose key the service has: DER. */
  readonly fits?: (certificate: Uint8Array) => boolean
  /** False: the machine does. */
  readonly keepsPasswords?: boolean
  /** False: the binary is without them. */
  readonly asksDirectories?: boolean
  /** The passwords that are right. */
  readonly passwords?: Readonly<Record<string, string>>
}

/** The argument of a handler: the view of a request over plain values. */
export function context<P extends string = never, B = undefined>(given: Given<P, B> = {}): Context<P, B> {
  return withBasis(given).context
}

/** The same, and what a handler that is given it depends on. */
export function withBasis<P extends string = never, B = undefined>(given: Given<P, B>) {
  const { tables = {}, documents = {}, passwords = {} } = given
  const get = <T extends keyof Tables>(table: T, key: string) =>
    (Object.hasOwn(tables[table] ?? {}, key) ? tables[table]?.[key] : undefined) as Tables[T] | undefined
  const person = (user: string, role: string): Caller => ({
    account: user,
    user,
    role,
    privileges: rolePrivileges(predefinedRole(role) ?? get('role', role)),
    address: '192.0.2.1',
    passwordChangeRequired: get('account', user)?.passwordChangeRequired ?? false
  })
  const caller = { ...person(given.caller?.user ?? 'admin', given.caller?.role ?? 'Administrator'), ...given.caller }
  const credentials: Credentials = {
    keepsPasswords: given.keepsPasswords ?? true,
    asksDirectories: given.asksDirectories ?? true,
    async verify(user, password) {
      if (passwords[user] !== password) fail(401, 'Mgmt.UnauthorizedLoginAttempt')
      const caller = person(user, get('account', user)?.role ?? 'ReadOnly')
      return given.used === undefined ? caller : { ...caller, secondFactor: given.used.kind, used: given.used }
    },
    async verifyCode() {
      return given.used ?? fail(400, 'Base.ActionParameterValueError', 'TimeBasedOneTimePassword', 'an action')
    },
    hash: async (password) => `hash of ${password}`,
    matches: async (password, hash) => hash === `hash of ${password}`,
    hashOther: async (password) => `hash of ${password}`,
    matchesOther: async (password, hash) => hash === `hash of ${password}`,
    digest: (token) => `digest of ${token}`
  }
  const board = given.board ?? (sim as Board)
  const now = () => new Date(given.now ?? '2025-06-01T12:00:00.000Z')
  const services: Partial<ReturnType<Sources['members']>> = {
    credentials,
    isLocked: (id) => (get('account', id)?.lockedUntil ?? 0) > now().getTime(),
    ownCertificate: {
      chain: given.chain ?? '',
      request: undefined,
      fits: given.fits ?? (() => false),
      makeRequest: async ({ subject }) => ({ request: `request of ${subject.commonName}`, key: 'sealed key' })
    },
    readLicense: (key) => readLicenseKey(key, board.licenseKey),
    accessed: (session) => get('session', session)?.accessedAt ?? 0,
    delivery: () => ({ ...nothingDelivered, ...given.deliveryStatus }),
    streams: () => new Map()
  }
  const sources: Sources = {
    store: { get, keys: (table) => Object.keys(tables[table] ?? {}).sort() },
    machine: Object.assign(new Inventory(board), {
      power: () => given.power ?? 'On',
      bootProgress: () => given.bootProgress,
      hasBreak: () => given.hasBreak ?? true,
      noticesPowerLoss: () => given.noticesPowerLoss ?? true,
      ownsBios: () => given.ownsBios ?? true,
      bootOverrides: () => given.bootOverrides,
      setsClock: () => given.setsClock ?? false,
      watchdog: () => (given.watchdog === undefined ? { warns: true } : (given.watchdog ?? undefined)),
      indicator: () => given.indicator ?? 'Off',
      port: () => given.port ?? simPort().state,
      portCounters: () => given.portCounters,
      firmware: (component: string) => given.firmware?.[component],
      nvram: () => ({ health: sound, space: roomy, ...given.nvram }),
      variable: (_: string, name: string, guid: string) => given.variables?.[`${guid}/${name}`],
      variables: (_: string, guid: string) =>
        Object.keys(given.variables ?? {}).flatMap((each) =>
          each.startsWith(guid) ? each.slice(guid.length + 1) : []
        ),
      reading: (chassis: string, sensor: number) => given.readings?.[`${chassis}/${sensor}`],
      counts: (_: string, kind: string, part: string) => given.counters?.[`${kind}/${part}`] !== undefined,
      counters: (_: string, kind: string, part: string) => given.counters?.[`${kind}/${part}`] as never,
      eventLog: () => given.eventLog ?? 'current',
      dumps: () => given.dumps ?? 'current',
      powerRange: (chassis: string) =>
        chassis === '1' ? (given.powerRange ?? { minimum: 150, maximum: 1600 }) : undefined,
      attributeRegistry: () => registry as unknown as AttributeRegistry
    }),
    configuration: { ...defaults, ...given.configuration },
    documents: {
      get: (name) =>
        documents[name] === undefined ? undefined : { gzip: new TextEncoder().encode(documents[name]), tag: 'W/"0"' },
      names: Object.keys(documents)
    },
    now,
    members: () => ({ ...services, ...given }) as ReturnType<Sources['members']>,
    instances: given.instances ?? (() => []),
    parameters: given.parameters ?? (() => undefined),
    secrets: { seal: (text) => `sealed ${text}` },
    random: (bytes) => 'ab'.repeat(bytes)
  }
  const params = given.params ?? ({} as Record<P, string>)
  const basis = new Basis({ of: () => 0 }, caller, given.localAddress)
  const context = new View(sources, basis).context(params, given.uri ?? '/redfish/v1', given.body as B)
  return { context: new Proxy<Context<P, B>>(context as Context<P, B>, { get: givenMember }), basis }
}

/** A handler's GET, with the members that the runtime fills in. */
export function completed<S extends Schema, P extends string>(schema: S, get: (context: Context<P>) => object) {
  return (context: Context<P>) => complete(get(context), derive(schema), context.uri, false, context) as Infer<S>
}

/** Members that nouns add to the context need no default here: a test of a handler that reads one gives it. */
function givenMember(context: object, name: string | symbol): unknown {
  if (name in context) return Reflect.get(context, name)
  throw new Error(`the handler reads ${String(name)}: the test has to give it, context({ ${String(name)}: … })`)
}

/** The failure as a client would see it: the status, the headers, and each message as its key and arguments. */
export interface Refusal {
  readonly status: number
  readonly messages: readonly (readonly string[])[]
  readonly headers?: Readonly<Record<string, string>>
}

/** How a handler refuses; anything but a refusal is the test's failure. */
export async function refusal(work: () => unknown): Promise<Refusal> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof MessageError)) throw error
    const { status, headers } = error
    const messages = error.messages.map(({ key, args }) => [key, ...args])
    return { status, messages, ...(Object.keys(headers).length > 0 && { headers }) }
  }
  throw new Error('the handler did not refuse')
}

/** The messages with which a handler refuses a bad request; another status is the test's failure. */
export async function badRequest(work: () => unknown): Promise<Refusal['messages']> {
  const { status, messages } = await refusal(work)
  if (status !== 400) throw new Error(`the status is ${status}`)
  return messages
}

/** 404; the runtime says which URI was asked for. */
export const missing: Refusal = { status: 404, messages: [] }
