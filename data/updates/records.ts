import { type Proof, table } from '#runtime/contract'
import type { ApplyTime, MaintenanceWindow, WindowSettings } from './apply-time.ts'
import type { Component } from './components.ts'
import type { Manifest } from './manifest.ts'

declare module '#runtime/contract' {
  interface Tables {
    /** An update that has not ended: by the id of its task. */
    update: Update
    /** By component: the oldest version that it takes, as the newest of its images said. */
    minimumVersion: { version: string }
    /** One record, `settings`. */
    updateService: UpdateSettings
  }
}

table('update', { survives: ['restart', 'restStateReset'] })
table('minimumVersion', { survives: ['restart', 'restStateReset', 'factoryReset'] })
table('updateService', { survives: ['restart'] })

/**
 * How far an update is: its file is fetched; it waits to be written, a BIOS for its time; it is written; the controller's
 * waits for its time; the component waits for its reset.
 */
type UpdateStage = 'Fetching' | 'Waiting' | 'Writing' | 'Written' | 'Resetting'

/** Who asked for an update, and where. It rests on the account and on a certificate, not on the session. */
export interface Author extends Omit<Proof, 'session'> {
  readonly uri: string
}

export interface Update {
  stage: UpdateStage
  /** Until it is written it waits for as long as its author may ask for it. */
  author: Author
  /** The URI of the file: see `parseDestination`. Absent if a client sent the file. */
  source?: string
  /** The components that it may be for, by their ids; empty: whichever fits. */
  targets: readonly string[]
  /** The kinds of components that the client may update. */
  allowed: readonly Component['kind'][]
  applyTime: ApplyTime
  /** Of a BIOS: whether the variables of its host are made anew once it is written. Otherwise they stay as they are. */
  resetVariables?: boolean
  /** Present where the apply time is in one. */
  window?: MaintenanceWindow
  /** Known once the file is here: what it is for, by id, and what it holds. */
  component?: string
  manifest?: Manifest
  /** Of the controller, once it is written: the slot that has it, by its place. */
  slot?: number
  /** Of the kernel, when the controller was to be reset: one that is to come has another. Absent if it has none. */
  bootId?: string
}

export interface UpdateSettings {
  /** Of files that come without parameters. */
  applyTime: ApplyTime
  targets: readonly string[]
  window: WindowSettings
  /** Whether the certificate of a server of update files must be of an authority that the service trusts. */
  verifyCertificate: boolean
}

const unset: UpdateSettings = {
  applyTime: 'Immediate',
  targets: [],
  window: { start: null, seconds: null },
  verifyCertificate: false
}

/** The settings: what clients set, else as the service begins. */
export function updateSettings(stored: Partial<UpdateSettings> | undefined): UpdateSettings {
  return { ...unset, ...stored }
}
