/** Something that the user has entered and not stored yet, and what stood there when the user began. */
export interface Draft<T> {
  readonly value: T
  readonly base: T
}

/** A draft with another value. @param now what stands there, if the user begins */
export function draftOf<T>(before: Draft<T> | undefined, value: T, now: T): Draft<T> {
  return { value, base: before === undefined ? now : before.base }
}

/** Whether another client has stored another value meanwhile. */
export function isChangedElsewhere<T>(draft: Draft<T> | undefined, now: T): boolean {
  return draft !== undefined && now !== draft.base && now !== draft.value
}
