/** The language of handlers: what they are given, what they return, and how they fail. Nothing here runs a server. */

export { bytes, hex } from '#runtime/base/bytes.ts'
export { formatDuration } from '#runtime/base/duration.ts'
export {
  constant,
  display,
  formats,
  type Infer,
  list,
  object,
  type Parameters,
  type Properties,
  type Resource,
  type Schema
} from '#runtime/schema'
export * from './errors.ts'
export * from './handler.ts'
export * from './handler-file.ts'
export * from './merge.ts'
export * from './messages.ts'
export * from './privileges.ts'
export * from './reply.ts'
export * from './stream.ts'
export * from './tables.ts'
