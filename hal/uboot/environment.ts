import { utf8, utf8Text, viewOf } from '#runtime/base/bytes.ts'
import { crc32 } from '#runtime/base/crc32.ts'
import { HalError } from '../errors.ts'
import type { Flash } from '../flash.ts'

/** Where the two copies lie in their flash, each in erase blocks of its own. Bytes. */
export interface EnvironmentLayout {
  readonly copies: readonly number[]
  readonly size: number
}

type Variables = ReadonlyMap<string, string>

/** CRC-32 of what comes behind the header, and whether the copy is in use. */
const headerSize = 5
const flagsAt = 4
const active = 1
const obsolete = 0

/**
 * The environment of U-Boot in a flash, in two copies (U-Boot 2025.01, env/sf.c and env/common.c): each a header, and
 * `name=value` with a NUL behind each and behind all. A change is written as a whole over the copy that is not in use,
 * and only then is the other one marked as obsolete: a power cut leaves all of the change or nothing of it.
 */
export class Environment {
  readonly #open: () => Flash
  readonly #layout: EnvironmentLayout
  #variables: Variables

  /** @throws {HalError} as `open` and reading do */
  constructor(open: () => Flash, layout: EnvironmentLayout) {
    this.#open = open
    this.#layout = layout
    this.#variables = this.#with((flash) => this.#current(flash).variables)
  }

  /** As they were last read or written; none where neither copy is whole: U-Boot then takes what it was built with. */
  get variables(): Variables {
    return this.#variables
  }

  /**
   * Sets variables, and removes those that are undefined.
   *
   * @throws {HalError} `EINVAL` where they do not fit; as the flash does, and then what was there still is
   */
  change(changes: Readonly<Record<string, string | undefined>>): void {
    this.#with((flash) => {
      const { place, variables } = this.#current(flash)
      const changed = new Map(variables)
      for (const [name, value] of Object.entries(changes)) {
        if (value === undefined) changed.delete(name)
        else changed.set(name, value)
      }
      this.#write(flash, place === 0 ? 1 : 0, changed)
      if (place !== undefined) flash.program(this.#place(place) + flagsAt, Uint8Array.of(obsolete))
      flash.sync()
      this.#variables = changed
    })
  }

  #with<T>(work: (flash: Flash) => T): T {
    const flash = this.#open()
    try {
      return work(flash)
    } finally {
      flash.close()
    }
  }

  /** The copy in use, by the rules of U-Boot's `env_check_redund`. */
  #current(flash: Flash): { place: 0 | 1 | undefined; variables: Variables } {
    const [first, second] = [0, 1].map((place) => flash.read(this.#place(place), this.#layout.size)) as [
      Uint8Array,
      Uint8Array
    ]
    const place = isWhole(first) ? (isWhole(second) && isNewer(second, first) ? 1 : 0) : isWhole(second) ? 1 : undefined
    if (place === undefined) return { place, variables: new Map() }
    return { place, variables: parse((place === 0 ? first : second).subarray(headerSize)) }
  }

  #place(copy: number): number {
    return this.#layout.copies[copy] ?? Number.NaN
  }

  #write(flash: Flash, place: 0 | 1, variables: Variables): void {
    const { size } = this.#layout
    const at = this.#place(place)
    const text = utf8([...variables].map(([name, value]) => `${name}=${value}\0`).join(''))
    if (headerSize + text.length + 1 > size) throw new HalError('EINVAL', 'the environment of the boot loader is full')
    const copy = new Uint8Array(size)
    copy[flagsAt] = active
    copy.set(text, headerSize)
    viewOf(copy).setUint32(0, crc32(copy.subarray(headerSize)), true)
    flash.erase(at, Math.ceil(size / flash.eraseSize) * flash.eraseSize)
    flash.program(at, copy)
    const written = flash.read(at, size)
    if (written.some((byte, index) => byte !== copy[index])) {
      throw new HalError('EIO', 'the environment of the boot loader differs from what was written')
    }
  }
}

function isWhole(copy: Uint8Array): boolean {
  return viewOf(copy).getUint32(0, true) === crc32(copy.subarray(headerSize))
}

/** Flags count up, from 255 to 0. */
function isNewer(copy: Uint8Array, than: Uint8Array): boolean {
  const [one, other] = [copy[flagsAt]!, than[flagsAt]!]
  if (one === 0 && other === 255) return true
  return !(one === 255 && other === 0) && one > other
}

function parse(bytes: Uint8Array): Variables {
  const [text = ''] = utf8Text(bytes).split('\0\0', 1)
  return new Map(
    text.split('\0').flatMap((line) => {
      const at = line.indexOf('=')
      return at > 0 ? [[line.slice(0, at), line.slice(at + 1)] as const] : []
    })
  )
}
