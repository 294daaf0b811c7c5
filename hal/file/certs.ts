import { chmodSync, readFileSync, statSync } from 'node:fs'
import { type FileCalls, fileCalls, isLost, makeDirectory, replaceFile } from '#runtime/base/files.ts'
import { Listeners } from '#runtime/base/listeners.ts'
import { type CertName, type Certs, certNames } from '../certs.ts'
import { fileError, HalError } from '../errors.ts'

/** Keeps each text as `<name>.pem`, 0600, in a directory that is the owner's alone, 0700. */
class FileCerts implements Certs {
  readonly #directory: string
  readonly #calls: FileCalls
  readonly #kept = new Map<CertName, string>()
  readonly #listeners = new Listeners<CertName>()
  #closed = false

  constructor(directory: string, calls: FileCalls) {
    this.#directory = directory
    this.#calls = calls
    for (const name of certNames) {
      const text = this.#read(name)
      if (text !== undefined) this.#kept.set(name, text)
    }
  }

  get(name: CertName): string | undefined {
    return this.#kept.get(name)
  }

  where(name: CertName): string {
    return `${this.#directory}/${name}.pem`
  }

  async set(name: CertName, text: string): Promise<void> {
    this.#change(name, 'set', () => replaceFile(this.where(name), text, this.#calls))
  }

  async delete(name: CertName): Promise<void> {
    if (!this.#closed && !this.#kept.has(name)) return
    this.#change(name, 'delete', () => {
      this.#calls.remove(this.where(name))
      this.#calls.sync(this.#directory)
    })
  }

  on(listener: (name: CertName) => void): () => void {
    return this.#listeners.add(listener)
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#listeners.clear()
  }

  /** Memory follows the disk also where the change was made but its sync failed. */
  #change(name: CertName, operation: string, work: () => void): void {
    if (this.#closed) throw new HalError('ENODEV', `certs: ${operation} ${name}: the device is closed`)
    try {
      work()
    } catch (error) {
      throw fileError('certs', `${operation} ${name}`, error)
    } finally {
      this.#reread(name)
    }
  }

  #reread(name: CertName): void {
    const text = this.#read(name)
    if (text === this.#kept.get(name)) return
    if (text === undefined) this.#kept.delete(name)
    else this.#kept.set(name, text)
    this.#listeners.emit(name)
  }

  #read(name: CertName): string | undefined {
    try {
      return readFileSync(this.where(name), 'utf8')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
      if (isLost(error)) return ''
      throw fileError('certs', `read ${name}`, error)
    }
  }
}

/**
 * Opens the place, and creates the directory if it is missing.
 *
 * @throws {HalError} when it cannot be made the owner's alone or be read
 */
export function fileCerts(directory: string, calls: FileCalls = fileCalls): Certs {
  try {
    makeDirectory(directory)
    // A disk that is read-only refuses that, also where nothing would change.
    if ((statSync(directory).mode & 0o777) !== 0o700) chmodSync(directory, 0o700)
  } catch (error) {
    throw fileError('certs', `open ${directory}`, error)
  }
  return new FileCerts(directory, calls)
}
