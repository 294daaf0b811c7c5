import { EventEmitter } from 'node:events'
import t from 'tap'
import { Connections } from '#runtime/listen/connections.ts'

/** A connection of a client to an address. */
function accepted(localAddress: string, remotePort: number) {
  const socket = Object.assign(new EventEmitter(), {
    ...{ localAddress, remoteAddress: '192.0.2.1', remotePort, destroyed: false },
    destroy() {
      socket.destroyed = true
    }
  })
  return socket
}

t.test('connections to an address end, each after the answer under way', async (t) => {
  const connections = new Connections({ connections: 10, connectionsPerAddress: 10 })
  const [idle, busy, other] = [accepted('10.0.0.1', 1), accepted('10.0.0.1', 2), accepted('10.0.0.2', 3)] as const
  for (const each of [idle, busy, other]) connections.accept(each)
  connections.of(busy).busy = true
  connections.end(({ localAddress }) => localAddress === '10.0.0.1')
  t.same(
    [idle, busy, other].map(({ destroyed }) => destroyed),
    [true, false, false]
  )
  t.same(
    [busy, other].map((each) => connections.of(each).ends),
    [true, false]
  )
})
