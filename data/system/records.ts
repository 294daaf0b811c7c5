import type { bootTargets } from '#data/board'
import { table } from '#runtime/contract'

declare module '#runtime/contract' {
  interface Tables {
    /** By system id. */
    system: System
    /** By system id; absent: LastState. */
    powerRestore: PowerRestore
    /** Whether a host is to be on, where `PowerRestorePolicy` is LastState: by system id; absent: it is not. */
    hostPower: { on: boolean }
    /** The attempts to boot that are left after some that failed: by system id; absent: all. */
    bootRetry: { left: number }
    /** By system id. */
    hostWatchdog: HostWatchdog
  }

  interface Commands {
    /** Of the serial line of a system. */
    sendBreak: { readonly system: string }
  }
}

table('system', { survives: ['restart', 'restStateReset', 'factoryReset'] })
table('powerRestore', { survives: ['restart', 'restStateReset', 'factoryReset'] })
table('hostPower', { survives: ['restart', 'restStateReset', 'factoryReset'], waiting: 'all' })
table('bootRetry', { survives: ['restart', 'restStateReset', 'factoryReset'], waiting: 'all' })
table('hostWatchdog', { survives: ['restart', 'restStateReset', 'factoryReset'] })

/** `BootSourceOverrideEnabled`: never, at the next boot, or at every boot. */
export const bootOverrides = ['Disabled', 'Once', 'Continuous'] as const

/** `BootSourceOverrideMode` (DSP0268). */
export const bootOverrideModes = ['UEFI', 'Legacy'] as const

/** `PowerRestorePolicy` (DSP0268): what a host is switched to when the power comes back after a loss. */
export const powerRestorePolicies = ['AlwaysOn', 'AlwaysOff', 'LastState'] as const

/** `AutomaticRetryConfig` (DSP0268): whether a boot that failed is tried again. */
export const bootRetries = ['Disabled', 'RetryAttempts', 'RetryAlways'] as const

/** `StopBootOnFault` (DSP0268): whether a host does not boot while it has a critical condition. */
export const bootStops = ['Never', 'AnyFault'] as const

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
  /** Until a client sets one, that of the board. */
  assetTag?: string
  /** Null, as the two that follow, while the program that holds the override is away. */
  bootOverrideEnabled: (typeof bootOverrides)[number] | null
  bootOverrideTarget: (typeof bootTargets)[number] | null
  bootOverrideMode: (typeof bootOverrideModes)[number] | null
  /** The UEFI device path that `UefiTarget` means. */
  bootOverrideUefiTarget: string | null
  /** The URI that `UefiHttp` boots; null: the one that the network names. */
  httpBootUri: string | null
  /**
   * Boot option references in the order that a client last asked for. Empty: the board's order. Used only while there is no
   * variable `BootOrder`: see `bootOrder` of `#data/boot`.
   */
  bootOrder: readonly string[]
  bootRetry: (typeof bootRetries)[number]
  bootRetryAttempts: number
  bootStop: (typeof bootStops)[number]
  /** Seconds before the host boots when it is switched on. */
  powerOnDelay: number
}

export interface PowerRestore {
  /** Null while the program that switches the host on is away. */
  policy: (typeof powerRestorePolicies)[number] | null
}

export interface HostWatchdog {
  /** Whether the end of the timer has any consequence, and which. Null while the program that runs the timer is away. */
  enabled: boolean | null
  action: keyof typeof watchdogActions | null
  /** Done before that action. */
  warning: (typeof watchdogWarnings)[number]
}
