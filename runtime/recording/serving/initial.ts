import { mostRemembered } from '#data/accounts'
import type { Values } from '#data/bios'
import { bootTargets, type Individual } from '#data/board'
import { localOffset } from '#data/manager'
import { bootOverrideModes, bootOverrides, bootRetries, bootStops } from '#data/system'
import { bootNumbers, ordinaryAttributes, variablePath } from '#data/variables'
import { type IndicatorState, indicatorStates } from '#hal/indicators.ts'
import { bootOrder } from '#hal/uefi/variables.ts'
import { hex } from '#runtime/base/bytes.ts'
import type { Writes } from '#runtime/contract'
import { bootNames } from '../boot-options.ts'
import { secureBootOf } from '../keys.ts'
import { idOf, isObject, linkIn, linksIn, type Resource, type Resources, textIn, within } from '../resources.ts'
import { attributeRegistryOf, chassisOf, managersOf, systemsOf } from './board.ts'
import { individualized } from './individual.ts'

/** The first state of the service: the recorded values of everything that it stores. */
export function initialState(resources: Resources, individual: Individual | undefined, time: string): Writes {
  // Systems and managers are named as their maker likes, also `__proto__`.
  const table = (): Record<string, object> => Object.create(null)
  const [biosCurrent, variable, secureBoot] = [table(), table(), table()]
  const [system, chassis, clock] = [table(), table(), table()]
  for (const path of systemsOf(resources)) {
    const id = idOf(path)
    const attributes = attributeRegistryOf(resources, path)?.attributes
    if (isObject(attributes)) {
      const own = individual === undefined ? attributes : individualized(attributes, individual)
      biosCurrent[id] = { attributes: own as Values, passwords: {}, transferredAt: time, messages: [] }
    }
    const { changes, current } = secureBootOf(resources, path)
    for (const { name, guid, attributes, data } of changes)
      variable[variablePath(id, guid, name)] = { attributes, data: data && hex(data) }
    if (current !== undefined) secureBoot[id] = { current }
    const order = bootOrderOf(resources, resources.get(path)!)
    if (order !== undefined) {
      const data = hex(bootNumbers(order))
      variable[variablePath(id, bootOrder.guid, bootOrder.name)] = { attributes: ordinaryAttributes, data, added: data }
    }
    system[id] = { ...bootOf(resources.get(path)!), ...(order && { bootOrder: order }) }
  }
  for (const path of managersOf(resources)) clock[idOf(path)] = clockOf(resources, resources.get(path)!)
  for (const path of chassisOf(resources)) {
    const inside = linksIn(within(resources.get(path), ['Links', 'ComputerSystems']))
    const lamp = [path, ...inside].map((each) => lampOf(resources.get(each))).find((each) => each !== undefined)
    if (lamp !== undefined) chassis[idOf(path)] = { locating: lamp !== 'Off', indicator: lamp }
  }
  return { biosCurrent, secureBoot, variable, system, chassis, clock, ...servicesOf(resources) }
}

/** The members of an object that have a value. */
function present<T extends object>(of: T): Partial<T> {
  return Object.fromEntries(Object.entries(of).filter(([, value]) => value !== undefined)) as Partial<T>
}

/** The value of a member, if it is one of these. */
function among<T extends string>(of: unknown, name: string, values: readonly T[]): T | undefined {
  return values.find((each) => each === within(of, [name]))
}

/** The value of a member, if it is a whole number between these. */
function numberIn(of: unknown, name: string, least: number, most: number): number | undefined {
  const value = within(of, [name])
  return typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most ? value : undefined
}

/** The boot order with UEFI names (`Boot####`); undefined if it is empty or names an option that was not recorded. */
function bootOrderOf(resources: Resources, system: Resource): string[] | undefined {
  const order = within(system, ['Boot', 'BootOrder'])
  const { own } = bootNames(resources, system)
  const names = (Array.isArray(order) ? order : []).map((each) => own.get(each))
  return names.length > 0 && names.every((each) => each !== undefined) ? names : undefined
}

function bootOf({ Boot: boot }: Resource) {
  const uri = textIn(boot, 'HttpBootUri')
  const path = textIn(boot, 'UefiTargetBootSourceOverride')
  return present({
    bootOverrideEnabled: among(boot, 'BootSourceOverrideEnabled', bootOverrides),
    bootOverrideTarget: among(boot, 'BootSourceOverrideTarget', bootTargets),
    bootOverrideMode: among(boot, 'BootSourceOverrideMode', bootOverrideModes),
    bootOverrideUefiTarget: path === '' ? undefined : path,
    httpBootUri: uri === '' ? undefined : uri,
    bootRetry: among(boot, 'AutomaticRetryConfig', bootRetries),
    bootRetryAttempts: numberIn(boot, 'AutomaticRetryAttempts', 1, 100),
    bootStop: among(boot, 'StopBootOnFault', bootStops)
  })
}

/** The state of the lamp of a resource, if it has one. */
function lampOf(resource: unknown): IndicatorState | undefined {
  const active = within(resource, ['LocationIndicatorActive'])
  const lit = typeof active === 'boolean' ? (active ? 'Blinking' : 'Off') : undefined
  return among(resource, 'IndicatorLED', indicatorStates) ?? lit
}

function clockOf(resources: Resources, manager: Resource) {
  const ntp = within(resources.get(linkIn(manager.NetworkProtocol) ?? ''), ['NTP'])
  const servers = within(ntp, ['NTPServers'])
  const enabled = within(ntp, ['ProtocolEnabled'])
  const offset = textIn(manager, 'DateTimeLocalOffset')
  return present({
    timeServers: Array.isArray(servers) && servers.every((each) => typeof each === 'string') ? servers : undefined,
    ntp: typeof enabled === 'boolean' ? enabled : undefined,
    localOffset: new RegExp(localOffset.pattern).test(offset) ? offset : undefined
  })
}

/** The recorded policies of services, except those that would lock the first administrator out. */
function servicesOf(resources: Resources): Writes {
  const at = (name: string) => resources.get(linkIn(resources.get('/redfish/v1')?.[name]) ?? '')
  const [accounts, sessions, events] = [at('AccountService'), at('SessionService'), at('EventService')]
  const enabled = within(events, ['ServiceEnabled'])
  const accountPolicy = present({
    lockoutThreshold: numberIn(accounts, 'AccountLockoutThreshold', 0, 100),
    lockoutDuration: numberIn(accounts, 'AccountLockoutDuration', 0, 86_400),
    lockoutCounterResetAfter: numberIn(accounts, 'AccountLockoutCounterResetAfter', 0, 86_400),
    minPasswordLength: numberIn(accounts, 'MinPasswordLength', 1, 128),
    passwordHistory: numberIn(accounts, 'EnforcePasswordHistoryCount', 0, mostRemembered),
    passwordExpirationDays: numberIn(accounts, 'PasswordExpirationDays', 1, 3650)
  })
  const sessionPolicy = present({ timeout: numberIn(sessions, 'SessionTimeout', 30, 86_400) })
  return {
    accountService: { settings: accountPolicy },
    sessionService: { settings: sessionPolicy },
    ...(typeof enabled === 'boolean' && { eventService: { settings: { enabled } } })
  }
}
