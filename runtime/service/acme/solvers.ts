import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { critical } from '#data/certificates'
import type { Configuration } from '#data/configuration'
import * as der from '#runtime/base/der.ts'
import type { Identity } from '../certificates/identity.ts'
import { selfSigned } from '../certificates/self-signed.ts'
import { AcmeError, printable } from './client.ts'
import { base64url, sha256 } from './jws.ts'
import type { Solver } from './order.ts'

/** The object identifier of id-pe-acmeIdentifier (RFC 8737, section 3). */
const acmeIdentifier = '1.3.6.1.5.5.7.1.31'

/** Has the listener show a certificate of the challenge to clients that ask for it by their protocol (RFC 8737). */
export function tlsAlpn(identity: Identity, now: Date): Solver {
  return {
    type: 'tls-alpn-01',
    async present(name, authorization) {
      identity.challenge = await selfSigned({
        commonName: name.slice(0, 64),
        altNames: { dns: [name], ip: [] },
        extensions: [critical(acmeIdentifier, der.octetString(sha256(authorization)))],
        now,
        random: randomBytes
      })
    },
    async withdraw() {
      identity.challenge = undefined
    }
  }
}

/** Has a program add the record of DNS that the challenge asks for, and remove it (RFC 8555, section 8.4). */
export function dnsHook({ dnsHook: program, dnsHookTime }: Configuration['enrollment']): Solver {
  let present: readonly string[] | undefined
  const run = (...args: readonly string[]) =>
    new Promise<void>((resolve, reject) => {
      const options = { timeout: dnsHookTime * 1000, maxBuffer: 65_536 }
      execFile(program, [...args], options, (error, _, complaints) => {
        if (error === null) return resolve()
        const complaint = String(complaints).trim().split('\n').at(-1) || (error.message.split('\n')[0] ?? '')
        const why = error.killed ? `it takes longer than ${dnsHookTime} s` : printable(complaint)
        reject(new AcmeError(`the program for records of DNS fails: ${why}`))
      })
    })
  return {
    type: 'dns-01',
    async present(name, authorization) {
      present = [`_acme-challenge.${name}`, base64url(sha256(authorization))]
      await run('add', ...present)
    },
    async withdraw() {
      const gone = present
      present = undefined
      if (gone !== undefined) await run('remove', ...gone)
    }
  }
}
