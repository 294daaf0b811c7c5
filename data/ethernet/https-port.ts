import { type Context, fail } from '#runtime/contract'
import { discoveryOf, httpsPortOf, trialTime } from './settings.ts'

/** The ports of protocols that cannot be moved. */
export const fixedPorts = { HTTP: 80, NTP: 123 } as const

/** The part of a ManagerNetworkProtocol that bears on the port of HTTPS. */
interface Wish {
  readonly HTTPS?: { readonly Port?: number | null | undefined } | undefined
  readonly SSDP?: { readonly Port?: number | undefined } | undefined
  readonly Oem?:
    | {
        readonly Vendor?:
          | {
              readonly MulticastDNS?: { readonly Port?: number | undefined } | undefined
              readonly RollbackTime?: number | null | undefined
            }
          | undefined
      }
    | undefined
}

/**
 * The command for the port of HTTPS that a client wants.
 *
 * @returns undefined if the port stays, and is not on trial either
 * @throws MessageError 400 for a port that is fixed, none, or another protocol's
 */
export function moveOf({ params, body, state, configuration, localAddress }: Context<'ManagerId', Wish>) {
  const { SSDP: ssdp, Oem: oem, HTTPS: https } = body
  if (https?.Port === null) fail(400, 'Base.PropertyValueTypeError', 'null', 'HTTPS/Port')
  const present = httpsPortOf(state, configuration)
  const port = https?.Port ?? present
  const seconds = oem?.Vendor?.RollbackTime
  const isOnTrial = state.get('httpsPort', 'settings')?.trial != null
  if (port === present) return isOnTrial && seconds === 0 ? ({ kind: 'moveHttps', port, seconds } as const) : undefined
  if (configuration.portIsFixed) fail(400, 'Base.PropertyNotWritable', 'HTTPS/Port')
  const discovery = discoveryOf(state, params.ManagerId)
  const others = {
    'HTTP/Port': fixedPorts.HTTP,
    'NTP/Port': fixedPorts.NTP,
    'SSDP/Port': ssdp?.Port ?? discovery.ssdpPort,
    'Oem/Vendor/MulticastDNS/Port': oem?.Vendor?.MulticastDNS?.Port ?? discovery.mdnsPort
  }
  const [other] = Object.entries(others).find(([, each]) => each === port) ?? []
  if (other !== undefined) fail(400, 'Base.PropertyValueConflict', 'HTTPS/Port', other)
  return { kind: 'moveHttps', port, seconds: seconds ?? (localAddress === undefined ? 0 : trialTime) } as const
}
