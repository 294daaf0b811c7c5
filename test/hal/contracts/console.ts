import type { Test } from 'tap'
import type { Console } from '#hal/console.ts'

/** A console as a test reads it. */
export class Screen {
  #text = ''
  #arrived = () => {}

  constructor(console: Console) {
    console.on((bytes) => {
      this.#text += Buffer.from(bytes).toString('latin1')
      this.#arrived()
    })
  }

  /** Waits for a text, and takes all up to its end. */
  async until(part: string): Promise<string> {
    while (!this.#text.includes(part)) {
      await new Promise<void>((resolve) => {
        this.#arrived = resolve
      })
    }
    const end = this.#text.indexOf(part) + part.length
    const taken = this.#text.slice(0, end)
    this.#text = this.#text.slice(end)
    return taken
  }
}

/**
 * The contract of every back end of hal/console.ts.
 *
 * @param open a console whose other side echoes
 */
export function consoleContract(t: Test, backEnd: string, open: (t: Test) => Promise<Console>) {
  const withConsole = (title: string, body: (t: Test, console: Console) => Promise<void>) =>
    t.test(`${backEnd}: ${title}`, async (t) => {
      const console = await open(t)
      t.teardown(() => console.close())
      await body(t, console)
    })

  withConsole('bytes pass both ways as they are, in order', async (t, console) => {
    const screen = new Screen(console)
    const all = Uint8Array.from({ length: 256 }, (_, byte) => byte)
    const text = Buffer.from(all).toString('latin1')
    console.write(all)
    t.ok((await screen.until('\xff')).endsWith(text.slice(14)))
    for (const word of ['one', 'two', 'three']) console.write(Buffer.from(word))
    await screen.until('onetwothree')
  })

  withConsole('a removed listener is not called', async (t, console) => {
    const stop = console.on(() => t.fail('it was taken away'))
    stop()
    const screen = new Screen(console)
    console.write(Buffer.from('silence'))
    await screen.until('silence')
  })

  withConsole('closed, it is ENODEV', async (t, console) => {
    await console.close()
    t.throws(() => console.write(Buffer.from('x')), { name: 'HalError', code: 'ENODEV' })
    await console.close()
  })
}
