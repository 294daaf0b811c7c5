import type { Individual } from '#data/board'
import { formats } from '#runtime/schema'
import { isZero, mac, respelled } from './forms.ts'
import { isObject, type Resource, type Resources, typeOf } from './resources.ts'

/** Members with a number that its maker gave to one thing. */
const serial = /serialnumber$|servicetag$/i

/** Members with a name that is one thing's in the whole world: of ports, drives and volumes. */
const worldwide = /^durablename$|ww[np]?n$|worldwidename|(node|port|system)guid$/i

/** 8 bytes and more, with separators or without, as NAA, EUI-64 and GUIDs have them. */
const long = /(?<![\da-f])(?:[\da-f]{2}[:-]?){7,15}[\da-f]{2}(?![\da-f])/i

/** The numbers in these are their maker's own, or are signed. */
const others = /^(AttributeRegistry|Certificate|JsonSchemaFile|MessageRegistry|MessageRegistryFile)$/

/** A recorded resource as one of many machines that are alike has it. Where things are stays the same. */
export function individualized(resource: Resource, individual: Individual): Resource {
  if (others.test(typeOf(resource))) return resource
  const address = (found: string) => {
    if (isZero(found)) return found
    return respelled(found, individual.address(found.replace(/[:-]/g, '').toUpperCase()))
  }
  const text = (value: string, name: string) => {
    if (value === '' || value.startsWith('/redfish/')) return value
    if (serial.test(name)) return individual.serialNumber(value)
    const isWorldwide = worldwide.test(name)
    if (formats.uuid.test(value) && (isWorldwide || /uuid$/i.test(name)))
      return isZero(value) ? value : individual.uuid(value)
    const local = value.replace(mac, address)
    if (!isWorldwide || local !== value) return local
    return long.test(value) ? value.replace(long, address) : individual.serialNumber(value)
  }
  const own = (value: unknown, name: string): unknown => {
    if (typeof value === 'string') return text(value, name)
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
  for (const resource of resources.values()) individualized(resource, { serialNumber: same, uuid: same, address })
  return [...found]
}
