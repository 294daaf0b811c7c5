import { type Caller, MessageError, message, type Proof } from '#runtime/contract'

/** Where users and their passwords come from. A login asks its sources in order, until one says who the caller is. */
export interface UserSource {
  /**
   * The caller that a name and password make; undefined if the source has no such user, or another password.
   *
   * @throws MessageError 503 when it cannot be checked: `Unreachable` if the source does not answer
   */
  verify(user: string, password: string, address: string): Promise<Caller | undefined>
  /** The present caller for an account authenticated earlier or by certificate; undefined if it may not log in. */
  named(proof: Omit<Proof, 'user'>, address: string): Caller | undefined
  /** Another number after each change of what a caller's verified password rests on. */
  revision(account: string): number
  /** Milliseconds for which a verified password is right while the revision stays. */
  readonly verifiedFor: number
}

/** A source outside of this machine. */
export interface ExternalSource extends UserSource {
  /** Whether it is to be asked. */
  readonly isEnabled: boolean
  /** Whether it did not answer when it was asked last. */
  readonly isDown: boolean
  /** Whether it is the source of a caller's account. */
  has(account: string): boolean
}

/** A source cannot say whose a password is. */
export class Unreachable extends MessageError {
  /** @param seconds after which it may */
  constructor(seconds: number) {
    const after = String(Math.ceil(seconds))
    super(503, [message('Base.ServiceTemporarilyUnavailable', after)], { 'Retry-After': after })
  }
}
