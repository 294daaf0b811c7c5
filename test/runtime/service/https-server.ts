import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import { selfSigned } from '#runtime/service/certificates/self-signed.ts'

const { key, cert } = await selfSigned({
  commonName: 'files',
  altNames: { dns: [], ip: ['127.0.0.1'] },
  now: new Date(),
  random: (size) => new Uint8Array(size).fill(7)
})

/** A server of files on loopback. @returns its origin, and its certificate: its own authority */
export async function serveHttps(t: Test, listener: RequestListener): Promise<{ origin: string; cert: string }> {
  const server = createServer({ cert, key }, listener).listen(0, '127.0.0.1')
  server.keepAliveTimeout = 0 // a connection is open until the client ends it
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { origin: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, cert }
}
