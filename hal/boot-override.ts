import type { SharedState } from './shared-state.ts'

/** A boot override: the source that a host boots from instead of its boot order, in the words of `Boot` of a ComputerSystem (DSP0268). */
export interface BootOverride {
  /** Never, at the next boot, or at every boot. */
  readonly enabled: 'Disabled' | 'Once' | 'Continuous'
  /** One of the targets of its device; `None`: the boot order. */
  readonly target: string
  /** How its firmware boots. */
  readonly mode: 'UEFI' | 'Legacy'
}

/**
 * A boot override that another program holds. The firmware of the host asks that program for it, and clears it there once it
 * is used (IPMI 2.0, 28.13).
 */
export interface BootOverrides extends SharedState<BootOverride> {
  readonly targets: readonly string[]
  readonly modes: readonly BootOverride['mode'][]
  close(): Promise<void>
}
