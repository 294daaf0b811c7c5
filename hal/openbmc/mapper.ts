import type { Bus } from '../dbus/bus.ts'
import type { Directory, Service } from '../dbus/mirror.ts'
import type { Dictionary, Value } from '../dbus/values.ts'
import { HalError } from '../errors.ts'

const name = 'xyz.openbmc_project.ObjectMapper'
const manager = 'org.freedesktop.DBus.ObjectManager'

/**
 * OpenBMC's mapper, which knows the services of the bus with their objects and interfaces (phosphor-objmgr).
 *
 * @param interfaces those that are wanted
 */
export function mapper(interfaces: readonly string[]): Directory {
  return {
    name,
    changed: { interface: `${name}.Private`, member: 'IntrospectionComplete' },
    async find(bus: Bus) {
      const ask = { destination: name, path: '/xyz/openbmc_project/object_mapper', interface: name }
      const wanted = { signature: 'sias', values: ['/', 0, [...interfaces, manager]], answer: 'a{sa{sas}}' }
      const [tree] = await bus.call({ ...ask, member: 'GetSubTree', ...wanted })
      // The root is not in its own tree.
      const top = { signature: 'sas', values: ['/', [manager]], answer: 'a{sas}' }
      const [root] = await bus.call({ ...ask, member: 'GetObject', ...top }).catch((error) => {
        if (error instanceof HalError && error.code === 'ENODEV') return [new Map()]
        throw error
      })
      return servicesOf(new Map([...(tree as Dictionary), ['/', root as Dictionary]]), new Set(interfaces))
    }
  }
}

/** @param tree a{sa{sas}}: by path, then by service, the interfaces */
function servicesOf(tree: Dictionary, wanted: ReadonlySet<string>): Service[] {
  const found = new Map<string, { managers: string[]; objects: Record<string, string[]> }>()
  for (const [path, services] of tree)
    for (const [service, names] of services as Dictionary) {
      const entry = found.get(service as string) ?? { managers: [], objects: {} }
      found.set(service as string, entry)
      if ((names as Value[]).includes(manager)) entry.managers.push(path as string)
      const kept = (names as string[]).filter((each) => wanted.has(each))
      if (kept.length > 0) entry.objects[path as string] = kept.sort()
    }
  const services = [...found].flatMap(([service, { managers, objects }]) => {
    const outermost = managers.filter((each) => !managers.some((other) => isBelow(each, other)))
    const all = Object.entries(objects)
    if (all.length === 0) return []
    // A manager that has wanted interfaces itself may have objects later.
    const used = outermost.filter((each) => all.some(([path]) => path === each || isBelow(path, each)))
    const alone = all.filter(([path]) => !outermost.some((each) => isBelow(path, each)))
    return [{ name: service, managers: used.sort(), objects: Object.fromEntries(alone) }]
  })
  // Of services with the same object the first counts: rather one that manages few objects than one that manages all.
  return services.sort((one, other) => depth(other) - depth(one) || (one.name < other.name ? -1 : 1))
}

const depth = ({ managers }: Service) => Math.min(...(managers ?? []).map(({ length }) => length))

const isBelow = (path: string, other: string) => path !== other && (other === '/' || path.startsWith(`${other}/`))
