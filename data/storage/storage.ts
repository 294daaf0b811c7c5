import type { BoardStorage, BoardVolume, RaidType } from '#data/board'
import type { StorageSettings } from './records.ts'

/** `ResetType` of `Storage.ResetToDefaults` (DSP0268, Storage). */
export const storageResetTypes = ['ResetAll', 'PreserveVolumes'] as const

/** Percent of the controller's time, as it leaves the factory. */
const rebuildRate = 30

/** The settings of a storage controller: as clients changed them, else as the board has them. */
export function storageSettings(board: BoardStorage, stored: Partial<StorageSettings> | undefined): StorageSettings {
  return { volumes: board.volumes, rebuildRate, ...stored }
}

/** Drives that a type needs, at least and at most, and how many of `n` hold no redundancy (SNIA, DDF 2.0). */
const levels: { readonly [T in RaidType]: { from: number; to: number; even?: true; data: (n: number) => number } } = {
  RAID0: { from: 1, to: 32, data: (n) => n },
  RAID1: { from: 2, to: 2, data: () => 1 },
  RAID5: { from: 3, to: 32, data: (n) => n - 1 },
  RAID6: { from: 4, to: 32, data: (n) => n - 2 },
  RAID10: { from: 4, to: 32, even: true, data: (n) => n / 2 }
}

/** Whether a volume of a type can be made of so many drives. */
export function takesDrives(type: RaidType, drives: number): boolean {
  const { from, to, even } = levels[type]
  return drives >= from && drives <= to && !(even && drives % 2 === 1)
}

/** The bytes that a volume holds: the smallest of its drives counts for each. */
export function volumeCapacity({ drives }: BoardStorage, volume: BoardVolume): number {
  const sizes = volume.drives.map((id) => drives[id]?.capacityBytes ?? 0)
  return Math.min(...sizes) * levels[volume.raidType].data(sizes.length)
}
