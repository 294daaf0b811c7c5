import type { PowerState } from '#hal/power.ts'
import type { bootOverrideModes, System } from './records.ts'

/** `ComputerSystem.Reset` (DSP0268, Resource.ResetType), as far as a server has them. */
export const resetTypes = [
  'On',
  'ForceOff',
  'GracefulShutdown',
  'ForceRestart',
  'Nmi',
  'PushPowerButton',
  'GracefulRestart'
] as const

/** `PostState` of the vendor. */
export const postStates = ['PowerOff', 'InPost', 'FinishedPost'] as const

const reached = { On: 'FinishedPost', PoweringOn: 'InPost', PoweringOff: 'FinishedPost', Off: 'PowerOff' } as const

/** How far the firmware has come, by the state of power. */
export function postState(power: PowerState): (typeof postStates)[number] {
  return reached[power]
}

/** `LastState` of `BootProgress` (DSP0268), as far as it is seen. */
export const bootProgress = [
  'None',
  'PrimaryProcessorInitializationStarted',
  'SystemHardwareInitializationComplete',
  'SetupEntered',
  'OSBootStarted'
] as const

export type BootProgress = (typeof bootProgress)[number]

declare module '#runtime/contract' {
  interface Machine {
    /** The possible boot overrides of a host, if another program holds the override; undefined if Minnow does. */
    bootOverrides(
      system: string
    ):
      | { readonly targets: readonly string[]; readonly modes: readonly (typeof bootOverrideModes)[number][] }
      | undefined
    /** How far a host has come in its boot; undefined if unknown. */
    bootProgress(system: string): BootProgress | undefined
    /** Whether a host is switched on after its supply had failed, by Minnow or by another program. */
    noticesPowerLoss(system: string): boolean
    /** Whether the serial line of a host can be held in a break. */
    hasBreak(system: string): boolean
    /** The watchdog timer of a host, if it has one: whether something can be done before its action. */
    watchdog(system: string): { readonly warns: boolean } | undefined
  }
}

/** `PushType` of the vendor's PowerButton. */
export const pushTypes = ['Press', 'PressAndHold'] as const

/** `ResetType` of the vendor's SystemReset. */
export const systemResetTypes = ['ColdBoot', 'AuxCycle'] as const

const defaults: System = {
  bootOverrideEnabled: 'Disabled',
  bootOverrideTarget: 'None',
  bootOverrideMode: 'UEFI',
  bootOverrideUefiTarget: null,
  httpBootUri: null,
  bootOrder: [],
  bootRetry: 'Disabled',
  bootRetryAttempts: 3,
  bootStop: 'Never',
  powerOnDelay: 0
}

/** The settings of a system; members that no client set have their defaults. */
export function systemSettings(stored: Partial<System> | undefined): System {
  return { ...defaults, ...stored }
}
