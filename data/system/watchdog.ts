import { status } from '#data/resource'
import { fail, type Machine, object, type State } from '#runtime/contract'
import type { Writable } from '#runtime/schema'
import { type HostWatchdog, watchdogActions, watchdogWarnings } from './records.ts'

/**
 * The host's watchdog timer (DSP0268, ComputerSystem.WatchdogTimer). One that this service acts for has one end, and says
 * nothing before: the warning comes then, and the action some seconds later.
 */
export const hostWatchdogTimer = object(['FunctionEnabled', 'TimeoutAction'], {
  FunctionEnabled: { type: 'boolean', nullable: true, readonly: false },
  TimeoutAction: {
    type: 'string',
    enum: Object.keys(watchdogActions) as readonly (keyof typeof watchdogActions)[],
    nullable: true,
    readonly: false
  },
  WarningAction: { type: 'string', enum: watchdogWarnings, nullable: true, readonly: false },
  Status: status
})

const defaults: HostWatchdog = { enabled: false, action: 'ResetSystem', warning: 'None' }

/** The settings of a timer; members that no client set have their defaults. */
export function watchdogSettings(stored: Partial<HostWatchdog> | undefined): HostWatchdog {
  return { ...defaults, ...stored }
}

/** The timer of a host that has one; not one of which nothing is known. */
export function showWatchdog(state: State, machine: Machine, system: string) {
  const { enabled, action, warning } = watchdogSettings(state.get('hostWatchdog', system))
  const watchdog = machine.watchdog(system)
  if (watchdog === undefined || enabled === null) return {}
  return {
    HostWatchdogTimer: {
      FunctionEnabled: enabled,
      TimeoutAction: action,
      ...(watchdog.warns && { WarningAction: warning }),
      Status: { State: enabled ? 'Enabled' : 'Disabled' }
    }
  } as const
}

/**
 * The records with the settings of it that a client wants.
 *
 * @throws MessageError 400 if the host has none, or nothing can be done before its action
 */
export function changeWatchdog(machine: Machine, system: string, wish: Writable<typeof hostWatchdogTimer> | undefined) {
  if (wish === undefined) return {}
  const watchdog = machine.watchdog(system)
  if (watchdog === undefined) fail(400, 'Base.PropertyUnknown', 'HostWatchdogTimer')
  if (wish.WarningAction != null && !watchdog.warns) fail(400, 'Base.PropertyUnknown', 'WarningAction')
  const settings = {
    enabled: wish.FunctionEnabled ?? undefined,
    action: wish.TimeoutAction ?? undefined,
    warning: wish.WarningAction ?? undefined
  }
  return { hostWatchdog: { [system]: settings } }
}
