import { type Preserved, table } from '#runtime/contract'

declare module '#runtime/contract' {
  interface Tables {
    /** By manager id; absent if the board's file says it. */
    managerIdentity: { uuid: string; serviceEntryPointUuid: string }
    /** By manager id. */
    clock: Clock
    /** By manager id. */
    manager: ManagerSettings
    /** One record, `settings`. */
    controller: ControllerState
    /** Work for the next start of the controller, by its kind: see `controllerWork`. */
    controllerPending: ControllerPending
    /** One record, `last`. */
    controllerStart: { /** ISO 8601, when the controller last started. */ time: string }
    /** The last damage of each part of the stored state. */
    recovery: Recovery
  }
  interface Machine {
    /** Whether a program of the machine sets the clock of a manager. */
    setsClock(manager: string): boolean
  }
  interface Commands {
    /** Sets the clock of the machine that the service runs on: milliseconds since 1970. */
    setClock: { readonly manager: string; readonly time: number }
  }
}

table('managerIdentity', { survives: ['restart', 'restStateReset', 'factoryReset'] })
table('clock', { survives: ['restart', 'restStateReset'], of: 'network' })
table('manager', { survives: ['restart', 'restStateReset'] })
table('controller', { survives: ['restart', 'restStateReset'] })
table('recovery', { survives: ['restart', 'restStateReset'], waiting: 'all' })
table('controllerStart', { survives: ['restart', 'restStateReset'], waiting: 'all' })
table('controllerPending', { survives: ['restart', 'restStateReset'], frees: true })

interface Clock {
  timeServers: readonly string[]
  /** Whether they are asked; absent: where there are some. */
  ntp?: boolean
  /** How far the times that it shows are from universal time, `+02:00`; absent: they are not. */
  localOffset?: string
}

/** The keys of the remote console that send a combination of keys to the host. */
export const hotKeys = ['CtrlT', 'CtrlU', 'CtrlV', 'CtrlW', 'CtrlX', 'CtrlY'] as const

export interface ManagerSettings {
  /** The keys that each hot key of the remote console sends. */
  hotKeys: { readonly [K in (typeof hotKeys)[number]]: readonly string[] }
  cloudConnect: boolean
}

interface ControllerState {
  /** Nothing can be changed but by a reset of the controller. */
  disabled: boolean
}

export interface ControllerPending {
  /** The user who asked for it. */
  user: string
  /** The part that a reset to factory defaults preserves; absent: nothing. */
  preserved?: readonly Preserved[]
}

/** Parts of the stored state that may be damaged on their own. */
export const recoveryParts = ['Store', 'SecretsKey', 'ServerKey'] as const

export type RecoveryPart = (typeof recoveryParts)[number]

/** The controller went on with what was left, with the last good copy, or with a new one. */
export const recoverySources = ['Rest', 'Copy', 'New'] as const

export interface Recovery {
  /** The file that was damaged, and how. */
  cause: string
  source: (typeof recoverySources)[number]
  /** ISO 8601, of the newest change that is still there; null if unknown. */
  asOf: string | null
  /** ISO 8601. */
  recoveredAt: string
}
