import { createHash } from 'node:crypto'
import { fail, MessageError, message } from '#runtime/contract'
import type { Head } from './head.ts'

/** Whether a client wants a WebSocket (RFC 6455 4.1). Hosts hand such requests over with their connection. */
export function asksForWebSocket({ method, headers }: Pick<Head, 'method' | 'headers'>): boolean {
  return method === 'GET' && has(headers.upgrade, 'websocket') && has(headers.connection, 'upgrade')
}

/**
 * The headers of the answer that agrees to a WebSocket (RFC 6455 4.2.2). Of the protocols that the client offers the
 * first is taken: there a browser says who it is (see `Authentication`), and it insists on an answer.
 *
 * @throws MessageError 400, 426 for another version
 */
export function acceptWebSocket({ headers }: Head): string[] {
  const { 'sec-websocket-key': key = '', 'sec-websocket-protocol': protocols } = headers
  if (headers['sec-websocket-version'] !== '13') throw upgradeRequired()
  if (!/^[A-Za-z0-9+/]{22}==$/.test(key)) fail(400, 'Mgmt.MalformedRequest')
  const accept = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
  const agreed = ['Upgrade', 'websocket', 'Connection', 'Upgrade', 'Sec-WebSocket-Accept', accept]
  const [protocol] = list(protocols)
  return protocol === undefined ? agreed : [...agreed, 'Sec-WebSocket-Protocol', protocol]
}

/** The answer to a client that does not ask for the WebSocket that there is (RFC 9110 15.5.22). */
export function upgradeRequired(): MessageError {
  const headers = { Upgrade: 'websocket', 'Sec-WebSocket-Version': '13' }
  return new MessageError(426, [message('Mgmt.MalformedRequest')], headers)
}

/** The protocols that the client of a WebSocket offers. */
export function list(header = ''): string[] {
  return header.split(',').flatMap((each) => each.trim() || [])
}

function has(header: string | undefined, word: string): boolean {
  return list(header).some((each) => each.toLowerCase() === word)
}
