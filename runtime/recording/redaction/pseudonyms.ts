import { formats } from '#runtime/schema'
import { hostName, isLong, respelled, serviceTag } from './forms.ts'
import type { Kind } from './names.ts'
import { expressServiceCode, hexOf, tagOf } from './service-tag.ts'

/** The pseudonym of each kind, to which a number is added. */
const words: Readonly<Record<Exclude<Kind, 'express service code' | 'UUID' | 'world-wide name'>, string>> = {
  ...{ credential: 'secret', 'serial number': 'serial', 'service tag': 'TAG', 'asset tag': 'asset' },
  ...{ 'host name': 'host', certificate: 'subject', person: 'person', location: 'location' }
}

/** The words that makers combine with a number of the machine to name its controller. */
const composed = /^(idrac|ilo|xcc|imm2?|bmc|cmc|cimc|ibmc|drac|rac|openbmc|ome|smm|ipmi|sp|[\W_])*$/i

/** Words that identify nothing by themselves. */
const common = new Set(
  `admin administrator operator readonly root guest anonymous nobody user public private community default password
  secret redfish localhost local localdomain bmc openbmc server host node system manager management chassis compute
  storage network example test none unknown`.split(/\s+/)
)

const letter = '[\\dA-Za-z\\u0080-\\uffff]'
const word = new RegExp(`${letter}+`, 'g')

/** Pseudonyms: one for each value, in all its places. */
export class Pseudonyms {
  readonly #kinds = new Map<string, Kind>()
  readonly #made = new Map<string, string>()
  readonly #counts = new Map<string, number>()
  /** The first words of values to be replaced in texts. */
  readonly #first = new Set<string>()
  readonly #inTexts = new Map<string, string>()
  #longest = 1
  /** Numbers of whole machines, which are also replaced within longer words. */
  readonly #parts: [part: string, made: string][] = []

  /** Notes a value that must not be published. A service tag is one in all its places. */
  note(value: string, kind: Kind): void {
    const key = value.toLowerCase()
    const before = this.#kinds.get(key)
    if (before === undefined || kind === 'service tag' || (kind === 'credential' && before !== 'service tag'))
      this.#kinds.set(key, kind)
  }

  /**
   * Makes a pseudonym for each value that was noted.
   *
   * @param ordinary words that are not replaced in texts, in lower case
   * @param machines the numbers of whole machines among the values, in lower case
   */
  settle(ordinary: ReadonlySet<string>, machines: ReadonlySet<string>): void {
    // Names of hosts have numbers of machines in them.
    const isHost = (kind: Kind) => kind === 'host name' || kind === 'certificate'
    const all = [...this.#kinds]
    for (const [key, kind] of all.filter(([, each]) => !isHost(each))) this.#settle(key, kind, ordinary, machines)
    this.#parts.sort(([one], [two]) => two.length - one.length)
    for (const [key, kind] of all.filter(([, each]) => isHost(each))) this.#settle(key, kind, ordinary, machines)
  }

  #settle(key: string, kind: Kind, ordinary: ReadonlySet<string>, machines: ReadonlySet<string>): void {
    if ((kind === 'host name' || kind === 'certificate') && this.#isComposed(key)) return
    const made = this.#make(key, kind)
    this.#made.set(key, made)
    if (kind === 'service tag' && /^[\da-z]{5,10}$/.test(key))
      this.replaceInTexts(String(expressServiceCode(key)), String(expressServiceCode(made)))
    if (machines.has(key) && isLong(key))
      this.#parts.push([key, made], [hexOf(key), hexOf(made.toLowerCase())], [hexOf(key.toUpperCase()), hexOf(made)])
    const parts = key.match(word) ?? []
    // Towns and departments in the subject of a certificate are common words in other texts.
    if (kind === 'certificate' && !hostName.test(key) && !/\d/.test(key)) return
    if (parts.length === 0 || (parts.length === 1 ? !isDistinct(parts[0]!, ordinary) : key.length < 6)) return
    this.replaceInTexts(key, made)
  }

  /** Replaces a value within texts from now on, as a whole word or several. */
  replaceInTexts(value: string, made: string): void {
    const parts = value.toLowerCase().match(word) ?? []
    const from = value.toLowerCase().indexOf(parts[0] ?? '')
    const last = parts.at(-1) ?? ''
    const to = value.toLowerCase().lastIndexOf(last) + last.length
    if (parts[0] === undefined || from > 0 || to < value.length) return
    this.#first.add(parts[0])
    this.#longest = Math.min(32, Math.max(this.#longest, parts.length))
    this.#inTexts.set(value.toLowerCase(), made)
  }

  #make(key: string, kind: Kind): string {
    const next = () => {
      const counter = kind === 'service tag' ? 'serial number' : kind
      const number = (this.#counts.get(counter) ?? 0) + 1
      this.#counts.set(counter, number)
      return number
    }
    if (kind === 'UUID' || formats.uuid.test(key))
      return `00000000-0000-4000-8000-${next().toString(16).padStart(12, '0')}`
    if (kind === 'world-wide name') return worldWide(key, next())
    if (kind === 'service tag') return `${words[kind]}${next().toString(36).toUpperCase().padStart(4, '0')}`
    return `${words[kind as keyof typeof words]}-${next()}`
  }

  /** Whether a name consists of a word of a maker and a number of the machine, which is enough to replace. */
  #isComposed(key: string): boolean {
    const own = this.within(key)
    const rest = this.#parts.reduce((text, [, made]) => text.replaceAll(made.toLowerCase(), ''), own)
    return own !== key && composed.test(rest)
  }

  /** The pseudonym of a value that was noted. */
  of(value: string): string {
    const made = this.#made.get(value.toLowerCase())
    return made === undefined ? this.within(value) : this.#spelled(value, made)
  }

  /** The pseudonym of a name of a person or host that was noted; undefined for common words. */
  ofName(value: string): string | undefined {
    const key = value.toLowerCase()
    const isName = /^(person|host name)$/.test(this.#kinds.get(key) ?? '') && !common.has(key)
    return isName ? this.#made.get(key) : undefined
  }

  /** Whether a number is the express service code of a service tag that was noted. */
  isCode(value: number): boolean {
    return this.#kinds.get(tagOf(value)?.toLowerCase() ?? '') === 'service tag'
  }

  /** The express service code of the pseudonym, for the code of a service tag. */
  ofCode(value: string | number): string | number {
    const tag = tagOf(value)
    const made = tag === undefined ? undefined : this.#made.get(tag.toLowerCase())
    const code = made === undefined || !serviceTag.test(made) ? 0 : expressServiceCode(made)
    return typeof value === 'number' ? code : String(code)
  }

  /** A text with all values in it replaced that are distinct enough. */
  within(text: string): string {
    const found = [...text.matchAll(word)]
    let result = ''
    let done = 0
    for (let at = 0; at < found.length; at++) {
      const { index, 0: first } = found[at]!
      if (!this.#first.has(first.toLowerCase())) continue
      for (let last = Math.min(found.length, at + this.#longest) - 1; last >= at; last--) {
        const end = found[last]!.index + found[last]![0].length
        const own = text.slice(index, end)
        const made = this.#inTexts.get(own.toLowerCase())
        if (made === undefined) continue
        result += text.slice(done, index) + this.#spelled(own, made)
        done = end
        at = last
        break
      }
    }
    return this.#inWords(result + text.slice(done))
  }

  #inWords(text: string): string {
    let result = text
    let lower = text.toLowerCase()
    for (const [part, made] of this.#parts) {
      if (!lower.includes(part)) continue
      const at = lower.indexOf(part)
      const own = result.slice(at, at + part.length)
      result = result.replaceAll(own, this.#spelled(own, made))
      lower = result.toLowerCase()
    }
    return result
  }

  /** The pseudonym in lower case, if the value is. */
  #spelled(own: string, made: string): string {
    return /[a-z]/.test(own) && own === own.toLowerCase() ? made.toLowerCase() : made
  }
}

/** Whether a word is unlikely to be in a text by chance. */
function isDistinct(text: string, ordinary: ReadonlySet<string>): boolean {
  if (/^\d+$/.test(text)) return text.length >= 6
  if (/\d/.test(text)) return text.length >= 5 && !ordinary.has(text)
  return text.length >= 4 && !ordinary.has(text) && !common.has(text)
}

/** Another world-wide name of the same maker: its first digits stay, and a number follows. */
function worldWide(key: string, number: number): string {
  const digits =
    /(?<![\da-z])(?:[\da-f]{2}[:-]?){7,}[\da-f]{2}(?![\da-z])|(?<![\da-z])(?:[\da-f]{4}:){3}[\da-f]{4}|(?<=0x)(?:[\da-f]{2}){6,}/i.exec(
      key
    )?.[0]
  if (digits === undefined) return key.startsWith('iqn.') ? `iqn.2001-04.com.example:${number}` : `name-${number}`
  const plain = digits.replace(/[:-]/g, '').toUpperCase()
  const other =
    plain.slice(0, 6) +
    number
      .toString(16)
      .toUpperCase()
      .padStart(plain.length - 6, '0')
  return key.replace(digits, respelled(digits.toUpperCase(), other))
}
