import { effect, signal } from '@preact/signals'
import { filled, type Language, language } from '../../words/index.ts'
import { en } from './fleet-en.ts'
import type { FleetWord, Translation } from './translation.ts'

export type { FleetWord }

/**
 * Beside the languages of the parts that both pages share; each file is loaded when chosen. Their names differ from those
 * of the shared ones: all files of the page are in one folder.
 */
export const files: Readonly<Record<Language, () => Promise<Translation>>> = {
  en: async () => en,
  de: async () => (await import('./fleet-de.ts')).de,
  ar: async () => (await import('./fleet-ar.ts')).ar
}

const texts = signal<Translation>(en)

/** The words follow the language of the shared parts; without its file they stay as they are. */
export function followLanguage(): void {
  effect(() => {
    const code = language.value
    files[code]().then(
      (loaded) => {
        if (language.value === code) texts.value = loaded
      },
      () => {}
    )
  })
}

/** A word in the language that is shown, with its arguments in their places. */
export function f(word: FleetWord, ...args: readonly string[]): string {
  return filled(texts.value[word], args)
}

/** The name of a fault, or of a state: those without a text of their own as they are. */
export function nameOfFault(name: string): string {
  return Object.hasOwn(texts.value, name) ? f(name as FleetWord) : name
}
