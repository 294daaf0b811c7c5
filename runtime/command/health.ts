import { Client } from 'undici'
import { sleep } from '#runtime/base/sleep.ts'

/** The longest time that an answer may take, in milliseconds: a controller has much to do when it starts. */
const timeout = 30_000

/** How often the service is asked, at most, and how long after each time, in milliseconds. */
const tries = 60
const pause = 1000

/** Whether the service comes to answer, in a minute or until `isOver`. @param port at that time */
export async function becomesHealthy(address: string, port: () => number, isOver: () => boolean): Promise<boolean> {
  for (let tried = 0; tried < tries && !isOver(); tried += 1) {
    if (await answers(address, port())) return true
    await sleep(pause)
  }
  return false
}

/**
 * Whether the service answers a GET of its root over loopback.
 *
 * @param address that it listens on
 */
async function answers(address: string, port: number): Promise<boolean> {
  const loopback = { '0.0.0.0': '127.0.0.1', '::': '::1' }[address] ?? address
  const client = new Client(`https://${loopback.includes(':') ? `[${loopback}]` : loopback}:${port}`, {
    connect: { timeout, rejectUnauthorized: false },
    headersTimeout: timeout,
    bodyTimeout: timeout
  })
  try {
    const { statusCode, body } = await client.request({ method: 'GET', path: '/redfish/v1/' })
    for await (const _ of body);
    return statusCode === 200
  } catch {
    return false
  } finally {
    await client.destroy()
  }
}
