import type { ControllerPending, HostPending, ManagerSettings } from './tables.ts'

/** What a client may ask for that happens when the controller starts again, in the order in which it does. */
export const controllerWork = ['ResetToFactoryDefaults', 'ClearRestApiState', 'Reset', 'DisableFunctionality'] as const

export type ControllerWork = (typeof controllerWork)[number]

/** How a host starts. */
export const bootModes = ['Normal', 'SafeMode', 'IntelligentDiagnostics'] as const

export type BootMode = (typeof bootModes)[number]

/** What a clearing of the firmware's variables takes: none, all but the keys of secure boot, or the keys as well. */
export const clearings = ['None', 'AllButKeys', 'All'] as const

/** The keys of the remote console that send a combination of keys to the host. */
export const hotKeys = ['CtrlT', 'CtrlU', 'CtrlV', 'CtrlW', 'CtrlX', 'CtrlY'] as const

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

/** What is set on a manager: what clients did, else as it leaves the factory. */
export function managerSettings(stored: Partial<ManagerSettings> | undefined): ManagerSettings {
  return { cloudConnect: false, ...stored, hotKeys: { ...noHotKeys, ...stored?.hotKeys } }
}

/** What waits for the next start of a host, besides its settings. */
export function hostPending(stored: Partial<HostPending> | undefined): HostPending {
  return { mode: 'Normal', recovery: false, clearing: 'None', ...stored }
}

/** The writes that have something happen when the controller starts again. */
export function atControllerStart(work: ControllerWork, user: string) {
  return { controllerPending: { [work]: { user } satisfies ControllerPending } }
}
