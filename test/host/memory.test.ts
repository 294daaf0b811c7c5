import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { onEveryHost } from './every-host.ts'
import { resident } from './process.ts'
import { head, toPort } from './raw.ts'
import { admin, start } from './server.ts'

const chassis = '/redfish/v1/Chassis/1/'
const authorization = `Authorization: ${admin.authorization}\r\n`
const json = 'Content-Type: application/json\r\n'

onEveryHost(async (t, host) => {
  t.test('connections that say nothing leave nothing behind', async (t) => {
    // Of this little heap each would take a four-thousandth.
    const server = await start(t, host, { env: { MINNOW_HEAP_MIB: '14' } })
    for (let n = 0; n < 5000; n++) {
      const socket = connect(server.port, '127.0.0.1')
      await once(socket, 'connect')
      socket.destroy()
    }
    t.equal((await server.get(chassis)).status, 200)
  })

  const server = await start(t, host)

  t.test('memory does not grow under bad input', async (t) => {
    const all = [
      ...['{"', '[[[[', '{"Colour":1}', `{"a":"${'x'.repeat(100_000)}"}`].map(
        (body) => head('PATCH', chassis, `${authorization}${json}Content-Length: ${body.length}\r\n`) + body
      ),
      head('GET', chassis, `X-Long: ${'x'.repeat(9216)}\r\n`),
      head('GET', chassis, 'X-Auth-Token: 0123456789abcdef0123456789abcdef\r\n'),
      head('PATCH', chassis, `${authorization}${json}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n`),
      'hello\r\n\r\n'
    ]
    const batch = async (rounds: number) => {
      for (let n = 0; n < rounds; n++) {
        for (const bytes of all) {
          const client = await server.connect()
          client.write(bytes.replace('Host: bmc', 'Host: bmc\r\nConnection: close'))
          await client.responses()
        }
        for (let path = 0; path < 20; path++) {
          await server.get(`/redfish/v1/Chassis/${randomBytes(200).toString('hex')}/`)
        }
        await toPort(server.port, randomBytes(512))
      }
    }
    const rounds = host.slowness > 1 ? 4 : 20
    // Caches fill and the heap finds its size; an emulator also keeps what it has translated.
    for (let n = 0; n < 3; n++) await batch(rounds)
    // The minimum of several batches leaves out garbage that is not yet collected.
    const least = async () => {
      const seen: number[] = []
      for (let n = 0; n < 4; n++) {
        await batch(rounds)
        seen.push(resident(server.process.pid))
      }
      return Math.min(...seen)
    }
    const before = await least()
    const grown = (await least()) - before
    t.ok(
      grown < (host.name === 'Node.js' ? 24 : host.slowness > 1 ? 4 : 1) * 2 ** 20,
      `${grown} bytes more than ${before}`
    )
  })
})
