import { systemSettings, systemUri } from '#data/system'
import { event, merged } from '#runtime/contract'
import type { Store } from '#runtime/store/store.ts'
import type { Events } from '../events/events.ts'
import type { Devices, Hardware } from '../machine/machine.ts'

/**
 * Restarts hosts whose firmware found nothing to boot, as `AutomaticRetryConfig` says.
 *
 * @param seconds from the failure to the restart; a host that boots or goes off meanwhile is left alone
 */
export function retryBoots(store: Store, hardware: Hardware, devices: Devices, events: Events, seconds: number) {
  /** The hosts that wait for their restart, from the failure on. */
  const waiting = new Map<string, { timer?: ReturnType<typeof setTimeout> }>()
  const leave = (system: string) => {
    clearTimeout(waiting.get(system)?.timer)
    waiting.delete(system)
  }
  const restart = async (system: string) => {
    try {
      await hardware.perform({ kind: 'power', operation: 'forceRestart', system })
    } catch (error) {
      await events.emit(event('MgmtEvents.ServerFailed', systemUri(system), system, (error as Error).message))
    }
  }
  const failed = async (system: string) => {
    const { bootRetry, bootRetryAttempts } = systemSettings(store.get('system', system))
    const left = store.get('bootRetry', system)?.left ?? bootRetryAttempts
    const isRetried = bootRetry === 'RetryAlways' || (bootRetry === 'RetryAttempts' && left > 0)
    const uri = systemUri(system)
    const told = isRetried
      ? event('MgmtEvents.ServerBootRetried', uri, system)
      : event('MgmtEvents.ServerBootFailed', uri, system)
    const counted = isRetried && bootRetry === 'RetryAttempts' ? { bootRetry: { [system]: { left: left - 1 } } } : {}
    const wait: { timer?: ReturnType<typeof setTimeout> } = {}
    if (isRetried) waiting.set(system, wait)
    try {
      await store.commit(() => merged(counted, events.writes([told])))
    } catch (error) {
      return store.log.error('a boot was not retried', { system, cause: (error as Error).message })
    }
    if (waiting.get(system) === wait) wait.timer = setTimeout(() => void restart(system), seconds * 1000)
  }
  const ends = [
    hardware.onBootEnd(({ system, isFailed }) => {
      leave(system)
      if (isFailed) void failed(system)
      else if (store.get('bootRetry', system) !== undefined) {
        store.commit({ bootRetry: { [system]: null } }).catch((error: Error) => {
          store.log.warning('the count of boot attempts was not reset', { system, cause: error.message })
        })
      }
    }),
    ...[...devices.power].map(([system, power]) =>
      power.on(({ type }) => {
        if (type === 'boot' || type === 'state') leave(system)
      })
    )
  ]
  return {
    close() {
      for (const end of ends) end()
      for (const system of waiting.keys()) leave(system)
    }
  }
}
