import type { HalError } from '#hal/errors.ts'
import type { SharedState } from '#hal/shared-state.ts'
import type { Closable } from '#runtime/base/opening.ts'
import { type Event, event, type Tables } from '#runtime/contract'
import type { RecordChange, Source } from '#runtime/store/attached.ts'
import type { Store } from '#runtime/store/store.ts'
import { explain } from './machine.ts'

/** How the records of a table have the state of devices that other programs share. */
export interface Mapping<T extends keyof Tables, S extends object> {
  readonly table: T
  /** By the keys of the records. */
  readonly devices: ReadonlyMap<string, SharedState<S>>
  /** The member of the record for each of the state. All are null while the state is unknown. */
  readonly members: { readonly [name in keyof S & string]: keyof Tables[T] & string }
  /** The resource that shows a record. */
  readonly uri: (key: string) => string
}

/** Has the state of devices be part of the records of a table. A change that another program makes is an event. */
export function attachShared<T extends keyof Tables, S extends object>(
  store: Store,
  events: { emit(event: Event): unknown },
  { table, devices, members, uri }: Mapping<T, S>
): Closable {
  const names = Object.entries(members) as [keyof S & string, keyof Tables[T] & string][]
  /** The states that were known last. */
  const known = new Map([...devices].map(([key, { state }]) => [key, JSON.stringify(state)]))
  const tell = (key: string, { state }: SharedState<S>, done: RecordChange | undefined) => {
    if (state === undefined) return
    const [before, now] = [known.get(key), JSON.stringify(state)]
    known.set(key, now)
    if (before === undefined || before === now || done === undefined) return
    void events.emit(event('ResourceEvent.ResourceChanged', uri(key)))
  }
  const source: Source<T> = {
    members: names.map(([, member]) => member),
    decides: false,
    keys: () => devices.keys(),
    get(key) {
      const device = devices.get(key)
      if (device === undefined) return undefined
      const held = names.map(([name, member]) => [member, device.state?.[name] ?? null])
      return Object.fromEntries(held) as Partial<Tables[T]>
    },
    async write(key, changed) {
      const given = names.map(([name, member]) => [name, changed?.[member]])
      const change = Object.fromEntries(given.filter(([, value]) => value != null)) as Partial<S>
      if (Object.keys(change).length === 0) return
      try {
        await devices.get(key)?.set(change)
      } catch (error) {
        throw explain(error as HalError, { kind: table, key, ...change }, store.log)
      }
    },
    on(listener) {
      const ends = [...devices].map(([key, device]) => device.on(() => tell(key, device, listener(key))))
      return () => {
        for (const end of ends) end()
      }
    }
  }
  return { close: store.attach(table, source) }
}
