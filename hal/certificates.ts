/** The certificates of this machine, which another program holds: other programs install, replace and remove them too. */
export interface Certificates {
  /** Resolves when `server` has been read, or could not be. */
  readonly settled: Promise<void>
  /**
   * PEM of HTTPS: private key, certificate and chain. Undefined if no certificate is installed, and until the file was read.
   * From memory, and unchecked.
   */
  readonly server: string | undefined
  /**
   * Puts another private key and certificate in its place. Resolves when `server` is that text.
   *
   * @throws {HalError} `ENODEV` while the program is away, `EBUSY` while it installs another, `EINVAL` for what it
   *   refuses, `EIO` if something else is there afterwards, others by its back end
   */
  replace(text: string): Promise<void>
  /**
   * The certificates of authorities, PEM, by their names; undefined until they are known. While the program is away,
   * those that it had last. Untrusted likewise.
   */
  readonly authorities: ReadonlyMap<string, string> | undefined
  /** Resolves when `authorities` has it. @throws {HalError} likewise */
  add(certificate: string): Promise<void>
  /** Resolves when `authorities` no longer has it. @throws {HalError} likewise */
  remove(name: string): Promise<void>
  /** Calls back when one of the two has changed, whoever changed it; the function returned ends that. */
  on(listener: (what: 'server' | 'authorities') => void): () => void
  close(): Promise<void>
}
