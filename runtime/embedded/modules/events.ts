type Listener = (...values: never[]) => unknown
type Name = string | symbol

const once = Symbol('listener')
type Wrapped = Listener & { [once]?: Listener }

/** Node's EventEmitter, as far as the service and abstract-level use it. */
export class EventEmitter {
  #listeners = new Map<Name, Wrapped[]>()

  on(name: Name, listener: Listener): this {
    return this.#add(name, listener)
  }

  addListener(name: Name, listener: Listener): this {
    return this.#add(name, listener)
  }

  once(name: Name, listener: Listener): this {
    const wrapped: Wrapped = (...values: never[]) => {
      this.off(name, wrapped)
      return listener.apply(this, values)
    }
    wrapped[once] = listener
    return this.#add(name, wrapped)
  }

  off(name: Name, listener: Listener): this {
    const known = this.#listeners.get(name)
    const index = known?.findLastIndex((each) => each === listener || each[once] === listener) ?? -1
    if (!known || index < 0) return this
    const rest = known.toSpliced(index, 1)
    if (rest.length) this.#listeners.set(name, rest)
    else this.#listeners.delete(name)
    if (this.#listeners.has('removeListener')) this.emit('removeListener', name, listener)
    return this
  }

  removeListener(name: Name, listener: Listener): this {
    return this.off(name, listener)
  }

  /** Calls the listeners in order; an `error` without listeners is thrown. */
  emit(name: Name, ...values: unknown[]): boolean {
    const known = this.#listeners.get(name)
    if (known) {
      if (known.length === 1) known[0]!.apply(this, values as never[])
      else for (const listener of known) listener.apply(this, values as never[])
      return true
    }
    if (name === 'error') throw values[0] instanceof Error ? values[0] : new Error(`Unhandled error. (${values[0]})`)
    return false
  }

  listenerCount(name: Name): number {
    return this.#listeners.get(name)?.length ?? 0
  }

  // Lists are replaced, never changed, so that an emit under way calls those that were there when it began.
  #add(name: Name, listener: Wrapped): this {
    if (typeof listener !== 'function') {
      const error = new TypeError('The "listener" argument must be of type function.')
      throw Object.assign(error, { code: 'ERR_INVALID_ARG_TYPE' })
    }
    if (this.#listeners.has('newListener')) this.emit('newListener', name, listener[once] ?? listener)
    this.#listeners.set(name, [...(this.#listeners.get(name) ?? []), listener])
    return this
  }
}
