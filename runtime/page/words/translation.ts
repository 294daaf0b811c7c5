import type { en } from './en.ts'
import type { en as names } from './names-en.ts'

export type Word = keyof (typeof en)['words']

/** The content of a language's file: a text for each word and for each value that is shown. */
export interface Translation {
  readonly words: Readonly<Record<Word, string>>
  readonly labels: Readonly<Record<keyof (typeof en)['labels'], string>>
}

/** The content of a language's other file, which only forms need: a text for each name of what can be entered. */
export type Names = Readonly<Record<keyof typeof names, string>>
