import { fail, list, type Machine, type State } from '#runtime/contract'
import { type PowerRestore, powerRestorePolicies, type System } from './records.ts'
import { systemSettings } from './system.ts'

const allowable = list({ type: 'string' })

/** How a host is switched on: a part of a system's schema (DSP0268, ComputerSystem). */
export const powerSettings = {
  PowerOnDelaySeconds: { type: 'number', minimum: 0, maximum: 240, readonly: false },
  PowerRestorePolicy: { type: 'string', enum: powerRestorePolicies, readonly: false },
  'PowerRestorePolicy@Redfish.AllowableValues': allowable
} as const

/** The policy of a host; null while it is unknown. */
export function restorePolicy(stored: Partial<PowerRestore> | undefined): PowerRestore['policy'] {
  return stored?.policy === undefined ? 'LastState' : stored.policy
}

/** {@link powerSettings}; the policy of a host that is switched on after a loss of power, once it is known. */
export function showPowerSettings(state: State, machine: Machine, system: string) {
  const { powerOnDelay } = systemSettings(state.get('system', system))
  const policy = machine.noticesPowerLoss(system) ? restorePolicy(state.get('powerRestore', system)) : null
  return {
    PowerOnDelaySeconds: powerOnDelay,
    ...(policy !== null && {
      PowerRestorePolicy: policy,
      'PowerRestorePolicy@Redfish.AllowableValues': powerRestorePolicies
    })
  } as const
}

/**
 * The settings of it that a client wants, as members of the system's record and other records.
 *
 * @throws MessageError 400 for a policy of a host that nothing switches on after a loss of power
 */
export function changePowerSettings(
  machine: Machine,
  system: string,
  { PowerOnDelaySeconds: powerOnDelay, PowerRestorePolicy: policy }: Wish
) {
  if (policy !== undefined && !machine.noticesPowerLoss(system)) {
    fail(400, 'Base.PropertyUnknown', 'PowerRestorePolicy')
  }
  return { system: { powerOnDelay }, ...(policy !== undefined && { powerRestore: { [system]: { policy } } }) }
}

interface Wish {
  readonly PowerOnDelaySeconds?: System['powerOnDelay']
  readonly PowerRestorePolicy?: (typeof powerRestorePolicies)[number]
}
