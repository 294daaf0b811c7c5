import { Variant } from '../dbus/values.ts'
import type { Network, TimeSettings } from '../network.ts'
import type { HostNames } from '../ports.ts'
import type { SharedState } from '../shared-state.ts'
import { type BusOptions, busOptions, type Objects, wordOf } from './objects.ts'
import { ethernet, interfacePath, textsOf } from './port-state.ts'
import { put, sharedState } from './shared-state.ts'

/** The back end `openbmc` of the host name, the time servers and the clock. */
export interface OpenbmcNetworkOptions extends BusOptions {
  /** The port whose domain and time servers are those of the machine, by its name for the kernel. Default `eth0`. */
  readonly device?: string | undefined
}

/** {@link OpenbmcNetworkOptions} in a board file. */
export const openbmcNetworkOptions = {
  type: 'object',
  properties: {
    device: {
      type: 'string',
      pattern: '^[A-Za-z0-9._-]{1,15}$',
      description: 'The port whose domain and time servers are those of the machine; default eth0'
    },
    ...busOptions
  }
} as const

const configInterface = 'xyz.openbmc_project.Network.SystemConfiguration'
const config = '/xyz/openbmc_project/network/config'
const methodInterface = 'xyz.openbmc_project.Time.Synchronization'
const method = '/xyz/openbmc_project/time/sync_method'
const clockInterface = 'xyz.openbmc_project.Time.EpochTime'
const clock = '/xyz/openbmc_project/time/bmc'

export const networkInterfaces = [configInterface, methodInterface, clockInterface, ethernet]

const longestName = 253

export function openbmcNetwork(objects: Objects, { name, device = 'eth0' }: OpenbmcNetworkOptions): Network {
  const port = interfacePath(device)
  return {
    names: namesOf(objects, name, port),
    times: timesOf(objects, name, port),
    async setClock(time) {
      await objects.set(clock, clockInterface, 'Elapsed', new Variant('t', BigInt(Math.round(time)) * 1000n))
    },
    close: async () => objects.close()
  }
}

/** The host name is that of the machine, with a domain in it or without; the domain is the first of the port. */
function namesOf(objects: Objects, name: string, port: string): SharedState<HostNames> {
  const domains = () => textsOf(objects.known(port, ethernet)?.get('DomainName')).filter(isName)
  const read = (): HostNames | undefined => {
    const found = objects.known(config, configInterface)?.get('HostName')
    if (typeof found !== 'string' || !isName(found)) return undefined
    const [hostName = '', ...rest] = found.split('.')
    return { hostName, domain: domains()[0] ?? rest.join('.') }
  }
  const store = async ({ hostName, domain }: Partial<HostNames>) => {
    const present = read()
    if (hostName !== undefined && hostName !== present?.hostName)
      await put(objects, config, configInterface, 'HostName', new Variant('s', hostName))
    if (domain === undefined || domain === read()?.domain) return
    const others = domains().filter((each, index) => index > 0 && each !== domain)
    const wanted = domain === '' ? [] : [domain, ...others]
    await put(objects, port, ethernet, 'DomainName', new Variant('as', wanted))
  }
  return sharedState(objects, { name, paths: [config, port], read, store })
}

function timesOf(objects: Objects, name: string, port: string): SharedState<TimeSettings> {
  const found = () => objects.known(port, ethernet)
  // Older versions have one property for the servers that are set, and none for those of DHCP.
  const servers = () => (found()?.get('StaticNTPServers') === undefined ? 'NTPServers' : 'StaticNTPServers')
  const read = (): TimeSettings | undefined => {
    const word = wordOf(objects.known(method, methodInterface)?.get('TimeSyncMethod'))
    if (word === undefined || found() === undefined) return undefined
    return { ntp: word === 'NTP', timeServers: textsOf(found()?.get(servers())).filter(isServer) }
  }
  const store = async ({ ntp, timeServers }: Partial<TimeSettings>) => {
    const present = read()
    if (timeServers !== undefined && timeServers.join() !== present?.timeServers.join())
      await put(objects, port, ethernet, servers(), new Variant('as', [...timeServers]))
    if (ntp === undefined || ntp === present?.ntp) return
    const word = `${methodInterface}.Method.${ntp ? 'NTP' : 'Manual'}`
    await put(objects, method, methodInterface, 'TimeSyncMethod', new Variant('s', word))
  }
  return sharedState(objects, { name, paths: [method, port], read, store })
}

const isName = (text: string) => /^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/.test(text) && text.length <= longestName

const isServer = (text: string) => /^[A-Za-z0-9.:-]+$/.test(text) && text.length <= longestName
