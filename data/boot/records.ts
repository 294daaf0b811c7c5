import { table } from '#runtime/contract'

declare module '#runtime/contract' {
  interface Tables {
    /** By system id: work for the next start of the host, other than its settings, while it is pending. */
    hostPending: HostPending
    /** The mode of the last start of the host: by system id; absent until a start was not normal. */
    boot: { mode: BootMode }
  }
}

table('hostPending', { survives: ['restart', 'restStateReset', 'factoryReset'] })
table('boot', { survives: ['restart', 'restStateReset', 'factoryReset'] })

/** The mode of a start of the host. */
export const bootModes = ['Normal', 'SafeMode', 'IntelligentDiagnostics'] as const

type BootMode = (typeof bootModes)[number]

/**
 * The variables that a reset of the firmware's variables deletes: none, all but the secure boot keys, or the keys as
 * well.
 */
const clearings = ['None', 'AllButKeys', 'All'] as const

export interface HostPending {
  mode: BootMode
  /** Whether firmware and operating system are to be recovered. */
  recovery: boolean
  clearing: (typeof clearings)[number]
}
