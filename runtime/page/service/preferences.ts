import { effect, type Signal, signal } from '@preact/signals'
import { type Language, languages, preferred } from '../words/index.ts'

/** The language that the user chose in this browser; until then the first that the browser prefers and the page knows. */
export const chosenLanguage: Signal<Language> = preference(
  'language',
  preferred(navigator.languages),
  (value) => value in languages
)

/**
 * A choice of the user that this browser keeps.
 *
 * @param isValid whether what is kept can still be chosen
 */
function preference<T extends string>(name: string, initial: T, isValid: (value: string) => boolean): Signal<T> {
  const kept = localStorage.getItem(name)
  const chosen = signal(kept !== null && isValid(kept) ? (kept as T) : initial)
  let isFirst = true
  effect(() => {
    const { value } = chosen
    if (!isFirst) localStorage.setItem(name, value)
    isFirst = false
  })
  return chosen
}
