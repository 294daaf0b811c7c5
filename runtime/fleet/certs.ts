import type { CertName, Certs } from '#hal/certs.ts'
import { HalError } from '#hal/errors.ts'
import { Listeners } from '#runtime/base/listeners.ts'
import { isFull } from '#runtime/store/level.ts'
import type { SharedDatabase } from '#runtime/store/shared.ts'

/** Keeps the key and the certificate of a controller as a part of the database of all. */
export class DatabaseCerts implements Certs {
  readonly #database: SharedDatabase
  readonly #part: string
  readonly #kept: Map<string, string>
  readonly #listeners = new Listeners<CertName>()
  #closed = false

  private constructor(database: SharedDatabase, part: string, kept: Map<string, string>) {
    this.#database = database
    this.#part = part
    this.#kept = kept
  }

  /** @throws the system's error */
  static async open(database: SharedDatabase, part: string): Promise<DatabaseCerts> {
    return new DatabaseCerts(database, part, new Map(await database.entries(part)))
  }

  get(name: CertName): string | undefined {
    return this.#kept.get(name)
  }

  where(name: CertName): string {
    return `${this.#part}/${name}`
  }

  async set(name: CertName, text: string): Promise<void> {
    await this.#change(name, text)
  }

  async delete(name: CertName): Promise<void> {
    if (this.#closed || this.#kept.has(name)) await this.#change(name, undefined)
  }

  on(listener: (name: CertName) => void): () => void {
    return this.#listeners.add(listener)
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#listeners.clear()
  }

  async #change(name: CertName, value: string | undefined): Promise<void> {
    const what = `certs: ${value === undefined ? 'delete' : 'set'} ${name}`
    if (this.#closed) throw new HalError('ENODEV', `${what}: the device is closed`)
    try {
      await this.#database.write(this.#part, [{ key: name, value }]).finally(() => this.#reread(name))
    } catch (error) {
      throw new HalError(isFull(error) ? 'ENOSPC' : 'EIO', `${what}: ${(error as Error).message}`)
    }
  }

  /** Memory follows the disk: a batch that failed may be there nevertheless. */
  async #reread(name: CertName): Promise<void> {
    const text = new Map(await this.#database.entries(this.#part)).get(name)
    if (text === this.#kept.get(name)) return
    if (text === undefined) this.#kept.delete(name)
    else this.#kept.set(name, text)
    this.#listeners.emit(name)
  }
}

/** One controller's hold on the certificates of all: it lets go of its own listeners only. */
export class SharedCerts implements Certs {
  readonly #certs: Certs
  readonly #ends: (() => void)[] = []

  constructor(certs: Certs) {
    this.#certs = certs
  }

  get: Certs['get'] = (name) => this.#certs.get(name)
  where: Certs['where'] = (name) => this.#certs.where(name)
  set: Certs['set'] = (name, text) => this.#certs.set(name, text)
  delete: Certs['delete'] = (name) => this.#certs.delete(name)

  on(listener: Parameters<Certs['on']>[0]): () => void {
    const end = this.#certs.on(listener)
    this.#ends.push(end)
    return end
  }

  async close(): Promise<void> {
    for (const end of this.#ends) end()
  }
}
