import { EventEmitter } from 'node:events'

type AnyListener = (...values: unknown[]) => void

export type Listener = (...values: never[]) => void

/** Listeners, for objects of which most never have any. */
export class Emitter {
  /** @internal */
  declare emitter: EventEmitter | undefined

  on(name: string, listener: Listener): this {
    this.emitter ??= new EventEmitter()
    this.emitter.on(name, listener as AnyListener)
    return this
  }

  once(name: string, listener: Listener): this {
    this.emitter ??= new EventEmitter()
    this.emitter.once(name, listener as AnyListener)
    return this
  }

  off(name: string, listener: Listener): this {
    this.emitter?.off(name, listener as AnyListener)
    return this
  }

  emit(name: string, ...values: unknown[]): boolean {
    return this.emitter?.emit(name, ...values) ?? false
  }

  listenerCount(name: string): number {
    return this.emitter?.listenerCount(name) ?? 0
  }

  addListener(name: string, listener: Listener): this {
    return this.on(name, listener)
  }

  removeListener(name: string, listener: Listener): this {
    return this.off(name, listener)
  }
}
