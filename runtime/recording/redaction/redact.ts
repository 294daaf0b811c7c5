import { isObject, type Resource, type Resources, textIn, typeOf } from '../resources.ts'
import {
  authority,
  email,
  everybodys,
  hostName,
  ipv4,
  ipv6,
  isIpv6,
  isZero,
  mac,
  manyBytes,
  qualifiedName,
  respelled
} from './forms.ts'
import { doubtOf, isMachine, type Kind, kindOf, type Place, wordsOf } from './names.ts'
import { Pseudonyms } from './pseudonyms.ts'
import { Redaction } from './redaction.ts'
import { tagOf } from './service-tag.ts'

/** Versions look like addresses. */
const version = /version|revision|release/i

/** Members with a URI of the service itself, which some makers write with the name of its host. */
const ownUri = /^((Multipart)?HttpPushUri|ServerSentEventUri)$/

/** Types whose resources are about persons and other machines: they are left out. */
const personal = /^(ManagerAccount|Session|EventDestination|Task|Job|LogEntry)$/

/** Members that name the host of a URL; those of other URLs are their makers'. */
const remote = /destination|image|server|host|addr|proxy|endpoint|share|mirror|peer|^ipv6url/i

/** Whether a recording has none of the resources of a type. */
export const isLeftOut = (type: string) => personal.test(type)

/** Collections of them are empty in a recording. */
export const isPersonal = (type: string) => isLeftOut(type.replace(/Collection$/, ''))

/**
 * Takes secrets out of resources, and puts addresses in place of addresses: the same for the same, from the ranges that
 * are for documentation and tests (RFC 2544, RFC 3849) and for local use (IEEE 802). The kind of a value follows from
 * its form, its name and its place; a value that is found in one place is replaced in all.
 *
 * @param more whether what tells one machine from others goes too: serial numbers, UUIDs, names
 * @param report told what was taken out
 */
export function redacted(resources: Resources, more: boolean, report = new Redaction()): Resources {
  return new Redactor(resources, more, report).resources()
}

/**
 * Resources without those that are left out, and collections without these as members. A machine whose accounts are slots,
 * some of them free, keeps all slots, as free ones.
 */
export function withoutPersons(resources: Resources): Resources {
  const isAccount = (resource: Resource) => typeOf(resource) === 'ManagerAccount'
  const free = [...resources.values()].find((each) => isAccount(each) && each.UserName === '')
  const kept = [...resources].flatMap(([path, resource]): [string, Resource][] => {
    const type = typeOf(resource)
    const isSlotted = free !== undefined && /^ManagerAccount(Collection)?$/.test(type)
    if (isSlotted && isAccount(resource) && resource.UserName !== '')
      return [[path, { ...free, '@odata.id': resource['@odata.id'], Id: resource.Id }]]
    if (isSlotted || !isPersonal(type)) return [[path, resource]]
    if (isLeftOut(type)) return []
    return [[path, Array.isArray(resource.Members) ? { ...resource, Members: [], 'Members@odata.count': 0 } : resource]]
  })
  return new Map(kept)
}

/** The place of an object, as its members need it. */
interface Here {
  readonly place: Place
  /** Whether its members are BIOS or manager attributes, whose types a registry declares. */
  readonly isAttributes: boolean
}

/** Redacts a recording, and the events of its machine with the same pseudonyms: see {@link redacted}. */
export class Redactor {
  readonly #resources: Resources
  /** The events, by names for the report. */
  readonly #events: Resources
  /** All resources with values to look for, in the order in which these get their pseudonyms. */
  readonly #noted: Resources
  readonly #more: boolean
  readonly #report: Redaction
  readonly #pseudonyms = new Pseudonyms()
  readonly #addresses = new Map<string, string>()
  readonly #counts = new Map<string, number>()
  /** MAC addresses, as hex digits in capital letters. */
  readonly #macs = new Map<string, string>()
  readonly #types: ReadonlyMap<string, string>
  /** The first words of the names of makers. */
  readonly #makers = new Set<string>()

  /**
   * @param events of the machine
   * @param persons resources that are not recorded, and whose names and addresses the events have
   */
  constructor(
    resources: Resources,
    more: boolean,
    report: Redaction,
    events: readonly Resource[] = [],
    persons: readonly Resource[] = []
  ) {
    const named = (name: string, all: readonly Resource[]) =>
      all.map((each, index): [string, Resource] => [`${name} ${index + 1}`, each])
    this.#resources = withoutPersons(resources)
    this.#events = new Map(named('event', events))
    this.#noted = new Map([...this.#resources, ...this.#events, ...named('person', persons)])
    this.#more = more
    this.#report = report
    this.#types = attributeTypesIn(this.#resources)
    this.#note()
  }

  /** Looks for all values that must not be published, before the first one is replaced. */
  #note(): void {
    this.#visit((value, name) => {
      if (typeof value === 'string' && /^(Manufacturer|Vendor)$/i.test(name)) this.#makers.add(firstWord(value))
    })
    const ordinary = new Set<string>()
    const machines = new Set<string>()
    this.#visit((value, name, here, owner) => {
      for (const word of wordsOf(name)) ordinary.add(word)
      if (typeof value === 'string') this.#noteAddresses(value, name)
      const kind = this.#kindOf(value, name, here, owner)
      if (kind === undefined) return
      if (kind === 'express service code') {
        const tag = tagOf(value as string | number)
        if (tag !== undefined) this.#pseudonyms.note(tag, 'service tag')
        return
      }
      if (typeof value !== 'string' || isZero(value)) return
      this.#pseudonyms.note(value, kind)
      if (kind === 'service tag' || (kind === 'serial number' && isMachine(here.place.type)))
        machines.add(value.toLowerCase())
    })
    this.#pseudonyms.settle(ordinary, machines)
    for (const [digits, made] of this.#macs) this.#pseudonyms.replaceInTexts(digits, made)
    for (const [address, made] of this.#addresses)
      if (address.includes('.')) this.#pseudonyms.replaceInTexts(address, made)
  }

  #noteAddresses(value: string, name: string): void {
    if (/^(@odata\.|target$)/.test(name)) return
    for (const [found] of value.matchAll(mac)) if (!isZero(found)) this.#mac(found)
    if (version.test(name) || /^(Id|MemberId|SoftwareId)$/.test(name)) return
    for (const [found] of value.matchAll(ipv4)) if (!everybodys.test(found)) this.#ip(found)
  }

  /** All resources with what must not be published replaced. */
  resources(): Resources {
    return new Map(
      [...this.#resources].map(([path, resource]) => {
        const type = typeOf(resource)
        const here = { place: { path, type, within: [] }, isAttributes: false }
        const registry = type === 'AttributeRegistry'
        return [
          this.#link(path),
          (registry ? this.#registry(resource, here) : this.#clean(resource, '', here)) as Resource
        ]
      })
    )
  }

  /** All events with what must not be published replaced. */
  events(): Resource[] {
    return Array.from(this.#events, ([path, event]) => {
      const here = { place: { path, type: typeOf(event), within: [] }, isAttributes: false }
      return this.#clean(event, '', here) as Resource
    })
  }

  /** A registry with its values replaced: its texts are the same for all machines. */
  #registry(value: unknown, here: Here): unknown {
    if (Array.isArray(value)) return value.map((each) => this.#registry(each, here))
    if (!isObject(value)) return value
    const name = textIn(value, 'AttributeName')
    return Object.fromEntries(
      Object.entries(value).map(([own, each]) => {
        if (name === '' || !isValue(own)) return [own, this.#registry(each, here)]
        return [own, this.#clean(each, name, { ...here, isAttributes: true })]
      })
    )
  }

  #clean(value: unknown, name: string, here: Here, owner: Resource = {}): unknown {
    if (Array.isArray(value)) return value.map((each) => this.#clean(each, name, here, owner))
    if (isObject(value)) {
      const inner = into(here, name)
      return Object.fromEntries(
        Object.entries(this.#withoutNames(value)).map(([own, each]) => [
          own.includes('@') ? own : this.#link(own),
          this.#clean(each, own, inner, value)
        ])
      )
    }
    if ((typeof value !== 'string' && typeof value !== 'number') || this.#isChoice(name, here, owner)) return value
    const kind = this.#kindOf(value, name, here, owner)
    if (kind !== undefined) {
      this.#report.removed(kind, name)
      if (kind === 'credential') return null
      if (kind === 'express service code') return this.#pseudonyms.ofCode(value)
      if (typeof value === 'number' || (kind === 'certificate' && /-----BEGIN/.test(value))) return null
      return this.#pseudonyms.of(value)
    }
    if (typeof value === 'string') return this.#text(value, name, here)
    return this.#pseudonyms.isCode(value) ? this.#pseudonyms.ofCode(value) : value
  }

  /** A message whose arguments that are names are replaced, also within its text: there a short name is not found. */
  #withoutNames(message: Resource): Resource {
    const { Message: text, MessageArgs: args } = message
    if (!this.#more || typeof text !== 'string' || !Array.isArray(args)) return message
    const names = args.flatMap((each) => {
      const made = this.#pseudonyms.ofName(String(each))
      return made === undefined ? [] : [[String(each), made] as const]
    })
    const made = new Map(names)
    return {
      ...message,
      Message: text.replace(/[^\s'"“”,;:()]*[^\s'"“”,;:().]/g, (word) => made.get(word) ?? word),
      MessageArgs: args.map((each) => made.get(String(each)) ?? each)
    }
  }

  /** A text of no kind as a whole, with the values within it replaced. */
  #text(value: string, name: string, { place }: Here): string {
    if (/^@odata\.(type|context)$/.test(name)) return value
    if (/^(@odata\.id|target)$/.test(name) || value.startsWith('/redfish/')) return this.#link(value)
    const uri = ownUri.test(name) ? value.replace(/^https?:\/\/[^/]+(?=\/)/i, '') : value
    if (uri !== value) this.#report.removed('address', name)
    const local = this.#urls(this.#bytes(uri), name, place)
    const named = this.#more ? this.#forms(local) : local
    const addressed = version.test(name) ? named : this.#addressesIn(named)
    const result = this.#pseudonyms.within(addressed)
    if (addressed !== uri) this.#report.removed('address', name)
    if (result !== addressed) this.#report.removed('part of a text', name)
    const reason = this.#more && result === value ? doubtOf(name, value, place) : undefined
    if (reason !== undefined) this.#report.doubt(reason, name, place.path)
    return result
  }

  /** Paths and names of members. */
  #link(text: string): string {
    const named = text.replace(/(?<=\/Accounts\/)[^/]+/, (id) => this.#pseudonyms.ofName(id) ?? id)
    return this.#pseudonyms.within(this.#bytes(named))
  }

  /** MAC addresses, also in longer names. */
  #bytes(text: string): string {
    return text
      .replace(mac, (found) => (isZero(found) ? found : respelled(found, this.#mac(found))))
      .replace(manyBytes, (found) => {
        const digits = found.replace(/[:-]/g, '').toUpperCase()
        for (const [own, made] of this.#macs)
          if (digits.includes(own)) return respelled(found, digits.replace(own, made))
        return found
      })
  }

  #mac(found: string): string {
    const digits = found.replace(/[:-]/g, '').toUpperCase()
    return remembered(this.#macs, digits, () => `020000${hex(this.#next('mac')).toUpperCase()}`)
  }

  #ip(found: string): string {
    return remembered(this.#addresses, found.toLowerCase(), () => {
      const n = this.#next(found.includes(':') ? 'ipv6' : 'ipv4')
      return found.includes(':') ? `2001:db8::${n.toString(16)}` : `198.18.${(n >> 8) & 255}.${n & 255}`
    })
  }

  #addressesIn(text: string): string {
    return text
      .replace(ipv4, (found) => (everybodys.test(found) ? found : this.#ip(found)))
      .replace(ipv6, (found) => (isIpv6(found) && !everybodys.test(found) ? this.#ip(found) : found))
  }

  /** URLs without the name and password in them, and with another host where the name says that it is the owner's. */
  #urls(text: string, name: string, { path }: Place): string {
    return text.replace(authority, (found, scheme: string, user: string | undefined, host: string) => {
      if (user !== undefined) this.#report.removed('credential', name)
      if (!this.#more || !hostName.test(host) || /(^|\.)dmtf\.org$/i.test(host))
        return user === undefined ? found : scheme + host
      if (remote.test(name)) return scheme + this.#other(host, 'host name', (n) => `host-${n}.example.com`)
      this.#report.doubt('the host of a URL', name, path)
      return scheme + host
    })
  }

  /** Names of persons and hosts that show by their form. */
  #forms(text: string): string {
    return text
      .replace(email, (found) => this.#other(found, 'email', (n) => `person-${n}@example.com`))
      .replace(qualifiedName, (found) =>
        /:uuid:/.test(found)
          ? found
          : this.#other(found, 'qualified', (n) => `${found.slice(0, 3)}.2001-04.com.example:${n}`)
      )
  }

  #other(found: string, counter: string, make: (n: number) => string): string {
    if (/example\.com(:\d+)?$/.test(found)) return found
    return remembered(this.#addresses, found.toLowerCase(), () => make(this.#next(counter)))
  }

  #next(counter: string): number {
    const number = (this.#counts.get(counter) ?? 0) + 1
    this.#counts.set(counter, number)
    return number
  }

  /** Whether a value names the maker: in certificates from the factory, and in contacts. */
  #isMakers(kind: Kind, value: string): boolean {
    if (kind === 'certificate') return this.#makers.has(firstWord(value))
    return kind === 'person' && hostName.test(value) && wordsOf(value).some((each) => this.#makers.has(each))
  }

  /** Whether a value is one of those that are allowed, as its registry or its resource says. */
  #isChoice(name: string, { isAttributes }: Here, owner: Resource): boolean {
    const type = isAttributes ? this.#types.get(name) : undefined
    return /^(Enumeration|Boolean|Integer)$/.test(type ?? '') || Object.hasOwn(owner, `${name}@Redfish.AllowableValues`)
  }

  /** The kind of a value that is to be replaced; undefined if it stays. */
  #kindOf(value: unknown, name: string, here: Here, owner: Resource): Kind | undefined {
    if (typeof value !== 'string' && typeof value !== 'number') return undefined
    if (this.#isChoice(name, here, owner)) return undefined
    if (here.isAttributes && this.#types.get(name) === 'Password') return value === '' ? undefined : 'credential'
    const kind = kindOf(name, value, here.place)
    if (kind !== undefined && this.#isMakers(kind, String(value))) return undefined
    return kind === 'credential' || this.#more ? kind : undefined
  }

  /** Calls a function with each text and number, its name and its place. */
  #visit(look: (value: unknown, name: string, here: Here, owner: Resource) => void): void {
    const enter = (value: unknown, name: string, here: Here, owner: Resource): void => {
      if (Array.isArray(value)) for (const each of value) enter(each, name, here, owner)
      else if (isObject(value)) {
        const inner = into(here, name)
        for (const [own, each] of Object.entries(value)) enter(each, own, inner, value)
      } else look(value, name, here, owner)
    }
    for (const [path, resource] of this.#noted) {
      const type = typeOf(resource)
      const here = { place: { path, type, within: [] }, isAttributes: false }
      if (type !== 'AttributeRegistry') enter(resource, '', here, {})
      else
        for (const [name, value] of attributeValuesIn(resource)) look(value, name, { ...here, isAttributes: true }, {})
    }
  }
}

const firstWord = (text: string) => wordsOf(text)[0] ?? ''
const hex = (n: number) => n.toString(16).padStart(6, '0')

const into = ({ place }: Here, name: string): Here =>
  name === ''
    ? { place, isAttributes: false }
    : { place: { ...place, within: [...place.within, name] }, isAttributes: name === 'Attributes' }

function remembered(made: Map<string, string>, key: string, make: () => string): string {
  const found = made.get(key) ?? make()
  made.set(key, found)
  return found
}

/** Members of an attribute in a registry that are values of it. */
const isValue = (name: string) => name === 'DefaultValue' || name === 'CurrentValue'

/** The attributes of a registry. */
function attributesIn(registry: Resource): Resource[] {
  const entries = isObject(registry.RegistryEntries) ? registry.RegistryEntries.Attributes : undefined
  return Array.isArray(entries) ? entries.filter(isObject) : []
}

const attributeValuesIn = (registry: Resource): [name: string, value: unknown][] =>
  attributesIn(registry).flatMap((each) =>
    Object.entries(each).flatMap(([own, value]) =>
      isValue(own) ? [[textIn(each, 'AttributeName'), value] as [string, unknown]] : []
    )
  )

/** The types of attributes by their names, as far as the registries agree. */
function attributeTypesIn(resources: Resources): ReadonlyMap<string, string> {
  const types = new Map<string, string>()
  for (const resource of resources.values()) {
    if (typeOf(resource) !== 'AttributeRegistry') continue
    for (const each of attributesIn(resource)) {
      const [name, type] = [textIn(each, 'AttributeName'), textIn(each, 'Type')]
      const before = types.get(name) ?? type
      types.set(name, before === type ? type : before === 'Password' || type === 'Password' ? 'Password' : '')
    }
  }
  return types
}
