import type { Server } from 'node:https'
import type { Service } from '#runtime/open/service.ts'
import type { Head } from '#runtime/request/head.ts'
import { challenges } from './challenges.ts'
import { contextByName, contexts, type Named } from './named.ts'

/** Those with authenticated encryption: the same on both hosts, which OpenSSL and Mbed TLS name each in their way. */
const ciphers = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-RSA-CHACHA20-POLY1305',
  'ECDHE-RSA-AES256-GCM-SHA384'
].join(':')

/**
 * SSL_OP_NO_TICKET of OpenSSL. It takes up a session before it asks which name the client wants, with the certificate
 * of the name before. The binary has tickets for each name.
 */
const noTickets = 0x4000

/** The certificates of a server and of its clients. */
export interface Certified extends Pick<Service, 'identity'> {
  readonly clientCertificates: Pick<Service['clientCertificates'], 'enabled' | 'onSwitched'>
  readonly named?: Named | undefined
}

/** The part of a socket that tells which certificate its client presented. */
export interface Secured {
  getPeerX509Certificate?(): { readonly raw: Uint8Array } | undefined
}

/** The TLS of a server: which certificates it presents, and those that its clients present. */
export class ServerTls {
  /** For a new server. */
  readonly options
  readonly #certified: Certified
  readonly #contextOf
  readonly #challenge
  #asksClients: boolean
  /** The certificates that clients presented, by connection; empty if one presented none. */
  readonly #presented = new WeakMap<object, Uint8Array>()

  constructor(certified: Certified) {
    const { identity, clientCertificates, named } = certified
    this.#certified = certified
    this.#asksClients = clientCertificates.enabled
    const protocol = { minVersion: 'TLSv1.2' as const, ciphers }
    this.#contextOf = contexts(protocol)
    this.#challenge = challenges(this.#contextOf)
    this.options = {
      ...identity.pair,
      ...protocol,
      ...this.#challenge.options,
      ...(named && { SNICallback: contextByName(named, this.#contextOf), secureOptions: noTickets }),
      requestCert: this.#asksClients,
      // TLS makes the client prove that it has the key; `ClientCertificates` decides whom a certificate stands for.
      rejectUnauthorized: false
    }
  }

  /** Keeps a server current as certificates are replaced, and clients are asked for theirs or no longer. @returns what ends it */
  keepCurrent(server: Server): () => void {
    const { identity, clientCertificates, named } = this.#certified
    const renew = (pair = identity.pair) => server.setSecureContext({ ...this.options, ...pair })
    const switched = () => {
      if (clientCertificates.enabled === this.#asksClients) return
      this.#asksClients = clientCertificates.enabled
      Object.assign(server, { requestCert: this.#asksClients })
      // A session from before, in which no certificate was asked for, is not to be resumed: its tickets lose their key.
      renew()
    }
    const endings = [
      identity.on(renew),
      identity.onChallenge((pair) => this.#challenge.set(server, pair)),
      clientCertificates.onSwitched(switched),
      named?.onReplaced(this.#contextOf)
    ]
    return () => {
      for (const end of endings) end?.()
    }
  }

  /** Adds the certificate that the client presented to the head of a request, if clients are asked for one. */
  withCertificate(head: Head, socket: Secured): Head {
    if (!this.#asksClients) return head
    const certificate = () => {
      let presented = this.#presented.get(socket)
      if (presented === undefined) {
        presented = socket.getPeerX509Certificate?.()?.raw ?? new Uint8Array()
        this.#presented.set(socket, presented)
      }
      return presented.length === 0 ? undefined : presented
    }
    return { ...head, certificate }
  }
}
