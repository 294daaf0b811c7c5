import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:tls'
import { deadPort } from '#test/runtime/service/events/subscriber.ts'
import { type Line, localhost, onEveryClient, perform } from './undici-client.ts'

onEveryClient(async (t, command) => {
  t.test('texts arrive one after another, large ones as well', async (t) => {
    const lengths = [4, 300_000, 0, 6]
    let missing = 300_010
    const server = createServer({ cert: localhost.certificate, key: localhost.key })
    const all = new Promise<void>((resolve) => {
      server.on('secureConnection', (socket) => {
        // Who does not trust the server leaves.
        socket.on('error', () => socket.destroy())
        socket.on('data', ({ length }) => {
          missing -= length
          if (missing === 0) resolve()
        })
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.teardown(() => server.close())
    const { port } = server.address() as AddressInfo
    const options = { host: '127.0.0.1', port, rejectUnauthorized: false }
    t.same(await perform(t, command, { options, lengths }), [{ connected: true }, ...lengths.map((sent) => ({ sent }))])
    await all
    t.equal(missing, 0)

    const refused: Line[] = await perform(t, command, { options: { ...options, rejectUnauthorized: true }, lengths })
    t.match(refused, [{ failed: /UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT_LOCALLY/ }])
  })

  t.test('a closed port is ECONNREFUSED', async (t) => {
    const options = { host: '127.0.0.1', port: await deadPort(), rejectUnauthorized: false }
    t.same(await perform(t, command, { options, lengths: [1] }), [{ failed: 'ECONNREFUSED' }])
  })
}, 'tls')
