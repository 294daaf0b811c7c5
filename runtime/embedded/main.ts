import documents from 'minnow:documents'
import { handlers, version } from '#generated'
import { backends } from '#hal/backends.ts'
import { fileCerts } from '#hal/file/certs.ts'
import { run } from '#runtime/host/run.ts'
import { openDocuments } from '#runtime/store/documents.ts'

/** The service in the binary: its files are linked in. */
await run({ documents: openDocuments(documents), backends, openCerts: fileCerts, handlers, version })
