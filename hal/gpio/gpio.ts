/** GPIO lines as Linux offers them: `/dev/gpiochip<n>`. Levels are logical: a line that is active low is so when low. */
export interface Gpio {
  /** @throws {HalError} `ENODEV` when there is no chip behind `path`, `EACCES` when this process may not use it */
  describe(path: string): ChipFacts

  /**
   * An input, until it is closed. `listener` hears every edge, in order; `nanoseconds` is the kernel's monotonic time of
   * it. An error, when the line cannot be watched any more, is the last thing it hears.
   *
   * @throws {HalError} `EBUSY` when the line is in use, `EINVAL` when there is no such line or it gives no interrupts
   */
  input(line: LinePlace, listener: EdgeListener): InputLine

  /** An inactive output, until it is closed. @throws {HalError} as for `input` */
  output(line: LinePlace & { readonly openDrain: boolean }): OutputLine
}

export interface Edge {
  readonly active: boolean
  readonly nanoseconds: bigint
}

type EdgeListener = (edge: Error | Edge) => void

export interface ChipFacts {
  readonly name: string
  /** Of the hardware, as the board's device tree or the driver says. Not always unique. */
  readonly label: string
  /** By offset. A line without a name has an empty one; an unused line has an empty consumer. */
  readonly lines: readonly { readonly name: string; readonly consumer: string; readonly used: boolean }[]
}

export interface LinePlace {
  /** Of the chip's device. */
  readonly path: string
  readonly offset: number
  readonly activeLow: boolean
}

export interface InputLine {
  /** @throws {HalError} `EIO` when the chip does not say */
  active(): boolean
  close(): void
}

/** All methods throw HalError: `EIO` when the chip fails, `ENODEV` after `close`. */
export interface OutputLine {
  /**
   * Makes the line active for so many milliseconds, or until `release`. It ends in time whatever becomes of this
   * process: hung, killed, or closed.
   *
   * @returns settles when the line is inactive again
   * @throws {HalError} at once when the press did not begin; `EBUSY` while another one is under way
   */
  press(milliseconds?: number): Promise<void>

  /** The line is inactive when it returns. */
  release(): void

  /** Ends a press, too. */
  close(): void
}
