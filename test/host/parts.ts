import type { Json, Server } from './server.ts'

/** URIs of the machine of a service. */
export interface Parts {
  readonly system: string
  readonly chassis: string
  readonly manager: string
}

/** The first system, as the service root leads to it, and the chassis and the manager that it names. */
export async function partsOf(server: Server): Promise<Parts> {
  const linked = (link: Json): string => link['@odata.id']
  const { Systems } = (await server.get('/redfish/v1/')).json
  const { Members } = (await server.get(linked(Systems))).json
  const system = linked(Members[0])
  const { Links } = (await server.get(system)).json
  return { system, chassis: linked(Links.Chassis[0]), manager: linked(Links.ManagedBy[0]) }
}
