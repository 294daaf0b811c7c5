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
    /** What waits for the next start of the controller, by what it is: see `controllerWork`. */
    controllerPending: ControllerPending
    /** The last time that a part of what is stored was damaged, by what it was. */
    recovery: Recovery
  }
}

table('managerIdentity', { survives: ['restart', 'restStateReset', 'factoryReset'] })
table('clock', { survives: ['restart', 'restStateReset'] })
table('manager', { survives: ['restart', 'restStateReset'] })
table('controller', { survives: ['restart', 'restStateReset'] })
table('recovery', { survives: ['restart', 'restStateReset'], waiting: 'all' })
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
  /** Who asked for it. */
  user: string
}

/** What the controller stores, in parts that may be damaged on their own. */
export const recoveryParts = ['Store', 'SecretsKey', 'ServerKey'] as const

export type RecoveryPart = (typeof recoveryParts)[number]

export interface Recovery {
  /** What was damaged. */
  cause: string
  /** What the controller went on with: the rest of it, a copy, or a new one. */
  from: 'store' | 'copy' | 'nothing'
  /** How old that is: the time of the newest change in it; empty where nobody knows. */
  asOf: string
  recoveredAt: string
}
