import { connect } from 'node:net'
import { utf8Text } from '#runtime/base/bytes.ts'
import { HalError } from '../errors.ts'

/** A program that systemd starts for each connection to a socket, since it may do what this service may not. */
export interface Helper {
  /** Of the device, for messages. */
  readonly name: string
  readonly socket: string
  /** Milliseconds for an answer. */
  readonly patience: number
  /** The characters of an answer, at most. */
  readonly longest: number
}

/**
 * Sends a request to a helper.
 *
 * @returns all that it answers until it ends the connection
 * @throws {HalError} `ENODEV` without a helper, `ETIMEDOUT`, `EIO` for an answer that is too long
 */
export function ask({ name, socket: path, patience, longest }: Helper, request: Uint8Array): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ path })
    let answer = ''
    const fail = (code: 'ENODEV' | 'EIO' | 'ETIMEDOUT', reason: string) => {
      clearTimeout(late)
      socket.destroy()
      reject(new HalError(code, `${name}: ${path}: ${reason}`))
    }
    const late = setTimeout(() => fail('ETIMEDOUT', `no answer in ${patience} ms`), patience)
    if (request.length > 0) socket.once('connect', () => socket.write(request))
    socket.on('data', (chunk: Uint8Array) => {
      answer += utf8Text(chunk)
      if (answer.length > longest) fail('EIO', 'the answer is too long')
    })
    socket.on('error', (error) => fail('ENODEV', error.message))
    socket.on('close', () => {
      clearTimeout(late)
      resolve(answer)
    })
  })
}
