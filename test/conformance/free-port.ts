import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * A port of the loopback interface without a listener, for a program that cannot choose one by itself. It lies below
 * those that the kernel gives to connections and to listeners on port 0 (ip_local_port_range), so that none of them takes
 * it before the program does.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_768)
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await new Promise<boolean>((resolve) => {
      server.on('listening', () => resolve(true)).on('error', () => resolve(false))
    })
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
}
