import type { HostNames, PortSettings } from '#hal/ports.ts'
import { table } from '#runtime/contract'

declare module '#runtime/contract' {
  interface Services {
    /** The address of this machine that the request came to; undefined if it came over no network. */
    readonly localAddress: string | undefined
  }
  interface Tables {
    /**
     * By `<manager>/<interface>`: what clients have set. Of a port that stores its settings itself, what is about to be
     * carried out.
     */
    portSettings: Partial<PortSettings>
    /** By `<manager>/<interface>`: a change that is rolled back if no client uses it. */
    portTrial: PortTrial
    /** By manager; absent if the board's file says it. */
    hostNames: HostNames
    /** By manager. */
    discovery: Discovery
    /** One record, `settings`; absent if HTTPS is on the port of the configuration. */
    httpsPort: HttpsPort
  }
  interface Commands {
    /** Has the ports be as their records say, once the answer is on its way: of a manager, all or one. */
    configurePorts: { readonly manager: string; readonly ethernetInterface?: string }
    /**
     * Has clients find the service at another port, and stores that. For so many seconds it is on trial; 0 keeps it, also
     * the one that it is at already.
     */
    moveHttps: { readonly port: number; readonly seconds: number }
  }
}

table('portSettings', { survives: ['restart', 'restStateReset'], of: 'network' })
table('portTrial', { survives: ['restart', 'restStateReset'], of: 'network' })
table('hostNames', { survives: ['restart', 'restStateReset'], of: 'network' })
table('discovery', { survives: ['restart', 'restStateReset'], of: 'network' })
table('httpsPort', { survives: ['restart', 'restStateReset'], of: 'network' })

interface PortTrial {
  /** The settings that the change replaced: those to go back to. */
  readonly before: Partial<PortSettings>
  /** How long it lasts from when the change is in force, in seconds. */
  readonly seconds: number
}

interface HttpsPort {
  /** From 1 to 65535. */
  readonly port: number
  /** A change that is rolled back if no client uses the port; null without one. */
  readonly trial: {
    /** The port to go back to; null for that of the configuration. */
    readonly before: number | null
    /** How long it lasts, in seconds. */
    readonly seconds: number
  } | null
}

/** How clients find the controller that do not know its address. */
export interface Discovery {
  readonly ssdp: boolean
  readonly ssdpPort: number
  /** Seconds from one announcement by SSDP to the next; 0: no announcements. */
  readonly notifyInterval: number
  /** How many routers may pass it. */
  readonly notifyTtl: number
  readonly mdns: boolean
  readonly mdnsPort: number
}
