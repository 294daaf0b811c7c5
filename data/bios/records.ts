import { table } from '#runtime/contract'
import type { Values } from './registry.ts'
import type { TransferMessage } from './transfer.ts'
import type { biosPasswords } from './values.ts'

declare module '#runtime/contract' {
  interface Commands {
    /** Has another program take a password of a system's BIOS; both are sealed. */
    changeBiosPassword: {
      readonly system: string
      readonly whose: (typeof biosPasswords)[number]
      readonly present: string
      readonly next: string
    }
  }
  interface Tables {
    /** The values that the BIOS runs with: by system id. */
    biosCurrent: BiosCurrent
    /** By system id: values for the next start of the host, while they are pending. */
    biosPending: BiosPending
  }
}

table('biosCurrent', { survives: ['restart', 'restStateReset', 'factoryReset'] })
table('biosPending', { survives: ['restart', 'factoryReset'] })

export interface BiosCurrent {
  attributes: Values
  /** The salted, slow hashes of the passwords that are set, by `Administrator` and `User`. */
  passwords: { readonly [name: string]: string }
  /** Whether another program has them instead, and takes others. */
  takesPasswords?: boolean
  /**
   * When the last transfer ran; before the first one, when the values were made. ISO 8601. Undefined while that is not
   * known of a firmware that takes its settings itself.
   */
  transferredAt: string | undefined
  /** The messages of the last transfer, which begin with `Success`; empty before the first one. */
  messages: readonly TransferMessage[]
}

export interface BiosPending {
  /** Only what differs from the current values. */
  attributes: Values
  /** True when the defaults are restored first. */
  reset: boolean
  /** Hashes of passwords to set; empty if one is to go. */
  passwords: { readonly [name: string]: string }
}
