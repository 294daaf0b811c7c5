import { utf8, utf8Text, viewOf } from '#runtime/base/bytes.ts'
import { ipBytes } from '#runtime/base/ip.ts'

/** Messages of multicast DNS (RFC 6762) that announce a Redfish service (RFC 6763): their groups. */
export const groups = ['224.0.0.251', 'ff02::fb'] as const

const types = { A: 1, PTR: 12, TXT: 16, AAAA: 28, SRV: 33, ANY: 255 } as const

/**
 * The highest bit of a class: of a question, that its answer may come to the client alone; of a record, that it is
 * whole.
 */
const topBit = 0x8000
const internet = 1

/** How long records are believed, in seconds (RFC 6762 10), and by a client that knows nothing of multicast (6.7). */
const ages = { service: 4500, host: 120, legacy: 10 } as const

/** The most questions of a message, and records of what its author knows already, that are read. */
const most = 32

/** The announced data of a service. Its names contain the UUID, so they are unique and need no probing. */
export interface Service {
  readonly uuid: string
  readonly hostName: string
  readonly port: number
  /**
   * All addresses of the host in the network of the receiver, which takes the addresses of one answer for all that
   * there are.
   */
  readonly addresses: readonly string[]
}

interface Question {
  readonly name: string
  readonly type: number
  readonly class: number
}

/** A question of a client. */
export interface Query {
  readonly id: number
  readonly questions: readonly Question[]
  /** The names of services that the client has seen a short time ago. */
  readonly known: readonly string[]
}

const domain = 'local'
const type = `_redfish._tcp.${domain}`
const enumerator = `_services._dns-sd._udp.${domain}`

/** Labels that a name is made of: a dot within one is part of it. */
type Name = readonly string[]

const instanceOf = ({ uuid, hostName }: Service): Name => [
  `${hostName.slice(0, 54)}-${uuid.slice(0, 8)}`,
  ...type.split('.')
]
const hostOf = ({ uuid }: Service): Name => [uuid.toLowerCase(), domain]

interface Resource {
  readonly name: Name
  readonly type: number
  readonly age: number
  /** No other host has records of its name. */
  readonly isUnique: boolean
  readonly data: readonly number[]
}

/** All that there is to tell, what is asked for most first; the addresses are before the last. */
function resources(own: Service): readonly Resource[] {
  const instance = instanceOf(own)
  const host = hostOf(own)
  const texts = ['path=/redfish/v1/', `uuid=${own.uuid}`].flatMap((each) => [...label(each)])
  const unique = { isUnique: true }
  const shared = { isUnique: false, type: types.PTR, age: ages.service }
  return [
    { ...shared, name: type.split('.'), data: encode(instance) },
    {
      ...unique,
      name: instance,
      type: types.SRV,
      age: ages.host,
      data: [0, 0, 0, 0, ...pair(own.port), ...encode(host)]
    },
    { ...unique, name: instance, type: types.TXT, age: ages.service, data: texts },
    ...own.addresses.map((address) => {
      const data = ipBytes(address) ?? []
      return { ...unique, name: host, type: data.length === 4 ? types.A : types.AAAA, age: ages.host, data }
    }),
    { ...shared, name: enumerator.split('.'), data: encode(type.split('.')) }
  ]
}

/**
 * Reads a message.
 *
 * @returns undefined for what is damaged, or no query
 */
export function readQuery(message: Uint8Array): Query | undefined {
  const view = viewOf(message)
  try {
    const [id, flags, questions, answers] = [0, 2, 4, 6].map((at) => view.getUint16(at)) as [
      number,
      number,
      number,
      number
    ]
    // An answer, or something other than a question.
    if ((flags & 0xf800) !== 0 || questions > most || answers > most) return undefined
    const query = { id, questions: [] as Question[], known: [] as string[] }
    let at = 12
    for (let left = questions; left > 0; left -= 1) {
      const { name, end } = readName(view, at)
      query.questions.push({ name, type: view.getUint16(end), class: view.getUint16(end + 2) })
      at = end + 4
    }
    for (let left = answers; left > 0; left -= 1) {
      const { end } = readName(view, at)
      const isFresh = view.getUint32(end + 4) >= ages.service / 2
      if (view.getUint16(end) === types.PTR && isFresh) query.known.push(readName(view, end + 10).name)
      at = end + 10 + view.getUint16(end + 8)
    }
    return query
  } catch {
    return undefined
  }
}

/**
 * A name, in small letters, with what follows it. A pointer leads back only, so that none leads in circles.
 *
 * @throws RangeError
 */
function readName(view: DataView, start: number): { name: string; end: number } {
  const labels: string[] = []
  let end: number | undefined
  let bytes = 0
  for (let at = start; ; ) {
    const length = view.getUint8(at)
    if (length >= 0xc0) {
      end ??= at + 2
      const target = view.getUint16(at) & 0x3fff
      if (target >= at) throw new RangeError()
      at = target
      continue
    }
    if (length === 0) return { name: labels.join('.').toLowerCase(), end: end ?? at + 1 }
    bytes += length + 1
    if (length > 63 || bytes > 254 || at + 1 + length > view.byteLength) throw new RangeError()
    labels.push(utf8Text(new Uint8Array(view.buffer, view.byteOffset + at + 1, length)))
    at += 1 + length
  }
}

/** Whether everybody may hear the answer: none of the questions is for the client alone. */
export function isForAll({ questions }: Query): boolean {
  return questions.every((each) => (each.class & topBit) === 0)
}

/**
 * The answer to a query; undefined if there is nothing to tell.
 *
 * @param isLegacy the client does not listen to the group: it gets its question again
 */
export function answer(query: Query, own: Service, isLegacy: boolean): Uint8Array | undefined {
  const all = resources(own)
  const instance = instanceOf(own).join('.').toLowerCase()
  const isAsked = ({ name, type }: Resource) =>
    query.questions.some(
      (each) =>
        each.name === name.join('.').toLowerCase() &&
        (each.type === type || each.type === types.ANY) &&
        [internet, types.ANY].includes(each.class & ~topBit)
    )
  const isKnown = (each: Resource) => each === all[0] && query.known.includes(instance)
  const asked = all.filter((each) => isAsked(each) && !isKnown(each))
  if (asked.length === 0) return undefined
  // Who looks for services wants to know where they are next, and who looks for a host may reach it in another way.
  const next = asked.includes(all[0]!) ? 1 : asked.some((each) => isAddress(each)) ? 3 : all.length
  const rest = all.slice(next, -1).filter((each) => !asked.includes(each))
  const questions = isLegacy ? query.questions : []
  return message(isLegacy ? query.id : 0, questions, asked, rest, isLegacy)
}

const isAddress = ({ type }: Resource) => type === types.A || type === types.AAAA

/** Tells all who listen that the service is there, or leaves. */
export function announcement(own: Service, isLeaving: boolean): Uint8Array {
  const all = resources(own).map((each) => (isLeaving ? { ...each, age: 0 } : each))
  return message(0, [], isLeaving ? all.slice(0, 1) : all.slice(0, -1), [], false)
}

function message(
  id: number,
  questions: readonly Question[],
  answers: readonly Resource[],
  additional: readonly Resource[],
  isLegacy: boolean
): Uint8Array {
  const counts = [questions.length, answers.length, 0, additional.length]
  const asked = questions.flatMap((each) => [
    ...encode(each.name.split('.')),
    ...pair(each.type),
    ...pair(each.class & ~topBit)
  ])
  const told = [...answers, ...additional].flatMap((each) => [
    ...encode(each.name),
    ...pair(each.type),
    ...pair(each.isUnique && !isLegacy ? internet | topBit : internet),
    ...pair(0),
    ...pair(isLegacy ? Math.min(each.age, ages.legacy) : each.age),
    ...pair(each.data.length),
    ...each.data
  ])
  // An answer, by who knows best.
  return Uint8Array.from([...pair(id), 0x84, 0, ...counts.flatMap(pair), ...asked, ...told])
}

const pair = (number: number) => [number >> 8, number & 0xff]
const label = (text: string) => [utf8(text)].flatMap((bytes) => [bytes.length, ...bytes])
const encode = (name: Name) => [...name.filter((each) => each !== '').flatMap(label), 0]
