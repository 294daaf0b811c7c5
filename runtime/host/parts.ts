import type { Board } from '#data/board'
import type { Configuration } from '#data/configuration'
import type { Certs } from '#hal/certs.ts'
import type { HandlerEntry } from '#runtime/request/routes.ts'
import type { Backends } from '#runtime/service/machine/devices.ts'
import type { Documents } from '#runtime/store/documents.ts'

/** The parts that differ between Node.js and the binary. */
export interface Host {
  readonly documents: Documents
  readonly backends: Backends
  /** Opens the place of the service's keys and certificates. */
  readonly openCerts: (directory: string) => Certs
  readonly handlers: readonly HandlerEntry[]
  /** Of the build. */
  readonly version: string
  /**
   * Gives up, for good, what this process may do to the system and the service never does.
   *
   * @param programs whether the service starts other programs
   * @returns why it cannot be done here
   */
  readonly confine?: (programs: boolean) => string | undefined
}

/** The parts that a service is opened from. */
export interface ServiceParts extends Host {
  readonly configuration: Configuration
  readonly board: Board
  readonly adminPassword?: string | undefined
  /** The clock: milliseconds since 1970. */
  readonly now: () => number
}
