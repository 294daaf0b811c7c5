import type { SharedState } from './shared-state.ts'

/** The settings of a watchdog timer, in the terms of `HostWatchdogTimer` of a ComputerSystem (DSP0268). */
export interface WatchdogSettings {
  /** Whether it runs: it ends that itself when it expires. */
  readonly enabled: boolean
  /** Done to the host when it expires. */
  readonly action: 'None' | 'ResetSystem' | 'PowerCycle' | 'PowerDown'
}

/** The watchdog timer of a host, which another program runs: that program acts when it expires. */
export interface Watchdog extends SharedState<WatchdogSettings> {
  close(): Promise<void>
}
