import type { Caller, Proof } from '#runtime/contract'

/** Where users and their passwords come from. A login asks its sources in order, until one says who the caller is. */
export interface UserSource {
  /**
   * The caller that a name and password make; undefined if the source has no such user, or another password.
   *
   * @throws MessageError 503 when it cannot be checked
   */
  verify(user: string, password: string, address: string): Promise<Caller | undefined>
  /** The caller that a user is who was known by other means than a password, as things are now; undefined if nobody is. */
  named(proof: Omit<Proof, 'user'>, address: string): Caller | undefined
  /** Another number after each change of what a caller's verified password rests on. */
  revision(account: string): number
  /** Milliseconds for which a verified password is right while the revision stays. */
  readonly verifiedFor: number
}
