import type { en } from './fleet-en.ts'

export type FleetWord = keyof typeof en

/** The content of a language's file. */
export type Translation = Readonly<Record<FleetWord, string>>
