import type { Firmware } from '#hal/firmware.ts'
import { opening } from '#runtime/base/opening.ts'
import type { Handling } from '#runtime/request/handle.ts'
import type { Sessions } from '#runtime/service/accounts/sessions.ts'
import type { ClientCertificates } from '#runtime/service/certificates/client.ts'
import type { Identity } from '#runtime/service/certificates/identity.ts'
import type { Events } from '#runtime/service/events/events.ts'
import type { Devices, Hardware } from '#runtime/service/machine/machine.ts'
import type { HttpsPort } from '#runtime/service/network/https-port.ts'
import type { Store } from '#runtime/store/store.ts'
import { openAccess } from './access.ts'
import { openHardware } from './hardware.ts'
import type { ServiceOptions } from './options.ts'
import { ownDirectory } from './own-directory.ts'
import { openProtocol } from './protocol.ts'
import { openState } from './state.ts'
import { openWorkers } from './workers.ts'

/** The service without its listener: what the two hosts and the tests of the protocol open alike. */
export interface Service {
  readonly handling: Handling
  readonly hardware: Hardware
  readonly devices: Devices
  readonly store: Store
  readonly events: Events
  readonly sessions: Sessions
  readonly identity: Identity
  readonly clientCertificates: ClientCertificates
  /** The addresses and ports to listen on. */
  readonly httpsPort: HttpsPort
  /** The first administrator's password, when it was generated at this start. */
  readonly generatedPassword: string | undefined
  /** Settles when the service is to restart itself: true where that is a reset of the controller. */
  readonly restarted: Promise<boolean>
  /** Whether a client has asked for such a reset. */
  wasAskedToReset(): boolean
  /**
   * Whether such a reset is to be one of the whole controller: a client has asked for that, and a device does it, or
   * another version of its firmware is to start.
   */
  needsReset(): boolean
  /** Resets the whole controller, as far as its devices do that. @throws {HalError} */
  reset(): Promise<void>
  /** Commits a version of the firmware that is on trial: see `Updates.prove`. */
  prove(isHealthy: () => Promise<boolean>): Promise<boolean>
  /** Does what is done twice a minute. Settles when it is on disk. */
  tend(): Promise<void>
  close(): Promise<void>
}

/**
 * Opens a service. Several may be open in one process, each with a place of its own.
 *
 * @throws StoreError, SettingsError; nothing stays open then
 */
export function openService(given: ServiceOptions): Promise<Service> {
  return opening(async (keep) => {
    const parts = { ...given, place: given.place ?? ownDirectory(given) }
    const state = keep(await openState(parts))
    const access = keep(await openAccess(parts, state))
    const machine = keep(await openHardware(parts, state, access))
    const workers = keep(await openWorkers(parts, state, access, machine))
    const { handling, restarted, generatedPassword, askedReset } = await openProtocol(
      parts,
      state,
      access,
      machine,
      workers
    )
    const { store, events } = state
    const { hardware, devices, updates, httpsPort } = machine
    const isReset = ({ needsReset, reset }: Firmware) =>
      needsReset || (askedReset() !== undefined && reset !== undefined)
    const needsReset = () => [...devices.firmware.values()].some(isReset)
    const reset = async () => {
      for (const firmware of devices.firmware.values())
        if (isReset(firmware)) await firmware.reset?.(askedReset() ?? 'graceful')
    }
    const prove = (isHealthy: () => Promise<boolean>) => updates.prove(isHealthy)
    const { sessions, clientCertificates } = access
    const { tend, identity } = workers
    const shared = {
      handling,
      hardware,
      devices,
      store,
      events,
      tend,
      sessions,
      identity,
      clientCertificates,
      generatedPassword,
      restarted
    }
    const wasAskedToReset = () => askedReset() !== undefined
    return { ...shared, httpsPort, needsReset, wasAskedToReset, reset, prove }
  })
}
