import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { Frames } from '#hal/dbus/frames.ts'
import { type Header, readHeader, writeMessage } from '#hal/dbus/message.ts'
import type { Value } from '#hal/dbus/values.ts'

/** A bus that answers what `answer` returns; with `accept` and `agree`, what it says to the authentication. */
export async function fakeBus(
  t: Test,
  answer: (call: Header, socket: Socket) => readonly Uint8Array[],
  accept = 'DATA\r\nOK 1\r\n',
  agree = 'AGREE_UNIX_FD\r\n'
) {
  const folder = mkdtempSync(join(tmpdir(), 'bus-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const socket = join(folder, 'bus')
  const server = createServer((connection) => {
    const frames = new Frames()
    const hear = (chunk: Uint8Array) =>
      frames.push(chunk, ({ head }) => {
        for (const message of answer(readHeader(head) as Header, connection)) connection.write(message)
      })
    const negotiate = (chunk: Buffer) => {
      if (chunk.toString('latin1') === 'NEGOTIATE_UNIX_FD\r\n') {
        connection.write(agree)
        connection.once('data', negotiate)
      } else {
        hear(chunk.subarray('BEGIN\r\n'.length))
        connection.on('data', hear)
      }
    }
    connection.once('data', () => {
      connection.write(accept)
      connection.once('data', negotiate)
    })
    connection.on('error', () => undefined)
    t.teardown(() => connection.destroy())
  })
  await new Promise<void>((resolve) => server.listen(socket, resolve))
  t.teardown(() => server.close())
  return { socket }
}

/** The answer of the bus itself to a call. */
export const reply = (answers: number, text: string, more: Partial<Header> = {}, values: Value[] = [text]) =>
  writeMessage(
    { kind: 'return', serial: 1, isUnanswered: true, sender: 'org.freedesktop.DBus', signature: 's', answers, ...more },
    values
  )
