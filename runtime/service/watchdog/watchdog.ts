import { systemUri, watchdogActions, watchdogSettings } from '#data/system'
import type { PowerOperation } from '#hal/power.ts'
import { event } from '#runtime/contract'
import type { Store } from '#runtime/store/store.ts'
import type { Events } from '../events/events.ts'
import type { Devices, Hardware } from '../machine/machine.ts'

/**
 * Performs the configured action when a host's watchdog timer expires, and reports it.
 *
 * @param seconds from the warning to the action; a host that boots or goes off meanwhile is left alone
 */
export function watchHosts(store: Store, hardware: Hardware, devices: Devices, events: Events, seconds: number) {
  const waiting = new Map<string, ReturnType<typeof setTimeout>>()
  const perform = async (operation: PowerOperation, system: string) => {
    try {
      await hardware.perform({ kind: 'power', operation, system })
    } catch (error) {
      await events.emit(event('MgmtEvents.ServerFailed', systemUri(system), system, (error as Error).message))
    }
  }
  for (const [system, power] of devices.power) {
    power.on(({ type }) => {
      if (type === 'boot' || type === 'state') clearTimeout(waiting.get(system))
      if (type !== 'watchdog') return
      const { enabled, action, warning } = watchdogSettings(store.get('hostWatchdog', system))
      if (!enabled || action === null) return
      void events.emit(event('MgmtEvents.HostWatchdogExpired', systemUri(system), system, action))
      const operation = watchdogActions[action]
      const act = () => operation && void perform(operation, system)
      if (warning === 'None') return act()
      void perform('nmi', system)
      clearTimeout(waiting.get(system))
      waiting.set(system, setTimeout(act, seconds * 1000))
    })
  }
  return {
    close() {
      for (const timer of waiting.values()) clearTimeout(timer)
    }
  }
}
