// needs: dpkg-source
/**
 * OpenSSL 3.5 of Debian 13, which knows X25519MLKEM768, as a peer of both sides of TLS; and hellos of TLS 1.3 (RFC 8446, 4.1)
 * that no library sends.
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { unpacked } from '#runtime/build/debian.mjs'
import { architecture, hostArch } from '#runtime/build/sysroot.mjs'
import type { Command } from './program.ts'

/** Groups of TLS 1.3: RFC 8446, 4.2.7, and draft-ietf-tls-ecdhe-mlkem. */
export const groups = { P256: 23, P521: 25, X25519: 29, X25519MLKEM768: 0x11ec } as const

/** Alerts of TLS 1.3: RFC 8446, 6. */
export const alerts = { badRecordMac: 20, handshakeFailure: 40, illegalParameter: 47, decodeError: 50 } as const

/** The command `openssl` of Debian 13, with its own C library. */
export function openssl(): Command {
  const folder = unpacked('openssl', architecture(hostArch).debian, [
    'openssl',
    'libssl3t64',
    'libc6',
    'zlib1g',
    'libzstd1'
  ])
  const { triplet } = architecture(hostArch)
  const loader = ['lib64/ld-linux-x86-64.so.2', 'lib/ld-linux-aarch64.so.1'].map((name) => join(folder, 'usr', name))
  return [
    loader.find(existsSync) ?? '',
    '--library-path',
    join(folder, 'usr/lib', triplet),
    join(folder, 'usr/bin/openssl')
  ]
}

/** The result of `openssl s_client`: the group, whether it resumed a session, its hellos, and whether it was served. */
export interface Visit {
  readonly group: string | undefined
  readonly reused: boolean
  readonly hellos: number
  readonly served: boolean
}

/**
 * A GET with `openssl s_client`.
 *
 * @param words more options of it: `-groups`, `-sess_out`
 * @param request whose answer ends the connection
 */
export async function visitWithOpenssl(
  port: number,
  words: readonly string[] = [],
  request = 'GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'
): Promise<Visit> {
  const [program, ...before] = openssl()
  const all = [...before, 's_client', '-connect', `127.0.0.1:${port}`, '-msg', '-ign_eof', ...words]
  const child = spawn(program, all, { stdio: ['pipe', 'pipe', 'ignore'], timeout: 240_000 })
  child.stdin.on('error', () => {}) // it ended before it read
  child.stdin.end(request)
  let text = ''
  for await (const part of child.stdout) text += part
  return {
    group: /^(?:Negotiated TLS1.3 group: |Peer Temp Key: (?:ECDH, )?)(\w+)/m.exec(text)?.[1],
    reused: /^Reused, /m.test(text),
    hellos: [...text.matchAll(/^>>> .*, ClientHello$/gm)].length,
    served: /^HTTP\/1.1 200/m.test(text)
  }
}

const number = (value: number) => Buffer.of(value >> 8, value & 255)
const vector = (...parts: Uint8Array[]) => {
  const content = Buffer.concat(parts)
  return Buffer.concat([number(content.length), content])
}
const extension = (type: number, ...parts: Uint8Array[]) => Buffer.concat([number(type), vector(...parts)])

/** A key share: a group, and its key exchange. */
export type Share = readonly [group: number, data: Uint8Array]
const share = ([group, data]: Share) => Buffer.concat([number(group), vector(data)])

/** A message in a record; types of messages: RFC 8446, 4. */
const record = (type: number, body: Uint8Array) =>
  Buffer.concat([Buffer.of(22, 3, 3), vector(Buffer.of(type, 0), vector(body))])

/** A ClientHello in a record. */
export function clientHello(offered: readonly number[], shares: readonly Share[]): Buffer {
  const extensions = vector(
    extension(43, Buffer.of(2, 3, 4)),
    extension(10, vector(...offered.map(number))),
    extension(13, vector(number(0x0403), number(0x0804))),
    extension(51, vector(...shares.map(share)))
  )
  const suites = vector(number(0x1301), number(0x1303))
  return record(1, Buffer.concat([number(0x303), randomBytes(32), Buffer.of(0), suites, Buffer.of(1, 0), extensions]))
}

/** The random bytes that make a ServerHello a HelloRetryRequest: the SHA-256 of this name (RFC 8446, 4.1.3). */
const retry = Buffer.from('cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c', 'hex')

/** The answer to a ClientHello: a ServerHello with a share, or a HelloRetryRequest for a group. */
export function serverHello(hello: Uint8Array, answer: Share | number): Buffer {
  const session = hello.subarray(43, 44 + hello[43]!)
  const isRetry = typeof answer === 'number'
  const extensions = vector(extension(43, Buffer.of(3, 4)), extension(51, isRetry ? number(answer) : share(answer)))
  const random = isRetry ? retry : randomBytes(32)
  return record(2, Buffer.concat([number(0x303), random, session, number(0x1303), Buffer.of(0), extensions]))
}

/** The first record of a peer: its alert, its share's group and length, or the group that it wants a share of. */
export type Reply = { alert: number } | { group: number; length: number } | { retry: number } | undefined

export function reply(data: Buffer): Reply {
  if (data[0] === 21) return { alert: data[6]! }
  if (data[0] !== 22 || data[5] !== 2) return undefined
  const isRetry = data.subarray(11, 43).equals(retry)
  let at = 44 + data[43]! + 5 // the session, the suite, the compression, the length of the extensions
  while (data.readUInt16BE(at) !== 51) at += 4 + data.readUInt16BE(at + 2)
  const group = data.readUInt16BE(at + 4)
  return isRetry ? { retry: group } : { group, length: data.readUInt16BE(at + 6) }
}
