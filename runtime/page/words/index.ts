import { computed, signal } from '@preact/signals'
import { en } from './en.ts'
import type { Names, Translation, Word } from './translation.ts'

export type { Word }

interface Entry {
  /** That it has for itself. */
  readonly name: string
  readonly direction: 'ltr' | 'rtl'
  /** How it writes numbers and times. */
  readonly locale: string
  readonly load: () => Promise<Translation>
  readonly names: () => Promise<Names>
}

/**
 * The languages by their codes (RFC 5646). Each file is loaded when chosen. Numbers in Arabic have Western digits: they
 * are compared with addresses, versions, labels on the machine and texts of the service, which have no others.
 */
export const languages = {
  en: {
    name: 'English',
    direction: 'ltr',
    locale: 'en',
    load: async () => en,
    names: async () => (await import('./names-en.ts')).en
  },
  de: {
    name: 'Deutsch',
    direction: 'ltr',
    locale: 'de',
    load: async () => (await import('./de.ts')).de,
    names: async () => (await import('./names-de.ts')).de
  },
  ar: {
    name: 'العربية',
    direction: 'rtl',
    locale: 'ar-u-nu-latn',
    load: async () => (await import('./ar.ts')).ar,
    names: async () => (await import('./names-ar.ts')).ar
  }
} as const satisfies Readonly<Record<string, Entry>>

export type Language = keyof typeof languages

/** The language of the texts, which follows a choice as soon as its file is there. */
export const language = signal<Language>('en')

/** Of the numbers and times in this language (BCP 47). */
export const locale = computed(() => languages[language.value].locale)

const texts = signal<Translation>(en)

/** The names in the languages that were shown since forms need them. */
const names = signal<Readonly<Partial<Record<Language, Names>>>>({})

let hasForms = false

/** Loads and shows a language; if one of its files cannot be loaded, the page stays as it is. */
export async function show(code: Language): Promise<void> {
  const loaded = await languages[code].load()
  if (hasForms) await loadNames(code)
  texts.value = loaded
  language.value = code
}

/** Loads the names that forms need; from then on they come with each language. */
export async function loadNames(code: Language = language.value): Promise<void> {
  hasForms = true
  const loaded = await languages[code].names()
  names.value = { ...names.value, [code]: loaded }
}

/** The first of some languages that the page has words in. */
export function preferred(codes: readonly string[]): Language {
  const known = codes.map((code) => code.slice(0, 2)).find((code) => code in languages)
  return (known as Language | undefined) ?? 'en'
}

/** A word in the language that is shown, with its arguments in their places. Numbers are written as the language does. */
export function t(word: Word, ...args: readonly (string | number)[]): string {
  return filled(texts.value.words[word], args)
}

/** A text with its arguments in their places. */
export function filled(text: string, args: readonly (string | number)[]): string {
  return text.replace(/\{(\d)\}/g, (whole, number) => {
    const value = args[Number(number)]
    // `toLocaleString` of a text is the text.
    return value === undefined ? whole : isolated(value.toLocaleString(locale.value))
  })
}

/** A number with its unit, as the language that is shown writes them. */
export function quantity(value: number, unit: string): string {
  return `${value.toLocaleString(locale.value)} ${unit}`
}

/**
 * A name, an address or a number within a text. In a right-to-left language it is isolated (FSI and PDI of Unicode): it
 * keeps its own direction, and does not move the punctuation of the text.
 */
export function isolated(value: string): string {
  return languages[language.value].direction === 'rtl' ? `\u2068${value}\u2069` : value
}

/** The name of what stands at a path of a resource: that of its schema where there is no other, or none is loaded. */
export function nameOf(path: readonly string[]): string {
  const own: Readonly<Record<string, string>> = names.value[language.value] ?? {}
  return own[(path[0] === 'Oem' ? path.slice(2) : path).join('/')] ?? path.join(' › ')
}

/** A value of an enumeration in words: without a label of its own it is taken apart at its capitals. */
export function labelOf(value: string | null | undefined): string {
  if (value == null) return ''
  const labels: Readonly<Record<string, string>> = texts.value.labels
  if (labels[value] !== undefined) return labels[value]
  const words = value.replace(/([a-z\d])([A-Z])/g, '$1 $2').split(' ')
  return words.map((word, at) => (at > 0 && /^[A-Z][a-z]+$/.test(word) ? word.toLowerCase() : word)).join(' ')
}
