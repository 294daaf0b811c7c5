import { utf8 } from '#runtime/base/bytes.ts'
import { HalError } from '../errors.ts'
import { ask } from './helper.ts'

/** Milliseconds for an answer: PAM waits after a wrong password, and directories are slow. */
const patience = 30_000

/** The bytes of a request and of an answer, at most: see `deploy/openbmc/minnow-pam.c`. */
const longestRequest = 2048
const longestAnswer = 64

/** PAM's answer about a password; `expired`: it is right and has to be changed. */
export type Verdict = 'ok' | 'denied' | 'expired'

/** The passwords of the users of OpenBMC, which the helper of `deploy/openbmc` asks PAM for. */
export class Passwords {
  readonly #name: string
  readonly #socket: string
  readonly #patience: number

  /** @param socket the path of the socket at which the helper is started for each request */
  constructor(name: string, socket: string, limit = patience) {
    this.#name = name
    this.#socket = socket
    this.#patience = limit
  }

  /** @throws {HalError} `ENODEV` without a helper, `EIO` if PAM fails, `ETIMEDOUT`, `EINVAL` for what is too long */
  async verify(user: string, password: string, address: string): Promise<Verdict> {
    const word = await this.#ask('verify', user, password, address)
    if (word === 'ok' || word === 'denied' || word === 'expired') return word
    throw new HalError('EIO', `${this.#name}: PAM cannot check passwords`)
  }

  /** @throws {HalError} likewise; `EINVAL` also for a password that PAM refuses, and a user that it does not know */
  async change(user: string, password: string): Promise<void> {
    const word = await this.#ask('change', user, password, '')
    if (word === 'ok') return
    if (word === 'refused' || word === 'denied') throw new HalError('EINVAL', `${this.#name}: PAM refuses the password`)
    throw new HalError('EIO', `${this.#name}: PAM cannot change passwords`)
  }

  #ask(...fields: readonly string[]): Promise<string> {
    const request = utf8(fields.map((each) => `${each}\0`).join(''))
    if (fields.some((each) => each.includes('\0')) || request.length > longestRequest)
      return Promise.reject(new HalError('EINVAL', `${this.#name}: a user or a password is too long`))
    return ask({ name: this.#name, socket: this.#socket, patience: this.#patience, longest: longestAnswer }, request)
  }
}
