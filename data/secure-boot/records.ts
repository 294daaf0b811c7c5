import type { SecureBootMode } from '#hal/uefi/variables.ts'
import { table } from '#runtime/contract'

declare module '#runtime/contract' {
  interface Tables {
    /** By system id; absent until the host was seen to boot, or its firmware has told. */
    secureBoot: SecureBoot
  }
}

table('secureBoot', { survives: ['restart', 'restStateReset', 'factoryReset'] })

export interface SecureBoot {
  /** The state of secure boot at the last boot of the host; null if its firmware has not told. */
  current: 'Enabled' | 'Disabled' | null
  /**
   * Whether it is wanted from the next boot on, and its mode, of a host whose variables the controller does not reach: its
   * firmware tells them. Null until it has told them.
   */
  enabled?: boolean | null
  mode?: SecureBootMode | null
}
