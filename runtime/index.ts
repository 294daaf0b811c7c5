/** What a handler file imports: types, failures and replies. Nothing here runs a server. */
export { accepts } from '../hal/power.ts'
export { type BootOption, bootOptions, storedBootOrder } from './boot-options.ts'
export { setBootOrder } from './boot-order.ts'
export { conflict, fail, forbidden, MessageError, notFound } from './errors.ts'
export { clearLog, logEntry } from './event-log.ts'
export type {
  Caller,
  Command,
  Context,
  Delete,
  File,
  Get,
  GetFile,
  Methods,
  Outcome,
  Patch,
  Post,
  Privileges,
  Put,
  Writes
} from './handler.ts'
export { bytes, hex } from './hex.ts'
export { mergeArray } from './merge.ts'
export { type Message, type MessageKey, message } from './messages.ts'
export { pem } from './pem.ts'
export { changed, created, deferred, done, file, link, members } from './reply.ts'
export type { Infer, Parameters, Schema } from './schema.ts'
export { openDatabase, openDatabaseToChange, setDatabases, signatureId } from './signature-database.ts'
export { setVariables } from './variables.ts'
export { ejectMedia, insertMedia } from './virtual-media.ts'
export { certificateFrom, fingerprint, keyUsageNames, type Name, readCertificate } from './x509.ts'
