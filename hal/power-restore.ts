/** What a host is switched to when the power comes back after a loss, where another program does that. */
export interface PowerRestoreSetting {
  /** In the words of `PowerRestorePolicy` (DSP0268, ComputerSystem). */
  readonly policy: 'AlwaysOn' | 'AlwaysOff' | 'LastState'
}
