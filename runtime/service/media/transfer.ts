import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { Client } from 'undici'
import type { Configuration } from '#data/configuration'
import type { Destination } from '#data/events'
import { allowsImage, redirection } from '#data/media'

/** The cause of a failed download, in words for the client. */
export class TransferError extends Error {}

/** The part of an answer that is used. */
interface Answer {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: AsyncIterable<Uint8Array>
}

/** The authorities to trust, and the credentials to send. */
export interface ImageTrust {
  /** The authorities whose signature the server's certificate must have, PEM; undefined: any certificate will do. */
  readonly ca?: readonly string[] | undefined
  /** The header of this name. */
  readonly authorization?: string | undefined
}

/**
 * Sees each piece of an image before it is written, and may throw to end the transfer with that as its cause.
 *
 * @param share of the image that has come with it, 0 to 1; NaN where the server does not say how long that is
 */
export type Look = (chunk: Uint8Array, share: number) => void | Promise<void>

/** An image on its way from a server into a file. */
export class Transfer {
  readonly #source: Destination
  readonly #file: string
  readonly #settings: Configuration['media']
  readonly #trust: ImageTrust
  readonly #look: Look
  #client: Client | undefined
  #ended: string | undefined

  constructor(
    source: Destination,
    file: string,
    settings: Configuration['media'],
    trust: ImageTrust = {},
    look: Look = () => undefined
  ) {
    this.#source = source
    this.#file = file
    this.#settings = settings
    this.#trust = trust
    this.#look = look
  }

  /**
   * The file appears when all of it is on disk; a missing folder is created.
   *
   * @throws TransferError; there is no file then
   */
  async run(): Promise<void> {
    const { time } = this.#settings
    const late = setTimeout(() => this.cancel(`it takes longer than ${time} s`), time * 1000)
    const part = `${this.#file}.part`
    try {
      await this.#write(await this.#ask(this.#source, this.#settings.redirects), part)
      renameSync(part, this.#file)
    } catch (error) {
      rmSync(part, { force: true })
      throw new TransferError(this.#ended ?? this.#words(error as NodeJS.ErrnoException), { cause: error })
    } finally {
      clearTimeout(late)
      await this.#client?.destroy()
    }
  }

  /** Ends it. @param reason that `run` fails with */
  cancel(reason: string): void {
    this.#ended ??= reason
    void this.#client?.destroy()
  }

  /** The answer of the server, or of the one that it sends to. @param redirects how often that may be */
  async #ask(source: Destination, redirects: number): Promise<Answer> {
    if (this.#ended !== undefined) throw new TransferError(this.#ended)
    const { ca, authorization } = this.#trust
    const time = this.#settings.answerTime * 1000
    this.#client = new Client(source.origin, {
      connect: { timeout: time, rejectUnauthorized: ca !== undefined, ...(ca && { ca: [...ca] }) },
      headersTimeout: time,
      bodyTimeout: time,
      maxHeaderSize: this.#settings.answerHead,
      pipelining: 1
    })
    // The password is for the server that the client named.
    const isNamed = source.origin === this.#source.origin
    const headers = authorization !== undefined && isNamed ? { authorization } : {}
    const answer = await this.#client.request({ method: 'GET', path: source.path, headers })
    const { location } = answer.headers
    if (![301, 302, 303, 307, 308].includes(answer.statusCode) || location === undefined) return answer
    await this.#client.destroy()
    if (redirects === 0) throw new TransferError('the server redirects too often')
    const next = redirection(source, String(location))
    if (next === undefined) throw new TransferError('the server redirects to a URL without https')
    if (!allowsImage(next, this.#settings))
      throw new TransferError('the server redirects to a source that the configuration does not allow')
    return this.#ask(next, redirects - 1)
  }

  async #write({ statusCode, headers, body }: Answer, part: string): Promise<void> {
    const { size } = this.#settings
    if (statusCode !== 200) throw new TransferError(`the server answers with status ${statusCode}`)
    if ((headers['content-encoding'] ?? 'identity') !== 'identity') throw new TransferError('the image is encoded')
    const announced = headers['content-length']
    if (Number(announced ?? 0) > size) throw new TransferError(`it has more than ${size} bytes`)
    mkdirSync(dirname(part), { recursive: true, mode: 0o700 })
    const file = openSync(part, 'w', 0o600)
    try {
      let written = 0
      for await (const chunk of body) {
        written += chunk.length
        if (written > size) throw new TransferError(`it has more than ${size} bytes`)
        await this.#look(chunk, written / Number(announced))
        for (let rest = chunk; rest.length > 0; ) rest = rest.subarray(writeSync(file, rest))
      }
      if (announced !== undefined && written !== Number(announced)) throw new TransferError('it ends too early')
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
  }

  /** Words for the client. Which hosts and ports of its network answer, and where files lie, is for the log. */
  #words(error: NodeJS.ErrnoException): string {
    if (error instanceof TransferError) return error.message
    if (error.code?.endsWith('_TIMEOUT')) return `the server says nothing for ${this.#settings.answerTime} s`
    if (error.code === 'ENOSPC' || error.code === 'EDQUOT') return 'there is no room for it'
    // undici 7 names the error and gives it no code; the binary gives it llhttp's code.
    if (error.name === 'HTTPParserError' || error.code?.startsWith('HPE_')) return 'the server does not speak HTTP'
    return 'the server cannot be reached, or is not trusted, or went away'
  }
}
