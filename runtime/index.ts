/** What a handler file imports: types, failures and replies. Nothing here runs a server. */
export { accepts } from '../hal/power.ts'
export { conflict, fail, forbidden, MessageError, notFound } from './errors.ts'
export type {
  Caller,
  Command,
  Context,
  Delete,
  File,
  Get,
  GetFile,
  Outcome,
  Patch,
  Post,
  Privileges,
  Put,
  Writes
} from './handler.ts'
export { mergeArray } from './merge.ts'
export { type Message, type MessageKey, message } from './messages.ts'
export { changed, created, done, file, link, members } from './reply.ts'
export type { Infer, Parameters, Schema } from './schema.ts'
