import type { System } from './tables.ts'

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

/** `ResetType` of `Manager.Reset`. */
export const managerResetTypes = ['ForceRestart', 'GracefulRestart'] as const

/** `BootSourceOverrideTarget`. */
export const bootTargets = [
  'None',
  'Cd',
  'Hdd',
  'Usb',
  'SDCard',
  'Utilities',
  'Diags',
  'BiosSetup',
  'Pxe',
  'UefiShell',
  'UefiHttp',
  'UefiTarget'
] as const

/** `BootSourceOverrideEnabled`: never, at the next boot, or at every boot. */
export const bootOverrides = ['Disabled', 'Once', 'Continuous'] as const

const defaults: System = {
  assetTag: '',
  bootOverrideEnabled: 'Disabled',
  bootOverrideTarget: 'None',
  bootOverrideUefiTarget: null,
  bootOrder: []
}

/** What clients set on a system; members that none of them did have their defaults. */
export function systemSettings(stored: Partial<System> | undefined): System {
  return { ...defaults, ...stored }
}

/** References of the present boot options: in the stored order first, then those that it does not name. */
export function bootOrder(options: readonly { readonly reference: string }[], stored: readonly string[]): string[] {
  const present = options.map((option) => option.reference)
  return [...stored.filter((each) => present.includes(each)), ...present.filter((each) => !stored.includes(each))]
}
