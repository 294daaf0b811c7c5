import { table } from '#runtime/contract'

declare module '#runtime/contract' {
  interface Tables {
    /** By system id; absent until the host was seen to boot. */
    secureBoot: SecureBoot
  }
}

table('secureBoot', { survives: ['restart', 'restStateReset', 'factoryReset'] })

export interface SecureBoot {
  /** What the host booted with. */
  current: 'Enabled' | 'Disabled'
}
