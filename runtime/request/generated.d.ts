/** The module that build.mjs generates from handlers/: `#generated`. */
import type { HandlerEntry } from './routes.ts'

export const handlers: readonly HandlerEntry[]
export const version: string
