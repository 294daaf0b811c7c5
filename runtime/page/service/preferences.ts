import { effect, type Signal, signal } from '@preact/signals'
import { type Language, language, languages, preferred, show } from '../words/index.ts'

/** The language that the user chose in this browser; until then the first that the browser prefers and the page knows. */
export const chosenLanguage: Signal<Language> = preference(
  'language',
  preferred(navigator.languages),
  (value) => value in languages
)

/** Shows the page in another language, from now on. */
export async function chooseLanguage(code: Language): Promise<void> {
  chosenLanguage.value = code
  await show(code)
}

/** The colours of the page: those of the operating system, or one of both. */
export const themes = ['system', 'light', 'dark'] as const

export type Theme = (typeof themes)[number]

export const theme = preference<Theme>('theme', 'system', (value) => themes.includes(value as Theme))

/** Whether single keys are shortcuts: who speaks to a computer may not want that (WCAG 2.1.4). */
export const singleKeys = preference<'on' | 'off'>('single-keys', 'on', (value) => value === 'off')

/** Shows the page in the colours that are chosen, from now on. */
export function followTheme(): void {
  const darkSystem = matchMedia('(prefers-color-scheme: dark)')
  const isDark = signal(darkSystem.matches)
  darkSystem.addEventListener('change', ({ matches }) => {
    isDark.value = matches
  })
  effect(() => {
    const { dataset } = document.documentElement
    dataset.theme = theme.value === 'system' ? (isDark.value ? 'dark' : 'light') : theme.value
  })
}

/** Tells the browser the language that is shown and its direction, from now on. */
export function declareLanguage(): void {
  effect(() => {
    const root = document.documentElement
    root.lang = language.value
    root.dir = languages[language.value].direction
  })
}

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
