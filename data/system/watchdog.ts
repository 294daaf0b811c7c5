import { status } from '#data/resource'
import { fail, type Machine, object, type State } from '#runtime/contract'
import type { Writable } from '#runtime/schema'
import { type System, watchdogActions, watchdogWarnings } from './records.ts'
import { systemSettings } from './system.ts'

/**
 * The host's watchdog timer (DSP0268, ComputerSystem.WatchdogTimer). It has one end, and says nothing before: the warning
 * comes then, and the action some seconds later.
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

/** The timer of a host that has one. */
export function showWatchdog(state: State, machine: Machine, system: string) {
  if (!machine.hasWatchdog(system)) return {}
  const { watchdogEnabled, watchdogAction, watchdogWarning } = systemSettings(state.get('system', system))
  return {
    HostWatchdogTimer: {
      FunctionEnabled: watchdogEnabled,
      TimeoutAction: watchdogAction,
      WarningAction: watchdogWarning,
      Status: { State: watchdogEnabled ? 'Enabled' : 'Disabled' }
    }
  } as const
}

/**
 * The settings of it that a client wants.
 *
 * @throws MessageError 400 if the host has none
 */
export function changeWatchdog(
  machine: Machine,
  system: string,
  wish: Writable<typeof hostWatchdogTimer> | undefined
): { readonly [K in keyof System]?: System[K] | undefined } {
  if (wish === undefined) return {}
  if (!machine.hasWatchdog(system)) fail(400, 'Base.PropertyUnknown', 'HostWatchdogTimer')
  return {
    watchdogEnabled: wish.FunctionEnabled ?? undefined,
    watchdogAction: wish.TimeoutAction ?? undefined,
    watchdogWarning: wish.WarningAction ?? undefined
  }
}
