import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { handlers, version } from '#generated'
import { loadBackends } from '#hal/backends.ts'
import { fileCerts } from '#hal/file/certs.ts'
import type { ListenAlso } from '#runtime/listen/server.ts'
import { recordings } from '#runtime/recording/recordings.ts'
import { openDocuments } from '#runtime/store/documents.ts'

/** The service on Node.js: its files lie beside the bundle. */
const beside = dirname(fileURLToPath(import.meta.url))
const documents = openDocuments(readFileSync(join(beside, 'documents.bin')))

export const parts = {
  ...{ documents, loadBackends, openCerts: fileCerts, handlers, version },
  recordings: async () => recordings
}

/**
 * Node.js's server listens once; it takes connections that another one accepted. It looks at their times from when it is
 * told that it listens, also while it does not itself.
 */
export const listenAlso: ListenAlso = async (server, port, address) => {
  const listener = createServer({ noDelay: true }, (socket) => server.emit('connection', socket))
  listener.listen(port, address)
  await once(listener, 'listening')
  if (!server.listening) server.emit('listening')
  const closed = once(listener, 'close')
  const close = async () => {
    listener.close()
    await closed
  }
  return { port: (listener.address() as AddressInfo).port, close }
}
