export const indicatorStates = ['Off', 'Lit', 'Blinking'] as const

export type IndicatorState = (typeof indicatorStates)[number]

/** One lamp that a person standing before the machine looks for. */
export interface Indicator {
  /** The state of the lamp. From memory: cheap, never fails. */
  readonly state: IndicatorState

  /**
   * Resolves when the hardware accepted the state.
   *
   * @throws {HalError} `EIO`, `EACCES` or `EBUSY` when the lamp cannot be driven, `ETIMEDOUT` when its controller does
   *   not answer, `ENODEV` after `close`. The lamp then shows what it showed before.
   */
  set(state: IndicatorState): Promise<void>

  /** Calls `listener` when what the lamp shows has changed, whoever changed it; the function returned ends that. */
  on(listener: (state: IndicatorState) => void): () => void

  /** Lets go of the hardware and of all listeners. The lamp stays as it is. */
  close(): Promise<void>
}
