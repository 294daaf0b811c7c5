import { bootTargets, type MediaType } from '#data/board'
import { bootOverrides, bootRetries, type System, systemSettings } from '#data/system'
import { variablePath } from '#data/variables'
import { bootNext } from '#hal/uefi/variables.ts'
import { fail, type Machine, mergeArray, type State, type Writes } from '#runtime/contract'
import type { Writable } from '#runtime/schema'
import { bootOptions } from './options.ts'
import { bootOrder, mayFollow, setBootOrder } from './order.ts'
import type { bootSettings } from './schemas.ts'

/** The boot settings of a system, as `Boot` of a ComputerSystem shows them (DSP0268). */
export function showBootSettings(state: State, machine: Machine, system: string) {
  const settings = systemSettings(state.get('system', system))
  const options = bootOptions(machine, system)
  const { targets, modes } = overridesOf(machine, system)
  return {
    ...(machine.system(system).console && showRetries(state, system, settings)),
    BootOrder: bootOrder(state, machine, system, options),
    BootSourceOverrideEnabled: settings.bootOverrideEnabled,
    'BootSourceOverrideEnabled@Redfish.AllowableValues': bootOverrides,
    BootSourceOverrideMode: settings.bootOverrideMode,
    'BootSourceOverrideMode@Redfish.AllowableValues': modes,
    BootSourceOverrideTarget: settings.bootOverrideTarget,
    'BootSourceOverrideTarget@Redfish.AllowableValues': targets,
    HttpBootUri: settings.httpBootUri,
    StopBootOnFault: settings.bootStop,
    UefiTargetBootSourceOverride: settings.bootOverrideUefiTarget,
    'UefiTargetBootSourceOverride@Redfish.AllowableValues': options.map((each) => each.uefiDevicePath)
  } as const
}

/** The targets and modes that a boot override of a system can have. */
function overridesOf(machine: Machine, system: string) {
  return machine.bootOverrides(system) ?? { targets: bootTargets, modes: ['UEFI'] as const }
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
 *   one or names something twice, a device path of no option, and an override that the system cannot have
 */
export function changeBootSettings(
  state: State,
  machine: Machine,
  system: string,
  body: Writable<typeof bootSettings>
) {
  const { AutomaticRetryAttempts, AutomaticRetryConfig } = body
  const retries = Object.entries({ AutomaticRetryAttempts, AutomaticRetryConfig }).filter(
    ([, each]) => each !== undefined
  )
  const [retry] = retries
  if (retry && !machine.system(system).console) fail(400, 'Base.PropertyUnknown', retry[0])
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
  const { targets, modes } = overridesOf(machine, system)
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
    ...(retry && { bootRetry: { [system]: null } }),
    ...(Object.keys(variable).length > 0 && { variable })
  }
}

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
