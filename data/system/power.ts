import { fail, list, type Machine, type State } from '#runtime/contract'
import { powerRestorePolicies, type System } from './records.ts'
import { systemSettings } from './system.ts'

const allowable = list({ type: 'string' })

/** How a host is switched on: a part of a system's schema (DSP0268, ComputerSystem). */
export const powerSettings = {
  PowerOnDelaySeconds: { type: 'number', minimum: 0, maximum: 240, readonly: false },
  PowerRestorePolicy: { type: 'string', enum: powerRestorePolicies, readonly: false },
  'PowerRestorePolicy@Redfish.AllowableValues': allowable
} as const

/** {@link powerSettings}; the policy of a host whose supply tells when it has failed. */
export function showPowerSettings(state: State, machine: Machine, system: string) {
  const { powerOnDelay, powerRestorePolicy } = systemSettings(state.get('system', system))
  return {
    PowerOnDelaySeconds: powerOnDelay,
    ...(machine.noticesPowerLoss(system) && {
      PowerRestorePolicy: powerRestorePolicy,
      'PowerRestorePolicy@Redfish.AllowableValues': powerRestorePolicies
    })
  } as const
}

/**
 * The settings of it that a client wants.
 *
 * @throws MessageError 400 for a policy of a host whose supply tells nothing
 */
export function changePowerSettings(
  machine: Machine,
  system: string,
  { PowerOnDelaySeconds: powerOnDelay, PowerRestorePolicy: powerRestorePolicy }: Wish
): { readonly [K in keyof System]?: System[K] | undefined } {
  if (powerRestorePolicy !== undefined && !machine.noticesPowerLoss(system)) {
    fail(400, 'Base.PropertyUnknown', 'PowerRestorePolicy')
  }
  return { powerOnDelay, powerRestorePolicy }
}

interface Wish {
  readonly PowerOnDelaySeconds?: number
  readonly PowerRestorePolicy?: System['powerRestorePolicy']
}
