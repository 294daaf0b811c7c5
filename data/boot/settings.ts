import { bootTargets, type MediaType } from '#data/board'
import { bootOverrideModes, bootOverrides, bootRetries, type System, systemSettings } from '#data/system'
import { hasVariables, variablePath } from '#data/variables'
import { bootNext } from '#hal/uefi/variables.ts'
import { fail, type Machine, mergeArray, type State, type Writes } from '#runtime/contract'
import type { Writable } from '#runtime/schema'
import { bootOptions } from './options.ts'
import { bootOrder, mayFollow, setBootOrder } from './order.ts'
import type { bootSettings } from './schemas.ts'

/** The boot settings of a system, as `Boot` of a ComputerSystem shows them (DSP0268). */
export function showBootSettings(state: State, machine: Machine, system: string) {
  const settings = systemSettings(state.get('system', system))
  return {
    ...(machine.system(system).console && showRetries(state, system, settings)),
    ...showOverride(machine, system, settings),
    StopBootOnFault: settings.bootStop,
    ...(hasVariables(machine, system) && showVariables(state, machine, system, settings))
  } as const
}

/** Whether a system has a boot override: another program holds it, or it is in the variables of its firmware. */
export function hasBootOverride(machine: Machine, system: string): boolean {
  return overridesOf(machine, system) !== undefined
}

/** The targets and modes that a boot override of a system can have, if it has one. */
function overridesOf(machine: Machine, system: string) {
  const modes = machine.system(system).legacyBoot ? bootOverrideModes : (['UEFI'] as const)
  const own = { targets: bootTargets, modes }
  return machine.bootOverrides(system) ?? (hasVariables(machine, system) ? own : undefined)
}

/** Of a system that has one. */
function showOverride(machine: Machine, system: string, settings: System) {
  const possible = overridesOf(machine, system)
  if (possible === undefined) return {}
  return {
    BootSourceOverrideEnabled: settings.bootOverrideEnabled,
    'BootSourceOverrideEnabled@Redfish.AllowableValues': bootOverrides,
    BootSourceOverrideMode: settings.bootOverrideMode,
    'BootSourceOverrideMode@Redfish.AllowableValues': possible.modes,
    BootSourceOverrideTarget: settings.bootOverrideTarget,
    'BootSourceOverrideTarget@Redfish.AllowableValues': possible.targets
  } as const
}

/** Settings that are stored in UEFI variables. */
function showVariables(state: State, machine: Machine, system: string, settings: System) {
  const options = bootOptions(machine, system)
  return {
    BootOrder: bootOrder(state, machine, system, options),
    HttpBootUri: settings.httpBootUri,
    UefiTargetBootSourceOverride: settings.bootOverrideUefiTarget,
    'UefiTargetBootSourceOverride@Redfish.AllowableValues': [...new Set(options.map((each) => each.uefiDevicePath))]
  } as const
}

/** Of a host whose boots are followed. */
function showRetries(state: State, system: string, { bootRetry, bootRetryAttempts }: System) {
  return {
    AutomaticRetryAttempts: bootRetryAttempts,
    AutomaticRetryConfig: bootRetry,
    'AutomaticRetryConfig@Redfish.AllowableValues': bootRetries,
    RemainingAutomaticRetryAttempts: state.get('bootRetry', system)?.left ?? bootRetryAttempts
  } as const
}

/**
 * The changes of a system's record and variables that a PATCH of `Boot` asks for.
 *
 * @throws MessageError 400 for an order of something else than boot options, one that leaves out what is in the present
 *   one or names something twice, a device path of no option, an override that the system cannot have, and what it does
 *   not have
 */
export function changeBootSettings(
  state: State,
  machine: Machine,
  system: string,
  body: Writable<typeof bootSettings>
) {
  const { AutomaticRetryAttempts, AutomaticRetryConfig } = body
  const retry = body.AutomaticRetryAttempts ?? body.AutomaticRetryConfig
  checkPresent(machine, system, body)
  const options = bootOptions(machine, system)
  const before = systemSettings(state.get('system', system))
  const { BootOrder, BootSourceOverrideEnabled, BootSourceOverrideTarget, UefiTargetBootSourceOverride: path } = body
  const present = bootOrder(state, machine, system, options)
  const order = BootOrder && mergeArray(present, BootOrder)
  const unknown = order?.find((each) => !options.some(({ reference }) => reference === each))
  if (unknown !== undefined) fail(400, 'Base.PropertyValueNotInList', unknown, 'BootOrder')
  if (order && !mayFollow(order, present)) fail(400, 'Base.PropertyValueIncorrect', 'BootOrder', order.join(', '))
  if (path != null && !options.some((each) => each.uefiDevicePath === path)) {
    fail(400, 'Base.PropertyValueNotInList', path, 'UefiTargetBootSourceOverride')
  }
  const { targets = [], modes = [] } = overridesOf(machine, system) ?? {}
  const { BootSourceOverrideMode } = body
  const allowed = {
    BootSourceOverrideTarget: targets,
    BootSourceOverrideMode: modes,
    BootSourceOverrideEnabled: bootOverrides
  }
  for (const [name, values] of Object.entries(allowed)) {
    const value = body[name as keyof typeof allowed]
    const isAllowed = value === undefined || values.some((each) => each === value)
    if (!isAllowed) fail(400, 'Base.PropertyValueNotInList', String(value), name)
  }
  const target = BootSourceOverrideTarget ?? before.bootOverrideTarget
  if (target === 'UefiTarget' && (path === undefined ? before.bootOverrideUefiTarget : path) === null) {
    fail(400, 'Base.PropertyValueConflict', 'BootSourceOverrideTarget', 'UefiTargetBootSourceOverride')
  }
  const variable = {
    ...(order && setBootOrder(state, machine, system, order).variable),
    ...(BootSourceOverrideEnabled === 'Disabled' && withoutBootNext(machine, system))
  }
  return {
    system: {
      bootRetry: AutomaticRetryConfig,
      bootRetryAttempts: AutomaticRetryAttempts,
      bootOrder: order,
      bootOverrideEnabled: BootSourceOverrideEnabled,
      bootOverrideTarget: BootSourceOverrideTarget,
      bootOverrideMode: BootSourceOverrideMode,
      bootOverrideUefiTarget: path,
      bootStop: body.StopBootOnFault,
      httpBootUri: body.HttpBootUri
    },
    ...(retry !== undefined && { bootRetry: { [system]: null } }),
    ...(Object.keys(variable).length > 0 && { variable })
  }
}

/** @throws MessageError 400 for a setting that the system does not have */
function checkPresent(machine: Machine, system: string, body: Writable<typeof bootSettings>): void {
  const absent = [
    ...(machine.system(system).console ? [] : (['AutomaticRetryAttempts', 'AutomaticRetryConfig'] as const)),
    ...(hasBootOverride(machine, system) ? [] : overrideNames),
    ...(hasVariables(machine, system) ? [] : variableNames)
  ]
  const unknown = absent.find((name) => body[name] !== undefined)
  if (unknown !== undefined) fail(400, 'Base.PropertyUnknown', unknown)
}

const overrideNames = ['BootSourceOverrideEnabled', 'BootSourceOverrideMode', 'BootSourceOverrideTarget'] as const
const variableNames = ['BootOrder', 'HttpBootUri', 'UefiTargetBootSourceOverride'] as const

/** An override that firmware has not used yet is in the store, and would take effect at a later boot. */
function withoutBootNext(machine: Machine, system: string) {
  const { name, guid, attributes } = bootNext
  if (machine.variable(system, name, guid) === undefined) return undefined
  return { [variablePath(system, guid, name)]: { attributes, data: null } }
}

/** The target that a drive with these media is. */
function targetOf(types: readonly MediaType[]) {
  return types.some((each) => each === 'CD' || each === 'DVD') ? 'Cd' : 'Usb'
}

/** Whether a system boots from a virtual drive next, and only then. */
export function bootsFromDrive(state: State, system: string, types: readonly MediaType[]): boolean {
  const { bootOverrideEnabled, bootOverrideTarget } = systemSettings(state.get('system', system))
  return bootOverrideEnabled === 'Once' && bootOverrideTarget === targetOf(types)
}

/** Has a system boot from a virtual drive next, or no longer; an override with another target stays. */
export function bootFromDrive(state: State, system: string, types: readonly MediaType[], next: boolean): Writes {
  if (next) return { system: { [system]: { bootOverrideEnabled: 'Once', bootOverrideTarget: targetOf(types) } } }
  return bootsFromDrive(state, system, types)
    ? { system: { [system]: { bootOverrideEnabled: 'Disabled', bootOverrideTarget: 'None' } } }
    : {}
}
