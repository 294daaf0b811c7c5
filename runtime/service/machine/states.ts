import { accountServiceUri } from '#data/accounts'
import { networkProtocolUri } from '#data/manager'
import { powerLimitUri } from '#data/power'
import { systemUri } from '#data/system'
import type { Closable } from '#runtime/base/opening.ts'
import type { Event, Tables } from '#runtime/contract'
import type { Store } from '#runtime/store/store.ts'
import type { Devices } from './machine.ts'
import { attachShared, type Mapping } from './shared-state.ts'

/** Has the states that other programs hold be members of the records of their tables. */
export function attachStates(
  store: Store,
  events: { emit(event: Event): unknown },
  { users, power, bootOverrides, bios, nvram, powerLimits, watchdogs, networks }: Devices
): Closable[] {
  const attached: Closable[] = []
  const attach = <T extends keyof Tables, S extends object>(mapping: Mapping<T, S>) => {
    if (mapping.devices.size > 0) attached.push(attachShared(store, events, mapping))
  }
  attach({
    table: 'accountService',
    devices: new Map(users === undefined ? [] : [['settings', users.policy]]),
    members: {
      shortestPassword: 'minPasswordLength',
      lockoutThreshold: 'lockoutThreshold',
      lockoutDuration: 'lockoutDuration'
    },
    uri: () => accountServiceUri
  })
  attach({
    table: 'powerRestore',
    devices: new Map([...power].flatMap(([id, { restore }]) => (restore ? [[id, restore]] : []))),
    members: { policy: 'policy' },
    uri: systemUri
  })
  attach({
    table: 'system',
    devices: bootOverrides,
    members: { enabled: 'bootOverrideEnabled', target: 'bootOverrideTarget', mode: 'bootOverrideMode' },
    uri: systemUri
  })
  const tellsSecureBoot = [...bios].filter(([system]) => !nvram.has(system))
  attach({
    table: 'secureBoot',
    devices: new Map(tellsSecureBoot.map(([system, { secureBoot }]) => [system, secureBoot])),
    members: { current: 'current', enabled: 'enabled', mode: 'mode' },
    uri: (system) => `${systemUri(system)}/SecureBoot`
  })
  attach({
    table: 'powerLimit',
    devices: new Map([...powerLimits].flatMap(([id, { shared }]) => (shared ? [[id, shared]] : []))),
    members: { watts: 'watts', enabled: 'enabled' },
    uri: powerLimitUri
  })
  attach({
    table: 'hostWatchdog',
    devices: watchdogs,
    members: { enabled: 'enabled', action: 'action' },
    uri: systemUri
  })
  attach({
    table: 'hostNames',
    devices: new Map([...networks].map(([id, { names }]) => [id, names])),
    members: { hostName: 'hostName', domain: 'domain' },
    uri: networkProtocolUri
  })
  attach({
    table: 'clock',
    devices: new Map([...networks].map(([id, { times }]) => [id, times])),
    members: { ntp: 'ntp', timeServers: 'timeServers' },
    uri: networkProtocolUri
  })
  return attached
}
