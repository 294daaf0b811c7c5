import documents from 'minnow:documents'
import engine from 'minnow:engine'
import system from 'minnow:system'
import { handlers, version } from '#generated'
import { loadBackends } from '#hal/backends.ts'
import { fileCerts } from '#hal/file/certs.ts'
import { run } from '#runtime/command/run.ts'
import type { ListenAlso } from '#runtime/listen/server.ts'
import { openDocuments } from '#runtime/store/documents.ts'

/** @returns the name of the error, where the kernel has no filter of system calls */
function confine(programs: boolean): string | undefined {
  const result = system.confine(programs)
  return result < 0 ? system.describeError(result).code : undefined
}

/** The binary's server stops listening at one of several places. */
interface Unlistening {
  unlisten(port: number, address: string): void
}

/** The service in the binary: its files are linked in. A server of its may listen at many places. */
const listenAlso: ListenAlso = (server, port, address) =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, address, () => {
      server.off('error', reject)
      const { port: own } = server.address() as { port: number }
      resolve({ port: own, close: () => (server as unknown as Unlistening).unlisten(own, address) })
    })
  })

await run({
  documents: openDocuments(documents),
  loadBackends,
  openCerts: fileCerts,
  handlers,
  version,
  confine,
  recordings: async () => (await import('#runtime/recording/recordings.ts')).recordings,
  fleet: async () => (await import('#runtime/fleet/command.ts')).fleetCommand(listenAlso, ['/proc/self/exe']),
  unlimitHeap: () => engine.unlimitHeap()
})
