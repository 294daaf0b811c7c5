import { table } from '#runtime/contract'

declare module '#runtime/contract' {
  interface Tables {
    /** By system id; absent until the host was seen to boot. */
    secureBoot: SecureBoot
  }
}

table('secureBoot', { survives: ['restart', 'restStateReset', 'factoryReset'] })

export interface SecureBoot {
  /** The state of secure boot at the last boot of the host. */
  current: 'Enabled' | 'Disabled'
}
