import type { HostNames } from './ports.ts'
import type { SharedState } from './shared-state.ts'

/** How a machine gets to know the time. */
export interface TimeSettings {
  /** Whether time servers set the clock, which cannot be set otherwise then. */
  readonly ntp: boolean
  /** Their names and addresses: those that are set, and not those of DHCP. */
  readonly timeServers: readonly string[]
}

/** The settings that the network ports of a machine share, and its clock. Other programs hold and change them too. */
export interface Network {
  /** Known as it was last while the program that holds it is away, as are the `times`. */
  readonly names: SharedState<HostNames>
  readonly times: SharedState<TimeSettings>
  /**
   * Sets the clock of the machine. Settles when that is done.
   *
   * @param time milliseconds since 1970
   * @throws {HalError} `ENODEV` while the program that sets it is away, others by its back end
   */
  setClock(time: number): Promise<void>
  close(): Promise<void>
}
