import type { System } from './records.ts'

/** `ComputerSystem.Reset` (DSP0268, Resource.ResetType), as far as a server has them. */
export const resetTypes = [
  'On',
  'ForceOff',
  'GracefulShutdown',
  'ForceRestart',
  'Nmi',
  'PushPowerButton',
  'GracefulRestart'
] as const

/** `PushType` of the vendor's PowerButton. */
export const pushTypes = ['Press', 'PressAndHold'] as const

/** `ResetType` of the vendor's SystemReset. */
export const systemResetTypes = ['ColdBoot', 'AuxCycle'] as const

const defaults: System = {
  assetTag: '',
  bootOverrideEnabled: 'Disabled',
  bootOverrideTarget: 'None',
  bootOverrideUefiTarget: null,
  bootOrder: []
}

/** The settings of a system; members that no client set have their defaults. */
export function systemSettings(stored: Partial<System> | undefined): System {
  return { ...defaults, ...stored }
}
