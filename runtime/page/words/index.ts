import { signal } from '@preact/signals'
import { en } from './en.ts'
import type { Translation, Word } from './translation.ts'

export type { Word }

/** The languages by their codes (RFC 5646), with the name that each has for itself. Each file is loaded when chosen. */
export const languages = {
  en: { name: 'English', load: async (): Promise<Translation> => en },
  de: { name: 'Deutsch', load: async (): Promise<Translation> => (await import('./de.ts')).de }
} as const

export type Language = keyof typeof languages

/** The language of the texts, which follows a choice as soon as its file is there. */
export const language = signal<Language>('en')

const texts = signal<Translation>(en)

/** Loads and shows a language; if its file cannot be loaded, the page stays as it is. */
export async function show(code: Language): Promise<void> {
  texts.value = await languages[code].load()
  language.value = code
}

/** The first of some languages that the page has words in. */
export function preferred(codes: readonly string[]): Language {
  const known = codes.map((code) => code.slice(0, 2)).find((code) => code in languages)
  return (known as Language | undefined) ?? 'en'
}

/** A word in the language that is shown, with its arguments in their places. */
export function t(word: Word, ...args: readonly string[]): string {
  return texts.value.words[word].replace(/\{(\d)\}/g, (whole, number) => args[Number(number)] ?? whole)
}

/** The name of what stands at a path of a resource: that of its schema where there is no other. */
export function nameOf(path: readonly string[]): string {
  const names: Readonly<Record<string, string>> = texts.value.names
  return names[(path[0] === 'Oem' ? path.slice(2) : path).join('/')] ?? path.join(' › ')
}

/** A value of an enumeration in words: without a label of its own it is taken apart at its capitals. */
export function labelOf(value: string): string {
  const labels: Readonly<Record<string, string>> = texts.value.labels
  if (labels[value] !== undefined) return labels[value]
  const words = value.replace(/([a-z\d])([A-Z])/g, '$1 $2').split(' ')
  return words.map((word, at) => (at > 0 && /^[A-Z][a-z]+$/.test(word) ? word.toLowerCase() : word)).join(' ')
}
