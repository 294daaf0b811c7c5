import { systemSettings, systemUri, watchdogActions } from '#data/system'
import { event } from '#runtime/contract'
import type { Store } from '#runtime/store/store.ts'
import type { Events } from '../events/events.ts'
import type { Devices, Hardware } from '../machine/machine.ts'

/** Does what a client wants done to a host whose watchdog timer has run out, and tells of it. */
export function watchHosts(store: Store, hardware: Hardware, devices: Devices, events: Events): void {
  for (const [system, power] of devices.power) {
    power.on(({ type }) => {
      if (type !== 'watchdog') return
      const { watchdogEnabled, watchdogAction } = systemSettings(store.get('system', system))
      if (!watchdogEnabled) return
      void events.emit(event('MgmtEvents.HostWatchdogExpired', systemUri(system), system, watchdogAction))
      const operation = watchdogActions[watchdogAction]
      if (operation === undefined) return
      hardware.perform({ kind: 'power', operation, system }).catch((error: Error) => {
        void events.emit(event('MgmtEvents.ServerFailed', systemUri(system), system, error.message))
      })
    })
  }
}
