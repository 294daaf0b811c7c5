/**
 * The texts that are kept, by name: `server`, the private key of the service with its certificate and chain; `request`,
 * the private key of a signing request with the request; `damaged`, what was under `server` and is of no use. PEM
 * (RFC 7468), the key first.
 */
export const certNames = ['server', 'request', 'damaged'] as const

export type CertName = (typeof certNames)[number]

/**
 * The place of the service's private keys and certificates. A key and its certificate are one text, so that no failure
 * and no power cut leaves a key beside the certificate of another.
 */
export interface Certs {
  /** The text under a name; empty if the medium lost it. From memory: cheap, never fails. */
  get(name: CertName): string | undefined

  /** The path of that text, for messages. */
  where(name: CertName): string

  /**
   * Resolves when the text is kept and survives a power cut.
   *
   * @throws {HalError} `EACCES` or `EROFS` when it cannot be written, `ENOSPC` when there is no room, `ENODEV` after
   *   `close` or when the place is gone, `EIO` for anything else. Either what was kept before or the new text is kept
   *   then, never a mix, and `get` tells which.
   */
  set(name: CertName, text: string): Promise<void>

  /** Resolves when nothing is kept under a name any more. @throws {HalError} as `set` does */
  delete(name: CertName): Promise<void>

  /** Calls `listener` when what is kept under a name has changed; the function returned ends that. */
  on(listener: (name: CertName) => void): () => void

  /** Lets go of the place and of all listeners. */
  close(): Promise<void>
}
