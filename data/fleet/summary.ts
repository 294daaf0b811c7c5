import { type Immutable, type Infer, object } from '#runtime/schema'
import { type DeviceOptions, deviceFaults, deviceKinds, type FaultRule, faultRules } from './faults.ts'
import type { EquipmentKind } from './racks.ts'

/**
 * A controller in the list of all. A member that is not known yet is absent: the state of a controller is read when it
 * is first opened, and what is known then stays known.
 */
export interface ControllerSummary {
  readonly number: number
  readonly name: string
  /** Of its own page. */
  readonly url: string
  /** `Closed`: the next request opens it. `NoPower`: no power shelf of its rack feeds it. */
  readonly state: 'Open' | 'Closed' | 'Restarting' | 'NoPower'
  /** Of a controller in a rack. */
  readonly kind?: EquipmentKind
  readonly rack?: string
  readonly health?: 'OK' | 'Warning' | 'Critical'
  /** How many of its systems are in each state of power. */
  readonly power?: { readonly [state: string]: number }
  /** Of its firmware. */
  readonly version?: string
  /** See {@link faultNames}. */
  readonly faults: readonly string[]
}

/** The operation of a power device for each `ResetType` that a group action has (DSP0268, Resource.ResetType). */
export const powerOperations = {
  On: 'on',
  GracefulShutdown: 'gracefulShutdown',
  GracefulRestart: 'gracefulRestart',
  ForceRestart: 'forceRestart',
  ForceOff: 'forceOff'
} as const

/** The most controllers of one group action. */
export const groupSize = 50

/** Something to do with many controllers. */
export type GroupAction = Immutable<Infer<typeof groupActionSchema>>

export const groupActionSchema = object(['controllers'], {
  controllers: { type: 'array', maxItems: groupSize, items: { type: 'integer', minimum: 1 } },
  open: { type: 'boolean' },
  /** Restarts the controller; a number says for how many seconds it is away. */
  restart: { type: ['boolean', 'number'] },
  power: { type: 'string', enum: Object.keys(powerOperations) as (keyof typeof powerOperations)[] },
  /** IPv4, for one controller: as a DHCP server gives it. */
  address: { type: 'string', maxLength: 15 },
  /** Of the controller: another one, which clients accept as the one before, or refuse. */
  certificate: { type: 'string', enum: ['renewed', 'expired', 'notYetValid', 'wrongName'] },
  /** Beside the faults that are on. */
  addFaults: object({ rules: faultRules, devices: deviceFaults }),
  /** By their names. */
  removeFaults: { type: 'array', maxItems: 64, items: { type: 'string', maxLength: 64 } }
})

/** The members of a rule that do something to a request. */
const effects = [
  ...(['delay', 'jitter', 'latency', 'status', 'expireSession', 'hangUp', 'rate', 'reboot'] as const),
  ...(['missing', 'replace', 'merge', 'remove'] as const)
] as const

/** The names of the faults of a rule: `requests.delay`, `requests.NoETag`. */
const ruleNames = (rule: FaultRule) =>
  [...effects.filter((each) => rule[each] !== undefined), ...(rule.quirks ?? [])].map((each) => `requests.${each}`)

const isOn = (value: unknown) => value !== undefined && value !== null && value !== false

const faultsOf = (devices: DeviceOptions, kind: (typeof deviceKinds)[number]) =>
  (devices[kind]?.faults ?? {}) as Readonly<Record<string, unknown>>

/** The names of the faults that are on: `power.stuckOn` for one of a device, `requests.delay` for one of requests. */
export function faultNames(rules: readonly FaultRule[], devices: DeviceOptions): string[] {
  const ofDevices = deviceKinds.flatMap((kind) =>
    Object.entries(faultsOf(devices, kind)).flatMap(([name, value]) => (isOn(value) ? [`${kind}.${name}`] : []))
  )
  return [...new Set([...ofDevices, ...rules.flatMap(ruleNames)])]
}

const isRecord = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The faults of a controller. */
export interface FaultsOn {
  readonly Rules: readonly FaultRule[]
  readonly Devices: DeviceOptions
}

/** The faults after some are removed by their names, and others are added; a rule goes with any of its names. */
export function changedFaults(
  { Rules, Devices }: FaultsOn,
  { addFaults = {}, removeFaults = [] }: Pick<GroupAction, 'addFaults' | 'removeFaults'>
): FaultsOn {
  const isRemoved = (name: string) => removeFaults.includes(name)
  const added = (addFaults.devices ?? {}) as DeviceOptions
  const devices = deviceKinds.flatMap((kind) => {
    const left = Object.entries(faultsOf(Devices, kind)).filter(([name]) => !isRemoved(`${kind}.${name}`))
    const faults = { ...Object.fromEntries(left) }
    // A fault of several parts, such as sensors that are stuck, gains those that are added.
    for (const [name, value] of Object.entries(faultsOf(added, kind)))
      faults[name] = isRecord(value) && isRecord(faults[name]) ? { ...faults[name], ...value } : value
    return Devices[kind] === undefined && added[kind] === undefined ? [] : [[kind, { faults }] as const]
  })
  return {
    Rules: [...Rules.filter((rule) => !ruleNames(rule).some(isRemoved)), ...(addFaults.rules ?? [])],
    Devices: Object.fromEntries(devices)
  }
}
