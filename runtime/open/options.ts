import type { Board, Individual, MachineNumbers } from '#data/board'
import type { Configuration } from '#data/configuration'
import type { Certificates } from '#hal/certificates.ts'
import type { Certs } from '#hal/certs.ts'
import type { Clock } from '#hal/clock.ts'
import type { Keeper } from '#hal/memory.ts'
import type { Keep } from '#runtime/base/opening.ts'
import type { Writes } from '#runtime/contract'
import type { HandlerEntry, Routes } from '#runtime/request/routes.ts'
import type { Identity } from '#runtime/service/certificates/identity.ts'
import type { Semaphore } from '#runtime/service/events/semaphore.ts'
import type { Backends } from '#runtime/service/machine/devices.ts'
import type { Documents } from '#runtime/store/documents.ts'
import type { Secrets } from '#runtime/store/secrets.ts'
import type { Store } from '#runtime/store/store.ts'

/** The parts that differ between Node.js and the binary. */
export interface Host {
  readonly documents: Documents
  /**
   * Loads the back ends of devices.
   *
   * @param names whether those of a type are asked for: by default all
   */
  readonly loadBackends: (names?: (type: string) => boolean) => Promise<Backends>
  /** Opens the place of the service's keys and certificates. */
  readonly openCerts: (directory: string) => Certs
  readonly handlers: readonly HandlerEntry[]
  /** Of the build. */
  readonly version: string
  /** `minnow fleet …`, loaded when it is called; undefined if the build left it out. */
  readonly fleet?: () => Promise<FleetCommand | undefined>
  /**
   * Lifts the bound of the heap, where the host has one: many controllers, and large recordings, need more than one.
   */
  readonly unlimitHeap?: () => void
  /** Services that were recorded, to be served again; loaded likewise. */
  readonly recordings?: () => Promise<Recordings | undefined>
  /**
   * Gives up, for good, what this process may do to the system and the service never does.
   *
   * @param programs whether the service starts other programs
   * @returns why it cannot be done here
   */
  readonly confine?: (programs: boolean) => string | undefined
}

export type FleetCommand = (args: readonly string[], host: Host) => Promise<void>

export interface Recordings {
  /** `minnow record …` */
  record(args: readonly string[], host: Host): Promise<void>
  /** `minnow check RECORDING --against SOURCE` @param options what follows the recording */
  check(file: string, options: readonly string[], host: Host): Promise<void>
  /** @param file a board file with `resources` @throws Error with what is wrong with these */
  read(file: object, host: Pick<Host, 'documents' | 'handlers'>): BoardFile
  /** The board file of a machine without systems. @param resources by their paths @param pattern a board whose devices it takes */
  equipment(name: string, resources: object, pattern: Board): object
}

/** A machine, as a file describes it. */
export interface BoardFile {
  readonly board: Board
  /** With what was recorded of it. */
  readonly documents: Documents
  readonly recorded?: Recorded | undefined
}

/** The routes and the first state of a service that was recorded. */
interface Recorded {
  /** The source of its resources. @param longest the maximum characters of an identifier */
  routes(longest: number): Routes
  /** The state that it was in. @param individual of one of many machines @param time now, ISO 8601 */
  initial(individual: Individual | undefined, time: string): Writes
  /** The MAC addresses in it, and longer names by IEEE, as hex digits: see `Individual` of `#data/board`. */
  addresses(): readonly string[]
  /** The numbers of the whole machine in it. */
  numbers(): MachineNumbers
}

interface OpenIdentity {
  readonly certs: Certs
  readonly identity: Identity
}

/** Where a service keeps what outlives it. */
export interface Place {
  openStore(): Promise<Store>
  /** @param isExpected whether there was one before, so that a missing one is a loss */
  openSecrets(isExpected: boolean): Secrets
  /**
   * The service's key and certificate.
   *
   * @param keep takes note of what is open, also when the rest fails
   * @param machine has those of HTTPS, where another program holds them
   */
  openIdentity(secrets: Secrets, isExpected: boolean, keep: Keep, machine?: Certificates): Promise<OpenIdentity>
  /** Keeps the states of simulated devices; without one they are files in the data directory. */
  readonly keeper?: Keeper
  /** The supply of the whole machine failed since the service was closed. */
  readonly supplyFailed?: boolean
  /** The service was open before and goes on as if it had been all the time: its controller has not started anew. */
  readonly resumed?: boolean
}

/** The parts that a service is opened from. */
export interface ServiceOptions extends Omit<Host, 'loadBackends'>, BoardFile {
  readonly configuration: Configuration
  /** Those that the board names are among them. */
  readonly backends: Backends
  readonly adminPassword?: string | undefined
  /** The stored form of this password, where many services have it in common. */
  readonly adminHash?: string
  /** See `fingerprint` in `protocol.ts`; by default of this very board and configuration. */
  readonly fingerprint?: string
  readonly clock: Clock
  /** Bounds notifications on their way, where other services share the bound. */
  readonly semaphore?: Semaphore
  /** The directory for its state; by default the data directory of its configuration. */
  readonly place?: Place
}

/** The parts with a place, as its openers get them. */
export interface PlacedOptions extends ServiceOptions {
  readonly place: Place
}
