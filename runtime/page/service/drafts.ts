import { signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import type { Draft } from '../rules/drafts.ts'
import { expired } from './client.ts'

/** The entered values, by the names of their fields. */
export type Drafts<T> = ReadonlyMap<string, Draft<T>>

const kept = signal<ReadonlyMap<string, Drafts<unknown>>>(new Map())

/**
 * The values that the user has entered into a form and not yet saved. They survive a visit to another screen and a new
 * login; a reload or a logout discards them.
 */
export function draftsOf<T>(form: string): Drafts<T> {
  return (kept.value.get(form) as Drafts<T> | undefined) ?? new Map()
}

export function keepDrafts<T>(form: string, drafts: Drafts<T>): void {
  const next = new Map(kept.value)
  if (drafts.size === 0) next.delete(form)
  else next.set(form, drafts)
  kept.value = next
}

/** The same for a form with secrets, which are not kept: they are gone with the form, and with the session. */
export function useDrafts(
  form: string,
  isSecret: (field: string) => boolean
): [Drafts<string>, (next: Drafts<string>) => void] {
  const [secrets, setSecrets] = useState<Drafts<string>>(new Map())
  const isOver = expired.value
  useEffect(() => {
    if (isOver) setSecrets(new Map())
  }, [isOver])
  const set = (next: Drafts<string>) => {
    keepDrafts(form, new Map([...next].filter(([field]) => !isSecret(field))))
    setSecrets(new Map([...next].filter(([field]) => isSecret(field))))
  }
  return [new Map([...draftsOf<string>(form), ...secrets]), set]
}
