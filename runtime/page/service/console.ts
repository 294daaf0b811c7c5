import { Failure } from '../rules/failure.ts'
import { ask, checked, session } from './client.ts'

/** A serial console that is open. */
export interface OpenConsole {
  type(text: string): void
  close(): void
}

/** The latest output of the serial console of a host. @throws Failure */
export async function readConsole(uri: string): Promise<Uint8Array> {
  const answer = await ask(uri, { headers: { Accept: 'application/octet-stream' }, cache: 'no-store' })
  if (!answer.ok) await checked(answer)
  return new Uint8Array(await answer.arrayBuffer())
}

/**
 * Opens the serial console of a host.
 *
 * @param said called with its output: first all that it said before, perhaps nothing
 * @param over is called when the connection has ended
 * @throws Failure
 */
export async function openConsole(
  uri: string,
  said: (bytes: Uint8Array) => void,
  over: () => void
): Promise<OpenConsole> {
  const address = new URL(`${uri}?history=true`, location.href.replace(/^http/, 'ws'))
  // A page has no other way to say who opens a WebSocket than the protocol that it offers.
  const socket = new WebSocket(address, [session.value?.token ?? ''])
  socket.binaryType = 'arraybuffer'
  socket.onmessage = ({ data }) => said(new Uint8Array(data))
  await new Promise<void>((resolve, reject) => {
    socket.onopen = () => resolve()
    // A browser does not tell why a WebSocket was refused; a GET is refused for the same reason.
    socket.onclose = () => readConsole(uri).then(() => reject(new Failure(0, [])), reject)
  })
  socket.onclose = over
  const encoder = new TextEncoder()
  return {
    type: (text) => socket.readyState === WebSocket.OPEN && socket.send(encoder.encode(text)),
    close() {
      socket.onclose = null
      socket.close()
    }
  }
}
