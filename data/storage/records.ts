import type { BoardVolume } from '#data/board'
import { table } from '#runtime/contract'

declare module '#runtime/contract' {
  interface Tables {
    /** By `<system>/<storage>`. */
    storage: StorageSettings
  }
}

table('storage', { survives: ['restart', 'restStateReset', 'factoryReset'] })

export interface StorageSettings {
  volumes: { readonly [id: string]: BoardVolume }
  /** Percent of the controller's time that goes to rebuilding volumes. */
  rebuildRate: number
}
