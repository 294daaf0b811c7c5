import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { handlers, version } from '#generated'
import { backends } from '#hal/backends.ts'
import { fileCerts } from '#hal/file/certs.ts'
import { run } from '#runtime/host/run.ts'
import { openDocuments } from '#runtime/store/documents.ts'

/** The service on Node.js: its files lie beside the bundle. */
const beside = dirname(fileURLToPath(import.meta.url))
const documents = openDocuments(readFileSync(join(beside, 'documents.bin')))

await run({ documents, backends, openCerts: fileCerts, handlers, version })
