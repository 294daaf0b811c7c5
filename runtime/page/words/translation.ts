import type { en } from './en.ts'

export type Word = keyof (typeof en)['words']

/** The content of a language's file: a text for each word and for each name. */
export interface Translation {
  readonly words: Readonly<Record<Word, string>>
  readonly names: Readonly<Record<keyof (typeof en)['names'], string>>
  readonly labels: Readonly<Record<keyof (typeof en)['labels'], string>>
}
