/** What a handler file imports: types, failures and replies. Nothing here runs a server. */
export { accepts } from '../hal/power.ts'
export { isKeytab } from './accounts/keytab.ts'
export { replaceCertificate, requestCertificate } from './certificates/own.ts'
export { pem, readPem } from './certificates/pem.ts'
export { certificateResource } from './certificates/resource.ts'
export {
  certificateFrom,
  certificateId,
  certificatesFrom,
  displayName,
  fingerprint,
  isAuthority,
  type Name,
  readCertificate
} from './certificates/x509.ts'
export { conflict, fail, forbidden, MessageError, notFound } from './errors.ts'
export { clearLog } from './events/log.ts'
export { subscriptionChanges, subscriptionFrom } from './events/subscription.ts'
export { type BootOption, bootOptions, storedBootOrder } from './firmware/boot-options.ts'
export { setBootOrder } from './firmware/boot-order.ts'
export { changeBootSettings, showBootSettings } from './firmware/boot-settings.ts'
export {
  databasesChanged,
  enrolled,
  openDatabase,
  openDatabaseToChange,
  setDatabases,
  signatureId,
  withdrawn
} from './firmware/signature-database.ts'
export { systemDefaults } from './firmware/system-defaults.ts'
export { setVariables } from './firmware/variables.ts'
export type {
  Caller,
  Command,
  Context,
  Delete,
  File,
  Get,
  GetFile,
  GetStream,
  Methods,
  Outcome,
  Patch,
  Post,
  Privileges,
  Put,
  Writes
} from './handler.ts'
export { bytes, hex } from './hex.ts'
export { installLicense, isLicensed } from './license/license.ts'
export { mergeArray, merged } from './merge.ts'
export {
  type Event,
  type EventKey,
  event,
  lookUp,
  type Message,
  type MessageKey,
  message,
  type TestEvent
} from './messages.ts'
export { accepted, changed, created, deferred, done, file, link, members } from './reply.ts'
export type { Infer, Parameters, Schema } from './schema.ts'
export { type Erasure, eraseParts } from './tasks/erase.ts'
export { percentComplete, taskMessages } from './tasks/messages.ts'
export { roomForTask } from './tasks/room.ts'
export { changeReportDefinition } from './telemetry/definition.ts'
export { ejectMedia, insertMedia } from './virtual-media.ts'
