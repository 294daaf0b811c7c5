import type { Server } from 'node:https'
import type { Socket } from 'node:net'
import { utf8, utf8Text } from '#runtime/base/bytes.ts'
import type { Answer } from '#runtime/request/answer.ts'
import type { Parsed } from '#runtime/request/head.ts'

const reasons: Readonly<Record<number, string>> = {
  101: 'Switching Protocols',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  408: 'Request Timeout',
  426: 'Upgrade Required',
  431: 'Request Header Fields Too Large',
  501: 'Not Implemented',
  503: 'Service Unavailable',
  505: 'HTTP Version Not Supported'
}

/** Writes an answer to a socket that the host no longer parses; the connection ends after it. */
export function answerLast(socket: Pick<Socket, 'end'>, { headers, body, status }: Answer): void {
  const text = body === undefined ? '' : utf8Text(body)
  socket.end(`${headText(status, headers)}Connection: close\r\n\r\n${text}`)
}

/** Agrees to another protocol, which has the socket from here on (RFC 9110 7.8). */
export function switchProtocols(socket: Pick<Socket, 'write'>, headers: readonly string[]): void {
  socket.write(utf8(`${headText(101, headers)}\r\n`))
}

/** Has Node.js read a request again, as one that wants no upgrade. */
export function withoutUpgrade(
  server: Server,
  { method, url, rawHeaders }: Parsed,
  socket: Socket,
  rest: Uint8Array
): void {
  const kept = rawHeaders.filter((_, index) => rawHeaders[index & ~1]?.toLowerCase() !== 'upgrade')
  const lines = kept.flatMap((name, index) => (index % 2 === 0 ? `${name}: ${kept[index + 1]}\r\n` : []))
  const head = Buffer.from(`${method} ${url} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1')
  socket.unshift(Buffer.concat([head, rest]))
  server.emit('secureConnection', socket)
}

function headText(status: number, headers: readonly string[]): string {
  const lines = []
  for (let index = 0; index + 1 < headers.length; index += 2) lines.push(`${headers[index]}: ${headers[index + 1]}\r\n`)
  return `HTTP/1.1 ${status} ${reasons[status] ?? 'Refused'}\r\n${lines.join('')}`
}
