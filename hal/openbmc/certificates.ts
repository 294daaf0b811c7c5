import { rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { replaceFile } from '#runtime/base/files.ts'
import { Listeners } from '#runtime/base/listeners.ts'
import type { Certificates } from '../certificates.ts'
import { fileError, HalError, type HalErrorCode } from '../errors.ts'
import { ask, type Helper } from './helper.ts'
import { type BusOptions, busOptions, type Objects } from './objects.ts'

/** The back end `openbmc` of certificates: those of OpenBMC's certificate managers. */
export interface OpenbmcCertificatesOptions extends BusOptions {
  /** The socket at which the file of HTTPS is read. Default `/run/minnow-https`. */
  readonly https?: string | undefined
  /** Existing folder for what is handed to a certificate manager. */
  readonly directory: string
}

/** {@link OpenbmcCertificatesOptions} in a board file. */
export const openbmcCertificatesOptions = {
  type: 'object',
  properties: {
    https: { type: 'string', description: 'The socket at which the file of HTTPS is read. Default /run/minnow-https' },
    ...busOptions
  }
} as const

const install = 'xyz.openbmc_project.Certs.Install'
const replacement = 'xyz.openbmc_project.Certs.Replace'
const certificate = 'xyz.openbmc_project.Certs.Certificate'
const deletion = 'xyz.openbmc_project.Object.Delete'
const https = '/xyz/openbmc_project/certs/server/https'
const trusted = '/xyz/openbmc_project/certs/authority/truststore'

export const certificateInterfaces = [install, replacement, certificate, deletion]

/** The characters of the file of HTTPS, at most, and milliseconds until it has been read. */
const longest = 262_144
const patience = 5000

/**
 * Certificates are objects below their manager's. The bus has no private keys: that of HTTPS is read, with its certificate
 * and chain, by a helper that may read the manager's file. A certificate to install is passed to a manager as a file.
 */
export function openbmcCertificates(objects: Objects, options: OpenbmcCertificatesOptions): Certificates {
  return new OpenbmcCertificates(objects, options)
}

class OpenbmcCertificates implements Certificates {
  readonly #objects: Objects
  readonly #name: string
  readonly #warn: (text: string) => void
  readonly #helper: Helper
  readonly #file: string
  readonly #listeners = new Listeners<'server' | 'authorities'>()
  readonly settled: Promise<void>
  #server: string | undefined
  #authorities: ReadonlyMap<string, string> | undefined
  #reading: Promise<void> = Promise.resolve()
  /** The reading that comes after the one that is under way. */
  #next: Promise<void> | undefined
  #warned = ''
  #isInstalling = false
  #isClosed = false

  constructor(objects: Objects, { name, https: socket = '/run/minnow-https', ...options }: OpenbmcCertificatesOptions) {
    this.#objects = objects
    this.#name = name
    this.#warn = options.warn
    this.#helper = { name, socket, patience, longest }
    this.#file = resolve(options.directory, `${name}.pem`)
    // One that is left from a process that was killed may have a private key.
    rmSync(this.#file, { force: true })
    objects.on((changed) => {
      const concerns = (root: string) => [...changed].some((path) => path === root || path.startsWith(`${root}/`))
      if (concerns(https)) void this.#read()
      if (concerns(trusted)) this.#look()
    })
    this.#look()
    this.settled = this.#read()
  }

  get server(): string | undefined {
    return this.#server
  }

  get authorities(): ReadonlyMap<string, string> | undefined {
    return this.#authorities
  }

  async replace(text: string): Promise<void> {
    const present = this.#paths(https).find((path) => this.#objects.properties(path, certificate) !== undefined)
    await this.#hand(text, (file) =>
      present === undefined
        ? this.#objects.call(https, install, 'Install', 's', [file])
        : this.#objects.call(present, replacement, 'Replace', 's', [file])
    )
    await this.#read()
    if (this.#server !== text) throw this.#error('EIO', `${this.#helper.socket}: what was installed is not there`)
  }

  async add(text: string): Promise<void> {
    const [path] = await this.#hand(text, (file) => this.#objects.call(trusted, install, 'Install', 's', [file]))
    await this.#objects.until(String(path), () => this.#text(String(path)) !== undefined)
    this.#look()
  }

  async remove(name: string): Promise<void> {
    const path = `${trusted}/${name}`
    await this.#objects.call(path, deletion, 'Delete')
    await this.#objects.until(path, () => this.#text(path) === undefined)
    this.#look()
  }

  on(listener: (what: 'server' | 'authorities') => void): () => void {
    return this.#listeners.add(listener)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#listeners.clear()
    this.#objects.close()
  }

  /** Hands a text to a certificate manager: as the path of a file, which is there for the time of the call. */
  async #hand<T>(text: string, call: (file: string) => Promise<T>): Promise<T> {
    if (this.#isInstalling) throw this.#error('EBUSY', 'another certificate is being installed')
    this.#isInstalling = true
    try {
      this.#write(text)
      return await call(this.#file)
    } finally {
      rmSync(this.#file, { force: true })
      this.#isInstalling = false
    }
  }

  #write(text: string): void {
    try {
      replaceFile(this.#file, text)
    } catch (error) {
      throw fileError(this.#name, 'write', error)
    }
  }

  #paths(root: string): string[] {
    return this.#objects.paths(certificate).filter((path) => path.startsWith(`${root}/`))
  }

  #text(path: string): string | undefined {
    const text = this.#objects.properties(path, certificate)?.get('CertificateString')
    return typeof text === 'string' ? text : undefined
  }

  #look(): void {
    // Without the manager, nothing says that a certificate is gone.
    if (this.#objects.properties(trusted, install) === undefined) return
    const found = this.#paths(trusted).flatMap((path) => {
      const text = this.#text(path)
      return text === undefined ? [] : [[path.slice(trusted.length + 1), text] as const]
    })
    const now = new Map(found)
    if (this.#authorities !== undefined && JSON.stringify([...this.#authorities]) === JSON.stringify(found)) return
    this.#authorities = now
    this.#listeners.emit('authorities')
  }

  /** Reads the file of HTTPS, after a reading that is under way: what that one reads may be older. */
  #read(): Promise<void> {
    this.#next ??= this.#reading.then(() => {
      this.#next = undefined
      this.#reading = this.#readOnce()
      return this.#reading
    })
    return this.#next
  }

  /** If it cannot be read, what was read last stays. */
  async #readOnce(): Promise<void> {
    try {
      const text = (await ask(this.#helper, new Uint8Array())) || undefined
      this.#warned = ''
      if (this.#isClosed || text === this.#server) return
      this.#server = text
    } catch (error) {
      const { message } = error as HalError
      if (message !== this.#warned && !this.#isClosed) this.#warn(message)
      this.#warned = message
      return
    }
    this.#listeners.emit('server')
  }

  #error(code: HalErrorCode, reason: string): HalError {
    return new HalError(code, `${this.#name}: ${reason}`)
  }
}
