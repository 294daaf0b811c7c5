import { signal } from '@preact/signals'
import { Failure } from '../rules/failure.ts'
import { ask, session } from './client.ts'
import { eventReader, type ServerSentEvent } from './event-stream.ts'

/** Not open yet, live, or not at the moment. `full`: the service has no stream left. */
export type Connection = 'opening' | 'live' | 'lost' | 'full'

/** The stream by which the page learns of what changes. */
export const connection = signal<Connection>('opening')

/** Whether the tab is in sight: a hidden one has no stream. */
export const isVisible = signal(document.visibilityState === 'visible')

document.addEventListener('visibilitychange', () => {
  isVisible.value = document.visibilityState === 'visible'
})

/** A stream that says nothing for so long is dead: it shows every 30 seconds that it is alive. In milliseconds. */
const silence = 75_000

/** The first and the longest wait before the next attempt, in milliseconds. */
const [firstWait, longestWait] = [500, 8000]

interface Wanted {
  /** The next stream: its URI, the last event that was seen, and what has another one opened in its place. */
  begin(): { readonly uri: string; readonly last?: string; readonly replaced?: AbortSignal }
  found(event: ServerSentEvent): void
  /** @param isGapless whether the stream before went on until this one was open */
  changed(state: Connection, isGapless: boolean): void
}

/**
 * Reads one stream after another until `left`, each opened when the one before it has ended. One that is replaced is
 * read until the next is open: nothing is missed between, and nothing has to be read again.
 */
export async function keepReading(left: AbortSignal, { begin, found, changed }: Wanted): Promise<void> {
  let before: AbortController | undefined
  for (let wait = firstWait; !left.aborted; ) {
    const { uri, last = '', replaced } = begin()
    const ended = new AbortController()
    const replacedOne = before
    const reading = read(uri, last, AbortSignal.any([left, ended.signal]), found, () => {
      changed('live', replacedOne?.signal.aborted === false)
      replacedOne?.abort()
      wait = firstWait
    }).finally(() => ended.abort())
    before = ended
    try {
      await (replaced === undefined ? reading : Promise.race([reading, over(replaced)]))
      reading.catch(() => {})
    } catch (error) {
      replacedOne?.abort()
      if (left.aborted || session.value === undefined) return
      changed(error instanceof Failure && error.status === 503 ? 'full' : 'lost', false)
      await pause(wait)
      wait = Math.min(wait * 2, longestWait)
    }
  }
}

const over = (signal: AbortSignal) => new Promise((resolve) => signal.addEventListener('abort', resolve))

const pause = (wait: number) => new Promise((resolve) => setTimeout(resolve, wait))

/** Reads one stream. @throws always, at its end at the latest */
async function read(
  uri: string,
  last: string,
  ended: AbortSignal,
  found: (event: ServerSentEvent) => void,
  stands: () => void
): Promise<never> {
  const silent = new AbortController()
  const headers = { Accept: 'text/event-stream', ...(last !== '' && { 'Last-Event-ID': last }) }
  let timer: ReturnType<typeof setTimeout> | undefined
  const alive = () => {
    clearTimeout(timer)
    timer = setTimeout(() => silent.abort(), silence)
  }
  alive()
  try {
    const answer = await ask(uri, { headers, signal: AbortSignal.any([ended, silent.signal]), cache: 'no-store' })
    if (!answer.ok || answer.body === null) throw new Failure(answer.status, [])
    stands()
    const add = eventReader(found)
    const decoder = new TextDecoder()
    const reader = answer.body.getReader()
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      alive()
      add(decoder.decode(piece.value, { stream: true }))
    }
    throw new Failure(0, [])
  } finally {
    clearTimeout(timer)
  }
}
