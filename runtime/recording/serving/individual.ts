import type { Individual, MachineNumbers } from '#data/board'
import { formats } from '#runtime/schema'
import { isLong, isZero, mac, respelled, serviceTag } from '../redaction/forms.ts'
import { isMachine, kindOf } from '../redaction/names.ts'
import { expressServiceCode, hexOf, tagOf } from '../redaction/service-tag.ts'
import { isObject, type Resource, type Resources, typeOf } from '../resources.ts'

/** Members with a number that its maker gave to one thing. */
const serial = /serialnumber$|servicetag$/i

/** Members with a name that is one thing's in the whole world: of ports, drives and volumes. */
const worldwide = /^durablename$|ww[np]?n$|worldwidename|(node|port|system)guid$/i

/** 8 bytes and more, with separators or without, as NAA, EUI-64 and GUIDs have them. */
const long = /(?<![\da-f])(?:[\da-f]{2}[:-]?){7,15}[\da-f]{2}(?![\da-f])/i

/** The numbers in these are their maker's own. */
const others = /^(AttributeRegistry|JsonSchemaFile|MessageRegistry|MessageRegistryFile)$/

/** Members that may be the number of a whole machine. */
const number = /servicetag|nodeid|sku|serial|expressservicecode/i

const code = /expressservicecode$/i

/** The replacement for each number of the machine, also in lower case, and as hexadecimal digits of its characters. */
function* replacements({ numbers, serviceTag: tag, serialNumber }: Individual): Generator<[own: string, made: string]> {
  for (const [all, make] of [
    [numbers.serviceTags, tag],
    [numbers.serialNumbers, serialNumber]
  ] as const)
    for (const own of all) {
      const made = make(own)
      yield [own, made]
      yield [own.toLowerCase(), made.toLowerCase()]
      yield [hexOf(own), hexOf(made)]
      yield [hexOf(own).toUpperCase(), hexOf(made).toUpperCase()]
    }
}

/** A recorded resource as one of many machines that are alike has it. Where things are stays the same. */
export function individualized(resource: Resource, individual: Individual): Resource {
  const type = typeOf(resource)
  if (others.test(type)) return resource
  const all = new Map(replacements(individual))
  const address = (found: string) => {
    if (isZero(found)) return found
    return respelled(found, individual.address(found.replace(/[:-]/g, '').toUpperCase()))
  }
  const text = (value: string, name: string) => {
    if (value === '' || value.startsWith('/redfish/')) return value
    const own = all.get(value)
    if (own !== undefined) return own
    if (code.test(name)) return String(codeOf(value))
    let within = value
    for (const [one, made] of all) if (within.includes(one)) within = within.replaceAll(one, made)
    if (type === 'Certificate') return within
    if (within !== value) return within.replace(mac, address)
    if (serial.test(name)) return individual.serialNumber(value)
    const isWorldwide = worldwide.test(name)
    if (formats.uuid.test(value) && (isWorldwide || /uuid$/i.test(name)))
      return isZero(value) ? value : individual.uuid(value)
    const local = value.replace(mac, address)
    if (!isWorldwide || local !== value) return local
    return long.test(value) ? value.replace(long, address) : individual.serialNumber(value)
  }
  const codeOf = (value: string | number) => {
    const tag = tagOf(value)
    if (tag === undefined) return value
    const made = individual.serviceTag(tag)
    return expressServiceCode(serviceTag.test(made) ? made : made.replace(/[^\dA-Z]/gi, '').slice(-10))
  }
  const own = (value: unknown, name: string): unknown => {
    if (typeof value === 'string') return text(value, name)
    if (typeof value === 'number') return code.test(name) ? codeOf(value) : value
    if (Array.isArray(value)) return value.map((each) => own(each, name))
    if (!isObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([inner, each]) => [inner, own(each, inner)]))
  }
  return own(resource, '') as Resource
}

/** All addresses that are another machine's own: hex digits. */
export function addressesIn(resources: Resources): readonly string[] {
  const found = new Set<string>()
  const same = (own: string) => own
  const address = (own: string) => {
    found.add(own)
    return own
  }
  const none = { serviceTags: [], serialNumbers: [] }
  const individual = { numbers: none, serialNumber: same, serviceTag: same, uuid: same, address }
  for (const resource of resources.values()) individualized(resource, individual)
  return [...found]
}

/** The service tags and serial numbers of the machine that are long enough to be replaced within texts. */
export function numbersIn(resources: Resources): MachineNumbers {
  const [serviceTags, serialNumbers] = [new Set<string>(), new Set<string>()]
  for (const [path, resource] of resources) {
    const type = typeOf(resource)
    if (others.test(type)) continue
    const look = (value: unknown, name: string): void => {
      if (Array.isArray(value)) for (const each of value) look(each, name)
      else if (isObject(value)) for (const [own, each] of Object.entries(value)) look(each, own)
      else if ((typeof value === 'string' || typeof value === 'number') && number.test(name)) {
        const kind = kindOf(name, value, { path, type, within: [] })
        const tag = kind === 'express service code' ? tagOf(value) : kind === 'service tag' ? String(value) : undefined
        if (tag !== undefined && serviceTag.test(tag)) serviceTags.add(tag.toUpperCase())
        else if (kind === 'serial number' && isMachine(type) && isLong(String(value))) serialNumbers.add(String(value))
      }
    }
    look(resource, '')
  }
  for (const each of serviceTags) serialNumbers.delete(each)
  return { serviceTags: [...serviceTags], serialNumbers: [...serialNumbers] }
}
