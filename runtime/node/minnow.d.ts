/** A simulated controller in a test: `import { controller } from 'minnow'`. */

export interface Options {
  /** A board by its name, or a board file, recorded or not; default `sim`. */
  readonly board?: string
  /** The directory for its state, to continue later; without it, the state is lost when the controller closes. */
  readonly data?: string
  /** Of the administrator `admin`; without one it is generated. */
  readonly password?: string
  /** Free unless it is said. */
  readonly port?: number
  /** As in a configuration file. */
  readonly configuration?: object
  /** Faults of requests: rules as in the file of a fleet. */
  readonly faults?: readonly object[]
  /** Options of simulated devices, as in the file of a fleet. Power takes no time unless they say so. */
  readonly devices?: { readonly [device: string]: object }
}

export interface RedfishEvent {
  readonly EventId: string
  readonly MessageId: string
  readonly Message: string
  readonly MessageArgs: readonly string[]
  readonly Severity: string
  readonly EventTimestamp: string
  readonly OriginOfCondition?: { readonly '@odata.id': string }
}

export interface Controller {
  /** Of the service root: `https://127.0.0.1:PORT/redfish/v1/`. */
  readonly url: string
  readonly user: 'admin'
  readonly password: string
  /** The value of the header of this name for `user` and `password`. */
  readonly authorization: string
  /** The service's certificate, PEM: clients may trust that, or whatever they are shown. */
  readonly certificate: string
  /** All that have happened since it was opened. */
  readonly events: readonly RedfishEvent[]
  /** The first event whose `MessageId` is like this, from those that have happened already on. */
  event(like: string | RegExp): Promise<RedfishEvent>
  /**
   * Without a state, the present one. With one, switches a system there, without its operating system, and waits for
   * it.
   */
  power(state?: 'On' | 'Off', system?: string): Promise<string>
  /** Has other things go wrong with requests from now on. */
  faults(rules: readonly object[]): void
  readonly clock: {
    /** Milliseconds since 1970. */
    now(): number
    /** Lets so much time pass for the controller: what it measures, and its clock. Timers go by the machine's. */
    advance(seconds: number): void
  }
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Starts a controller that listens on 127.0.0.1, in this process. */
export function controller(options?: Options): Promise<Controller>
