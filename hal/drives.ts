/** A drive of a host that this controller can erase itself. */
export interface Drive {
  /**
   * Overwrites all of it; what a power cut interrupted can be done again.
   *
   * @throws {HalError} `EBUSY` while the host uses it, `ENODEV`, `EIO`
   */
  erase(): Promise<void>

  close(): Promise<void>
}
