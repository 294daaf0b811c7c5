import { type Host, hosts } from '#test/host/hosts.ts'
import { type Scope, type Server, start } from '#test/host/server.ts'

/** Ends, when it is over, everything that a measurement has started. */
export class Measurement implements Scope {
  readonly #ends: (() => unknown)[] = []

  teardown(end: () => unknown): void {
    this.#ends.unshift(end)
  }

  async end(): Promise<void> {
    for (const end of this.#ends.splice(0)) await end()
  }
}

/**
 * A host by its name.
 *
 * @throws Error with how to get it, when it is not here
 */
export function hostNamed(name: string): Host {
  const host = hosts.find((each) => each.name === name)
  if (!host) throw new RangeError(`no host ${name}`)
  if (host.missing) throw new Error(host.missing)
  return host
}

/** Starts a host with default settings, and logs its first administrator in once. */
export async function startAsShipped(scope: Scope, host: Host, data?: string): Promise<Server> {
  const server = await start(scope, host, { configuration: { password: {} }, ...(data !== undefined && { data }) })
  const { status } = await server.get(chassis)
  if (status !== 200) throw new Error(`${host.name}: ${status}`)
  return server
}

/** The resources that the figures are measured on. */
export const chassis = '/redfish/v1/Chassis/1/'
export const bios = '/redfish/v1/Systems/1/Bios/'
