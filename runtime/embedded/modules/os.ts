import system, { type Interface } from 'minnow:system'
import process from 'node:process'

type Address = Omit<Interface, 'name'> & { cidr: string | null }

const bitsOf = (group: string, radix: number) =>
  (Number.parseInt(group, radix) || 0).toString(2).replaceAll('0', '').length

function prefixLength({ family, netmask }: Interface): number {
  const groups = family === 'IPv4' ? netmask.split('.') : netmask.split(':')
  return groups.reduce((sum, group) => sum + bitsOf(group, family === 'IPv4' ? 10 : 16), 0)
}

export function hostname(): string {
  const name = system.hostname()
  if (typeof name === 'number') throw new Error(`hostname: ${system.describeError(name).text}`)
  return name
}

/** Addresses of the interfaces that are up, by interface. */
export function networkInterfaces(): Record<string, Address[]> {
  const found = system.networkInterfaces()
  if (typeof found === 'number') throw new Error(`networkInterfaces: ${system.describeError(found).text}`)
  const byName: Record<string, Address[]> = {}
  for (const each of found) {
    const { name, ...address } = each
    byName[name] ??= []
    byName[name].push({ ...address, cidr: `${address.address}/${prefixLength(each)}` })
  }
  return byName
}

/** The folder for temporary files. */
export function tmpdir(): string {
  return process.env.TMPDIR || '/tmp'
}
