/** Bits of a variable's attributes (UEFI 2.10, 8.2.1). `append` is of SetVariable only and is never stored. */
export const attribute = {
  nonVolatile: 0x01,
  bootService: 0x02,
  /** Also to be seen by the operating system. */
  runtime: 0x04,
  hardwareError: 0x08,
  /** Deprecated. */
  countBased: 0x10,
  /** Firmware takes changes only when they are signed, and newer. */
  timeBased: 0x20,
  enhanced: 0x80
} as const
