import type { BoardVolume } from '#data/board'
import { table } from '#runtime/contract'

declare module '#runtime/contract' {
  interface Tables {
    /** By `<system>/<storage>`. */
    storage: StorageSettings
    /** By `<system>/<storage>/<drive>`. */
    drive: { locating: boolean }
  }
}

table('storage', { survives: ['restart', 'restStateReset', 'factoryReset'] })
table('drive', { survives: ['restart', 'restStateReset'] })

/** A volume that holds less than its drives could says how many bytes. */
export type Volume = BoardVolume & { readonly capacityBytes?: number }

export interface StorageSettings {
  volumes: { readonly [id: string]: Volume }
  /** Percent of the controller's time that goes to rebuilding volumes. */
  rebuildRate: number
}
