import { once } from 'node:events'
import { createServer, type Server as Listener } from 'node:https'
import { type AddressInfo, createServer as createPlain, type Server as Socket } from 'node:net'
import { makeSigner } from '#test/host/certificates.ts'
import type { Server } from '#test/host/server.ts'
import type { Measurement } from './measurement.ts'

const subscriptions = '/redfish/v1/EventService/Subscriptions/'

/** A real HTTPS listener that receives events, and the time of each. */
export class Subscriber {
  /** The first arrival of each event, in milliseconds of `performance.now()`, by the subscription's context and its id. */
  readonly came = new Map<string, number>()
  /** The number of duplicates. */
  twice = 0
  readonly destination: string

  constructor(listener: Listener, port: number) {
    this.destination = `https://127.0.0.1:${port}/events`
    listener.on('request', (request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk) => chunks.push(chunk))
      request.on('end', () => {
        response.writeHead(204).end()
        const now = performance.now()
        const { Context, Events } = JSON.parse(Buffer.concat(chunks).toString())
        for (const { EventId } of Events) {
          const id = `${Context}${EventId}`
          if (this.came.has(id)) this.twice += 1
          else this.came.set(id, now)
        }
      })
    })
  }
}

/** Has a listener listen; its port. */
export async function port(listener: Listener | Socket): Promise<number> {
  await once(listener.listen(0, '127.0.0.1'), 'listening')
  return (listener.address() as AddressInfo).port
}

/** So many listeners; they close when the measurement ends. */
export async function listen(measurement: Measurement, count: number): Promise<Subscriber[]> {
  const { certificate: cert, key } = makeSigner(measurement, { subject: '/CN=localhost' })
  // By default a connection that is idle for five seconds is closed.
  const listeners = Array.from({ length: count }, () => createServer({ cert, key, keepAliveTimeout: 120_000 }))
  measurement.teardown(() => {
    for (const listener of listeners) {
      listener.close()
      listener.closeAllConnections()
    }
  })
  return Promise.all(listeners.map(async (listener) => new Subscriber(listener, await port(listener))))
}

/** A destination that accepts connections and never answers. */
export async function silence(measurement: Measurement): Promise<string> {
  const listener = createPlain((socket) => {
    socket.on('error', () => socket.destroy())
    measurement.teardown(() => socket.destroy())
  })
  measurement.teardown(() => listener.close())
  return `https://127.0.0.1:${await port(listener)}/events`
}

/**
 * Subscribes a destination with the longest queue there is.
 *
 * @returns the URI of the subscription
 * @throws Error when the service refuses
 */
export async function subscribe(server: Server, Destination: string): Promise<string> {
  const Vendor = { RequestedMaxEventsToQueue: 100, DeliveryRetryAttempts: 10, DeliveryRetryIntervalInSeconds: 1 }
  const answer = await server.post(subscriptions, { Destination, Oem: { Vendor } })
  if (answer.status !== 201) throw new Error(`no subscription: ${answer.status} ${answer.text}`)
  return String(answer.headers.location)
}

/**
 * Has the service send a test event to its subscribers.
 *
 * @throws Error when the service refuses
 */
export async function submitEvent(server: Server, EventId: string): Promise<void> {
  const event = { EventId, MessageId: 'ResourceEvent.1.3.ResourceChanged', Severity: 'OK', OriginOfCondition: origin }
  const answer = await server.post('/redfish/v1/EventService/Actions/EventService.SubmitTestEvent/', event)
  if (answer.status !== 200) throw new Error(`no event: ${answer.status} ${answer.text}`)
}

const origin = '/redfish/v1/Chassis/1/'
