import documents from 'minnow:documents'
import { handlers, version } from '#generated'
import { backends } from '../../hal/backends.ts'
import { fileCerts } from '../../hal/file/certs.ts'
import { openDocuments } from '../documents.ts'
import { run } from '../run.ts'

/** The service in the binary: its files are linked in. */
await run({ documents: openDocuments(documents), backends, openCerts: fileCerts, handlers, version })
