import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import { Client } from 'undici'
import type { Configuration, Destination } from '#data'

/** Why an image did not come, in words for who asked for it. */
export class TransferError extends Error {}

/** What of an answer is looked at. */
interface Answer {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: AsyncIterable<Uint8Array>
}

/** An image on its way from a server into a file. */
export class Transfer {
  readonly #source: Destination
  readonly #file: string
  readonly #settings: Configuration['media']
  readonly #client: Client
  #ended: string | undefined

  /** @param ca the authorities whose signature its certificate must have, PEM; undefined: any certificate will do */
  constructor(source: Destination, file: string, settings: Configuration['media'], ca: readonly string[] | undefined) {
    this.#source = source
    this.#file = file
    this.#settings = settings
    const time = settings.answerTime * 1000
    this.#client = new Client(source.origin, {
      connect: { timeout: time, rejectUnauthorized: ca !== undefined, ...(ca && { ca: [...ca] }) },
      headersTimeout: time,
      bodyTimeout: time,
      maxHeaderSize: settings.answerHead,
      pipelining: 1
    })
  }

  /**
   * The file is there when it is there as a whole, on disk.
   *
   * @throws TransferError; there is no file then
   */
  async run(): Promise<void> {
    const { time } = this.#settings
    const late = setTimeout(() => this.cancel(`it takes more than ${time} s`), time * 1000)
    const part = `${this.#file}.part`
    try {
      const answer = await this.#client.request({ method: 'GET', path: this.#source.path })
      await this.#write(answer, part)
      renameSync(part, this.#file)
    } catch (error) {
      rmSync(part, { force: true })
      throw new TransferError(this.#ended ?? this.#words(error as NodeJS.ErrnoException))
    } finally {
      clearTimeout(late)
      await this.#client.destroy()
    }
  }

  /** Ends it. @param reason that `run` fails with */
  cancel(reason: string): void {
    this.#ended ??= reason
    void this.#client.destroy()
  }

  async #write({ statusCode, headers, body }: Answer, part: string): Promise<void> {
    const { size } = this.#settings
    if (statusCode >= 300 && statusCode < 400) throw new TransferError('the server redirects, which is not followed')
    if (statusCode !== 200) throw new TransferError(`the server answers with status ${statusCode}`)
    if ((headers['content-encoding'] ?? 'identity') !== 'identity') throw new TransferError('the image is encoded')
    const announced = headers['content-length']
    if (Number(announced ?? 0) > size) throw new TransferError(`it has more than ${size} bytes`)
    const file = openSync(part, 'w', 0o600)
    try {
      let written = 0
      for await (const chunk of body) {
        written += chunk.length
        if (written > size) throw new TransferError(`it has more than ${size} bytes`)
        for (let rest = chunk; rest.length > 0; ) rest = rest.subarray(writeSync(file, rest))
      }
      if (announced !== undefined && written !== Number(announced)) throw new TransferError('it ends too early')
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
  }

  #words(error: NodeJS.ErrnoException): string {
    if (error instanceof TransferError) return error.message
    if (error.code?.endsWith('_TIMEOUT')) return `the server says nothing for ${this.#settings.answerTime} s`
    if (error.code === 'ENOSPC' || error.code === 'EDQUOT') return 'there is no room for it'
    return (error.message.split('\n')[0] || String(error.code)).slice(0, 160)
  }
}
