import documents from 'minnow:documents'
import system from 'minnow:system'
import { handlers, version } from '#generated'
import { backends } from '#hal/backends.ts'
import { fileCerts } from '#hal/file/certs.ts'
import { run } from '#runtime/host/run.ts'
import { openDocuments } from '#runtime/store/documents.ts'

/** @returns the name of the error, where the kernel has no filter of system calls */
function confine(programs: boolean): string | undefined {
  const result = system.confine(programs)
  return result < 0 ? system.describeError(result).code : undefined
}

/** The service in the binary: its files are linked in. */
await run({ documents: openDocuments(documents), backends, openCerts: fileCerts, handlers, version, confine })
