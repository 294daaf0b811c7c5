import { Listeners } from '#runtime/base/listeners.ts'
import type { Variant } from '../dbus/values.ts'
import { HalError } from '../errors.ts'
import type { SharedState } from '../shared-state.ts'
import type { Objects } from './objects.ts'

/** How state is read from properties, and stored in them. */
interface Mapping<T> {
  /** Of the device, for messages. */
  readonly name: string
  /** The objects whose properties it is. */
  readonly paths: readonly string[]
  /** Undefined if a property is missing or has an unexpected type. */
  read(): T | undefined
  /** Sets the properties of what is given, one after the other. @throws {HalError} */
  store(change: Partial<T>): Promise<void>
}

/** State in the properties of objects, which any program sets. */
export function sharedState<T extends object>(
  objects: Objects,
  { name, paths, read, store }: Mapping<T>
): SharedState<T> & { close(): Promise<void> } {
  const listeners = new Listeners<void>()
  let state = read()
  const look = () => {
    const now = read()
    if (JSON.stringify(now) === JSON.stringify(state)) return
    state = now
    listeners.emit()
  }
  objects.on((changed) => {
    if (paths.some((path) => changed.has(path))) look()
  })
  return {
    get state() {
      return state
    },
    async set(change) {
      if (state === undefined) throw new HalError('ENODEV', `${name}: the bus does not tell the state`)
      try {
        await store(change)
      } finally {
        look()
      }
    },
    on: (listener) => listeners.add(listener),
    async close() {
      listeners.clear()
      objects.close()
    }
  }
}

/** Sets a property. Resolves when it is seen, or after a second. @throws {HalError} as `Objects.set` */
export async function put(
  objects: Objects,
  path: string,
  name: string,
  property: string,
  value: Variant
): Promise<void> {
  await objects.set(path, name, property, value)
  await objects.until(path, () => isSame(objects.properties(path, name)?.get(property), value.value))
}

/** Of values that are set here: arrays have texts. */
function isSame(one: unknown, other: unknown): boolean {
  return one === other || (Array.isArray(one) && Array.isArray(other) && one.join('\n') === other.join('\n'))
}
