import type { Failure } from './failure.ts'

/**
 * The page's knowledge of something that it reads. Only `there` has a value: `loading` and `failed` say nothing about
 * the machine. `absent`: the machine has no such thing.
 */
export type Known<T> =
  | { readonly state: 'loading' | 'absent' }
  | { readonly state: 'failed'; readonly failure: Failure }
  | There<T>

interface There<T> {
  readonly state: 'there'
  readonly value: T
  /** Of the answer; absent for what was made of several. */
  readonly headers?: Headers
  /** Why it could not be read again: the value is the last one. */
  readonly failure?: Failure
}

export const loading: Known<never> = { state: 'loading' }

export const absent: Known<never> = { state: 'absent' }

/** A part of what is known; absent where there is no such part. */
export function partOf<T, U>(known: Known<T>, part: (value: T) => U | null | undefined): Known<U> {
  if (known.state !== 'there') return known
  const value = part(known.value) ?? undefined
  return value === undefined ? absent : { ...known, value }
}

/** The same, where a machine without it is as good as any: nothing then is a value. */
export function optional<T>(known: Known<T>): Known<T | undefined> {
  return known.state === 'absent' ? { state: 'there', value: undefined } : known
}

/** All of several, as soon as all are there; otherwise the state of the first that has failed, or is not there. */
export function together<T extends readonly unknown[]>(...all: { [K in keyof T]: Known<T[K]> }): Known<T> {
  const missing = ['failed', 'absent', 'loading'].flatMap((state) => all.find((each) => each.state === state) ?? [])
  if (missing[0] !== undefined) return missing[0] as Known<never>
  const there = all as readonly There<unknown>[]
  const failure = there.find((each) => each.failure !== undefined)?.failure
  const value = there.map((each) => each.value) as unknown as T
  return { state: 'there', value, ...(failure !== undefined && { failure }) }
}

/** The current knowledge, for conclusions: a last value that can no longer be read counts as failed. */
export function fresh<T>(known: Known<T>): Known<T> {
  const failure = failureIn(known)
  return failure === undefined ? known : { state: 'failed', failure }
}

/** The value for what a screen can do without, such as a title: nothing is concluded from its absence. */
export function valueIn<T>(known: Known<T>): T | undefined {
  return known.state === 'there' ? known.value : undefined
}

/** Why it cannot be read, if so. */
export function failureIn(known: Known<unknown>): Failure | undefined {
  return 'failure' in known ? known.failure : undefined
}
