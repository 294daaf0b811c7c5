import { SerialQueue } from '#runtime/base/serial-queue.ts'

/** Work that may take long. It yields where others may have their turn. */
export type Work<T> = Generator<undefined, T, undefined>

/** Milliseconds that work goes on before other requests have a turn. */
const turn = 4

/** Does one work after the other, each in short turns of the event loop. */
export class Turns {
  readonly #queue = new SerialQueue()

  /** Settles as the work does. */
  run<T>(work: Work<T>): Promise<T> {
    return this.#queue.run(async () => {
      for (;;) {
        const until = performance.now() + turn
        do {
          const { done, value } = work.next()
          if (done) return value
        } while (performance.now() < until)
        await new Promise<void>((resolve) => setImmediate(resolve))
      }
    })
  }
}

/** Does the whole work at once. */
export function toEnd<T>(work: Work<T>): T {
  for (;;) {
    const { done, value } = work.next()
    if (done) return value
  }
}
