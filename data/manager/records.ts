import { table } from '#runtime/contract'

declare module '#runtime/contract' {
  interface Tables {
    /** By manager id; absent where the board's file says it. */
    managerIdentity: { uuid: string; serviceEntryPointUuid: string }
    /** By manager id. */
    clock: { timeServers: readonly string[] }
    /** By manager id. */
    manager: ManagerSettings
    /** One record, `settings`. */
    controller: ControllerState
    /** Work for the next start of the controller, by its kind: see `controllerWork`. */
    controllerPending: ControllerPending
  }
}

table('managerIdentity', { survives: ['restart', 'restStateReset', 'factoryReset'] })
table('clock', { survives: ['restart', 'restStateReset'] })
table('manager', { survives: ['restart', 'restStateReset'] })
table('controller', { survives: ['restart', 'restStateReset'] })
table('controllerPending', { survives: ['restart', 'restStateReset'] })

/** The keys of the remote console that send a combination of keys to the host. */
export const hotKeys = ['CtrlT', 'CtrlU', 'CtrlV', 'CtrlW', 'CtrlX', 'CtrlY'] as const

export interface ManagerSettings {
  /** The keys that each hot key of the remote console sends. */
  hotKeys: { readonly [K in (typeof hotKeys)[number]]: readonly string[] }
  cloudConnect: boolean
}

export interface ControllerState {
  /** Nothing can be changed but by a reset of the controller. */
  disabled: boolean
}

export interface ControllerPending {
  /** The user who asked for it. */
  user: string
}
