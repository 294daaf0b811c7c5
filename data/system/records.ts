import type { bootTargets } from '#data/board'
import { table } from '#runtime/contract'

declare module '#runtime/contract' {
  interface Tables {
    /** By system id. */
    system: System
    /** When the operating system of a host said that it crashed: by system id; absent after its next boot. */
    crash: { time: string }
  }
}

table('system', { survives: ['restart', 'restStateReset', 'factoryReset'] })
table('crash', { survives: ['restart', 'restStateReset', 'factoryReset'], waiting: 'all' })

/** `BootSourceOverrideEnabled`: never, at the next boot, or at every boot. */
export const bootOverrides = ['Disabled', 'Once', 'Continuous'] as const

/** `TimeoutAction` of the host's watchdog timer (DSP0268), and what is done to the host. */
export const watchdogActions = {
  None: undefined,
  ResetSystem: 'forceRestart',
  PowerCycle: 'coldBoot',
  PowerDown: 'forceOff'
} as const

/** `WarningAction` of the same; a diagnostic interrupt is an NMI. */
export const watchdogWarnings = ['None', 'DiagnosticInterrupt'] as const

export interface System {
  assetTag: string
  bootOverrideEnabled: (typeof bootOverrides)[number]
  bootOverrideTarget: (typeof bootTargets)[number]
  /** The UEFI device path that `UefiTarget` means. */
  bootOverrideUefiTarget: string | null
  /** Boot option references in order. Empty: the board's order. */
  bootOrder: readonly string[]
  /** Whether the end of the host's watchdog timer has any consequence, and which. */
  watchdogEnabled: boolean
  watchdogAction: keyof typeof watchdogActions
  /** Done before that action. */
  watchdogWarning: (typeof watchdogWarnings)[number]
}
