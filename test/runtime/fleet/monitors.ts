/*
 * The requests of two monitoring programs, and the properties that they evaluate: facts from their sources.
 * Both find systems and chassis from the service root.
 */

// biome-ignore lint/suspicious/noExplicitAny: it reads what a client would parse
type Json = any

/** The exporter's name for a fault anywhere in the chassis. */
export const rolledUp = 'HealthRollup'

export type Read = (uri: string) => Promise<Json>

interface Link {
  readonly '@odata.id': string
}

const members = async (read: Read, link: Link | undefined): Promise<Json[]> => {
  if (link === undefined) return []
  const { Members } = await read(link['@odata.id'])
  return Promise.all(Members.map((each: Link) => read(each['@odata.id'])))
}

const ill = (...parts: Json[]): string[] =>
  parts.flatMap(({ '@odata.id': uri, Name, Status }) =>
    Status?.Health === 'OK' || Status?.Health == null ? [] : (uri ?? Name)
  )

/** Storage, memory, processors, network, Thermal and Power: what both ask for. */
async function parts(read: Read, system: Json, chassis: Json): Promise<string[]> {
  const storages = await members(read, system.Storage)
  const drives = await Promise.all(
    storages.flatMap(({ Drives }) => Drives.map((each: Link) => read(each['@odata.id'])))
  )
  const adapters = await members(read, chassis.NetworkAdapters)
  const ports = await Promise.all(adapters.map(({ Ports }) => members(read, Ports)))
  const { Temperatures, Fans } = await read(chassis.Thermal['@odata.id'])
  const { PowerSupplies } = await read(chassis.Power['@odata.id'])
  return ill(
    ...[system, chassis, ...storages, ...storages.flatMap(({ StorageControllers }) => StorageControllers), ...drives],
    ...(await members(read, system.Memory)),
    ...(await members(read, system.Processors)),
    ...[...adapters, ...ports.flat(), ...Temperatures, ...Fans, ...PowerSupplies]
  )
}

async function found(read: Read) {
  const root = await read('/redfish/v1/')
  const [systems, chassis] = [await members(read, root.Systems), await members(read, root.Chassis)]
  const [system] = systems
  return { root, system, chassis: chassis.find(({ Id }) => Id === '1') }
}

/** A Prometheus exporter: health of each part as a metric, also of the system's cards, and the rollup of the chassis. */
export async function exporter(read: Read): Promise<string[]> {
  const { system, chassis } = await found(read)
  const cards = await Promise.all(system.PCIeDevices.map((each: Link) => read(each['@odata.id'])))
  const rollup = { Name: rolledUp, Status: { Health: chassis.Status.HealthRollup } }
  return [...(await parts(read, system, chassis)), ...ill(...cards, rollup)]
}

/** A check for Icinga and Nagios: the same, volumes, and the logs of systems and managers, without what is resolved. */
export async function check(read: Read): Promise<string[]> {
  const { root, system, chassis } = await found(read)
  const volumes = (await members(read, system.Storage)).map(({ Volumes }) => members(read, Volumes))
  const owners = [system, ...(await members(read, root.Managers))]
  const services = (await Promise.all(owners.map(({ LogServices }) => members(read, LogServices)))).flat()
  const entries = (await Promise.all(services.map(({ Entries }) => members(read, Entries)))).flat()
  const open = entries.filter(({ Severity, Resolved }) => Severity !== 'OK' && Resolved === false)
  return [
    ...(await parts(read, system, chassis)),
    ...ill(...(await Promise.all(volumes)).flat()),
    ...open.map(({ Message }) => Message)
  ]
}
