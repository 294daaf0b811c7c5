import type { Reader } from '#runtime/contract'

type Maker = (reader: Reader) => object

/** All of several types at once. */
type Both<T> = (T extends unknown ? (each: T) => void : never) extends (both: infer B) => void ? B : never

/**
 * The members that services add to the context of handlers, as getters: a handler asks for one or two of them, and to make
 * all takes as long as a small answer.
 *
 * @param makers return the members of one service each
 */
export function membersOf<const M extends readonly Maker[]>(...makers: M) {
  class ServiceMembers {
    readonly reader: Reader

    constructor(reader: Reader) {
      this.reader = reader
    }
  }
  for (const make of makers)
    for (const name of Object.keys(make(unread)))
      Object.defineProperty(ServiceMembers.prototype, name, {
        get(this: ServiceMembers) {
          return (make(this.reader) as Record<string, unknown>)[name]
        }
      })
  return (reader: Reader) => new ServiceMembers(reader) as unknown as Both<ReturnType<M[number]>>
}

/** Of members that are only named. */
const unread: Reader = { track() {}, depends() {} } as unknown as Reader
