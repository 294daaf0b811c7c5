import { createServer } from 'node:https'
import { makeSigner } from '#test/host/certificates.ts'
import { type Host, hosts } from '#test/host/hosts.ts'
import { resident } from '#test/host/process.ts'
import type { Connection } from '#test/host/raw.ts'
import { admin, type Scope, type Server } from '#test/host/server.ts'
import type { Figure } from './figures.ts'
import { type Measurement, startAsShipped } from './measurement.ts'
import { port, submitEvent, subscribe } from './subscribers.ts'

const [subscribers, queue, sessions, streams] = [20, 100, 32, 10]

/** Resident memory with all that the limits allow at once. */
export async function* fullHouse(measurement: Measurement): AsyncGenerator<Figure> {
  for (const host of hosts.slice(0, 2)) {
    if (host.missing) continue
    const server = await filled(measurement, host)
    const name = `memory with 20 subscribers, full queues, 32 sessions, 10 streams, ${host.name}`
    yield { name, value: resident(server.process.pid), unit: 'B' }
    await server.kill()
  }
}

/**
 * A service with 20 subscribers that take a notification and never answer, a full queue for each, 32 sessions and 10
 * event streams.
 *
 * @throws Error when one of it is refused, or a queue is not full
 */
export async function filled(scope: Scope, host: Host): Promise<Server> {
  const server = await startAsShipped(scope, host)
  const destination = `https://127.0.0.1:${await deaf(scope)}/events`
  const uris: string[] = []
  for (let n = 0; n < subscribers; n++) uris.push(await subscribe(server, destination))
  for (let n = 0; n < sessions; n++) await server.login()
  for (let n = 0; n < streams; n++) await stream(scope, server)
  for (let n = 0; n < 2 * queue; n++) await submitEvent(server, `full ${n}`)
  for (const uri of uris) {
    const { Status, Oem } = (await server.get(uri)).json
    if (!(Oem.Vendor.QueuedEvents >= queue)) throw new Error(`${uri}: ${JSON.stringify({ Status, Oem })}`)
  }
  return server
}

/** The port of an HTTPS listener that takes requests and never answers. */
async function deaf(scope: Scope): Promise<number> {
  const { certificate: cert, key } = makeSigner(scope, { subject: '/CN=localhost' })
  const listener = createServer({ cert, key }, () => undefined)
  scope.teardown(() => {
    listener.close()
    listener.closeAllConnections()
  })
  return port(listener)
}

/** A connection that receives events as they happen. */
async function stream(scope: Scope, server: Server): Promise<void> {
  const { ServerSentEventUri } = (await server.get('/redfish/v1/EventService/')).json
  const connection: Connection = await server.connect()
  scope.teardown(() => connection.close())
  const fields = `Host: bmc\r\nAuthorization: ${admin.authorization}\r\nAccept: text/event-stream\r\n`
  connection.write(`GET ${ServerSentEventUri} HTTP/1.1\r\n${fields}\r\n`)
  while (!connection.received.includes('\r\n\r\n') && !connection.socket.destroyed) {
    await new Promise((resolve) => connection.socket.once('data', resolve).once('close', resolve))
  }
  const [head = ''] = connection.received.toString().split('\r\n\r\n')
  if (!head.startsWith('HTTP/1.1 200')) throw new Error(`no stream: ${head}`)
}
