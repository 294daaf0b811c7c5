import { text } from '#data/resource'
import { object, type Preserved, type State } from '#runtime/contract'
import { type ControllerPending, hotKeys, type ManagerSettings, recoveryParts, recoverySources } from './records.ts'

/** Work that a client may request for the next start of the controller, in the order in which it is done. */
export const controllerWork = ['ResetToFactoryDefaults', 'ClearRestApiState', 'Reset', 'DisableFunctionality'] as const

export type ControllerWork = (typeof controllerWork)[number]

/** The most keys that one hot key sends at once: what a USB keyboard reports (HID 1.11, appendix B.1), less one. */
export const keysTogether = 5

const noHotKeys = Object.fromEntries(hotKeys.map((each) => [each, []])) as unknown as ManagerSettings['hotKeys']

/** The names and addresses of those whom a controller asks for the time. */
export const timeServers = {
  type: 'array',
  items: { type: 'string', pattern: '^[A-Za-z0-9.:-]+$', maxLength: 253 },
  maxItems: 4,
  readonly: false
} as const

/** The settings of a manager: the values that clients set, else the factory defaults. */
export function managerSettings(stored: Partial<ManagerSettings> | undefined): ManagerSettings {
  return { cloudConnect: false, ...stored, hotKeys: { ...noHotKeys, ...stored?.hotKeys } }
}

/** `StateRecoveries` of the vendor: what was damaged, and what the controller went on with. */
export const stateRecoveries = {
  type: 'array',
  readonly: true,
  items: object({
    Part: { type: 'string', enum: recoveryParts, readonly: true },
    Cause: text,
    Source: { type: 'string', enum: recoverySources, readonly: true },
    AsOf: { type: 'string', format: 'date-time', nullable: true, readonly: true },
    RecoveredAt: { type: 'string', format: 'date-time', readonly: true }
  })
} as const

/** {@link stateRecoveries}. */
export function showRecoveries(state: State) {
  return recoveryParts.flatMap((part) => {
    const recovery = state.get('recovery', part)
    if (recovery === undefined) return []
    const { cause, source, asOf, recoveredAt } = recovery
    return [{ Part: part, Cause: cause, Source: source, AsOf: asOf, RecoveredAt: recoveredAt }]
  })
}

/** The writes that have something happen when the controller starts again. */
export function atControllerStart(work: Exclude<ControllerWork, 'ResetToFactoryDefaults'>, user: string) {
  return { controllerPending: { [work]: { user } satisfies ControllerPending } }
}

/** The writes that have the controller start with its factory defaults. @param preserved what they leave as it is */
export function factoryDefaults(user: string, preserved: readonly Preserved[] = []) {
  return { controllerPending: { ResetToFactoryDefaults: { user, preserved } satisfies ControllerPending } }
}

/** `ResetType` of `Manager.ResetToDefaults`, and what each preserves. */
export const resetToDefaultsTypes = {
  ResetAll: [],
  PreserveNetworkAndUsers: ['network', 'users'],
  PreserveNetwork: ['network']
} as const satisfies Readonly<Record<string, readonly Preserved[]>>

/** `ResetType` of `Manager.Reset`. */
export const managerResetTypes = ['ForceRestart', 'GracefulRestart'] as const
