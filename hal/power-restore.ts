/** The policy for a host after a loss of power, which another program carries out. */
export interface PowerRestoreSetting {
  /** In the words of `PowerRestorePolicy` (DSP0268, ComputerSystem). */
  readonly policy: 'AlwaysOn' | 'AlwaysOff' | 'LastState'
}
