import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'

interface Answer {
  readonly return?: unknown
  readonly error?: { readonly desc: string }
}

/** QEMU's machine protocol (QMP), one command after the other. */
export class Monitor {
  readonly #connection: Socket
  readonly #answers: AsyncIterator<Answer>

  private constructor(connection: Socket) {
    this.#connection = connection
    this.#answers = answers(connection)
  }

  static async open(path: string): Promise<Monitor> {
    const connection = connect(path)
    connection.unref()
    await once(connection, 'connect')
    const monitor = new Monitor(connection)
    await monitor.ask('qmp_capabilities', {})
    return monitor
  }

  /** @throws Error with what QEMU says instead of an answer */
  async ask<Result>(execute: string, given: object): Promise<Result> {
    this.#connection.write(`${JSON.stringify({ execute, arguments: given })}\n`)
    const { value, done } = await this.#answers.next()
    if (done) throw new Error(`${execute}: QEMU is gone`)
    if (value.error) throw new Error(`${execute}: ${value.error.desc}`)
    return value.return as Result
  }
}

/** Answers of QEMU other than its greeting and its events. */
async function* answers(connection: Socket): AsyncGenerator<Answer> {
  for await (const line of createInterface({ input: connection })) {
    const answer = JSON.parse(line)
    if ('return' in answer || 'error' in answer) yield answer
  }
}
