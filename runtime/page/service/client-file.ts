import { effect, signal } from '@preact/signals'
import { longestRead } from '#runtime/base/nbd/format.ts'
import { NbdServer } from '#runtime/base/nbd/server.ts'
import { Failure } from '../rules/failure.ts'
import type { VirtualMedia } from '../types.ts'
import { send, session } from './client.ts'
import { hiddenWork } from './session.ts'

/** Why a file is no longer given: the drive was emptied, the service refused it, it waits for it no longer, or the user ended it. */
type Ending = 'ejected' | 'refused' | 'givenUp' | 'stopped'

/** A file of this computer that a drive reads. */
export interface Given {
  readonly name: string
  readonly size: number
  readonly state: 'connecting' | 'connected' | 'paused' | 'lost'
  /** Absent while it is given. */
  readonly ending?: Ending
  /** The reason of the service, in its words. */
  readonly words: string
  /** Bytes of the file that were read at least once. */
  readonly covered: number
  /** Bytes that were read in the last second. */
  readonly rate: number
  /** Whether the browser could not read the file when it was last asked to. */
  readonly isUnreadable: boolean
}

/** The files that this tab gives or gave, by the drive's URI. They are given while other screens are shown, too. */
export const given = signal<ReadonlyMap<string, Given>>(new Map())

/** The first and the longest wait before a connection is opened again, in milliseconds. */
const [firstWait, longestWait] = [500, 4000]

/** How often what was read is shown, in milliseconds. */
const showEvery = 500

/** Status of RFC 6455 7.4.1. */
const normal = 1000

const open = new Map<string, Giving>()

/** Begins to give a file to a drive, whose socket is at `uri`. */
export function give(drive: string, uri: string, file: File): void {
  const giving = new Giving(drive, uri, file)
  open.set(drive, giving)
  void giving.run()
}

/** Holds back what is read, or goes on. */
export function pause(drive: string, isPaused: boolean): void {
  open.get(drive)?.pause(isPaused)
}

/** Ends it: the drive is emptied. */
export function stop(drive: string): void {
  open.get(drive)?.stop()
}

class Giving {
  readonly #drive: string
  readonly #uri: string
  readonly #file: File
  /** The parts that were read, by number. */
  readonly #parts = new Set<number>()
  #read = 0
  #shown = 0
  #socket: WebSocket | undefined
  #goOn: (() => void) | undefined
  #paused: Promise<void> | undefined
  #ending: Ending | undefined

  constructor(drive: string, uri: string, file: File) {
    this.#drive = drive
    this.#uri = uri
    this.#file = file
    const { name, size } = file
    const begun = { state: 'connecting', words: '', covered: 0, rate: 0, isUnreadable: false } as const
    given.value = new Map(given.value).set(drive, { name, size, ...begun })
  }

  /** Gives the file, over one connection after another, until that ends. */
  async run(): Promise<void> {
    hiddenWork.value += 1
    const timer = setInterval(() => this.#show(), showEvery)
    for (let wait = firstWait; this.#ending === undefined; wait = Math.min(wait * 2, longestWait)) {
      if (await this.#connect()) wait = firstWait
      if (this.#ending !== undefined) break
      this.#say({ state: 'lost', rate: 0 })
      await new Promise((resolve) => setTimeout(resolve, wait))
      await this.#checkWaiting()
    }
    clearInterval(timer)
    this.#goOn?.()
    this.#show()
    open.delete(this.#drive)
    hiddenWork.value -= 1
  }

  pause(isPaused: boolean): void {
    this.#goOn?.()
    this.#paused = undefined
    this.#goOn = undefined
    if (isPaused) {
      this.#paused = new Promise((resolve) => {
        this.#goOn = resolve
      })
    }
    if (this.#socket?.readyState === WebSocket.OPEN) this.#say({ state: isPaused ? 'paused' : 'connected' })
  }

  stop(): void {
    this.#end('stopped')
    this.#socket?.close(normal)
  }

  /** Settles when the connection is over. @returns whether there was one */
  #connect(): Promise<boolean> {
    return new Promise((resolve) => {
      // A page has no other way to say who opens a WebSocket than the protocol that it offers.
      const socket = new WebSocket(new URL(this.#uri, location.href.replace(/^http/, 'ws')), [
        session.value?.token ?? ''
      ])
      this.#socket = socket
      socket.binaryType = 'arraybuffer'
      let server: NbdServer | undefined
      const wire = { write: (bytes: Uint8Array) => socket.send(bytes as BufferSource), end: () => socket.close() }
      socket.onopen = () => {
        server = new NbdServer(this.#file, wire, (offset, length) => this.#part(offset, length))
        this.#say({ state: this.#paused === undefined ? 'connected' : 'paused' })
      }
      socket.onmessage = ({ data }) => server?.received(new Uint8Array(data))
      socket.onclose = ({ code, reason }) => {
        server?.closed()
        if (code === normal) this.#end('ejected')
        else if (reason !== '') this.#end('refused', reason)
        resolve(server !== undefined)
      }
    })
  }

  async #part(offset: number, length: number): Promise<Uint8Array> {
    await this.#paused
    const bytes = await this.#file
      .slice(offset, offset + length)
      .arrayBuffer()
      .catch((error) => {
        this.#say({ isUnreadable: true })
        throw error
      })
    this.#read += length
    for (let at = offset; at < offset + length; at += longestRead) this.#parts.add(Math.floor(at / longestRead))
    return new Uint8Array(bytes)
  }

  /** Ends the transfer if the drive was emptied or holds another medium: it no longer waits for this file. */
  async #checkWaiting(): Promise<void> {
    if (this.#ending !== undefined) return
    try {
      const { body } = await send<VirtualMedia>('GET', this.#drive)
      if (body.ConnectedVia !== 'Applet' || body.ImageName !== this.#file.name) this.#end('givenUp')
    } catch (error) {
      // While the service is away, it is asked again.
      if (error instanceof Failure && error.status > 0 && error.status < 500) this.#end('givenUp')
    }
  }

  #end(ending: Ending, words = ''): void {
    if (this.#ending !== undefined) return
    this.#ending = ending
    this.#say({ ending, words })
  }

  #show(): void {
    const rate = ((this.#read - this.#shown) * 1000) / showEvery
    this.#shown = this.#read
    const covered = Math.min(this.#file.size, this.#parts.size * longestRead)
    const before = given.value.get(this.#drive)
    if (before?.covered !== covered || before.rate !== rate) this.#say({ covered, rate })
  }

  #say(news: Partial<Given>): void {
    const before = given.value.get(this.#drive)
    if (before !== undefined) given.value = new Map(given.value).set(this.#drive, { ...before, ...news })
  }
}

// The browser asks before it closes the tab.
addEventListener('beforeunload', (event) => {
  if (open.size > 0) event.preventDefault()
})
addEventListener('pagehide', ({ persisted }) => {
  if (!persisted) for (const giving of open.values()) giving.stop()
})
effect(() => {
  if (session.value === undefined) for (const giving of open.values()) giving.stop()
})
