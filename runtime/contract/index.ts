/** The language of handlers: what they are given, what they return, and how they fail. Nothing here runs a server. */

export * from './bytes.ts'
export * from './display.ts'
export * from './duration.ts'
export * from './errors.ts'
export * from './handler.ts'
export * from './merge.ts'
export * from './messages.ts'
export * from './privileges.ts'
export * from './reply.ts'
export * from './schema.ts'
export * from './stream.ts'
export * from './tables.ts'
