import type { BoardStorage, RaidType } from '#data/board'
import { list, object } from '#runtime/schema'
import type { StorageSettings, Volume } from './records.ts'

/** `ResetType` of `Storage.ResetToDefaults` (DSP0268, Storage). */
export const storageResetTypes = ['ResetAll', 'PreserveVolumes'] as const

/** `InitializeType` of `Volume.Initialize` (Swordfish): what is at its beginning is erased, or all of it. */
export const initializeTypes = ['Fast', 'Slow'] as const

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

/** The bytes that a volume over drives can hold: the smallest of them counts for each. */
export function capacityOf(storage: BoardStorage, type: RaidType, drives: readonly string[]): number {
  const sizes = drives.map((id) => storage.drives[id]?.capacityBytes ?? 0)
  return Math.min(...sizes) * levels[type].data(sizes.length)
}

/** Whether a volume of a type holds what is stored on more than one of its drives. */
export function isRedundant(type: RaidType): boolean {
  const { from, data } = levels[type]
  return data(from) < from
}

/** The bytes that a volume holds. */
export function volumeCapacity(storage: BoardStorage, { capacityBytes, raidType, drives }: Volume): number {
  return capacityBytes ?? capacityOf(storage, raidType, drives)
}

/** The drives that belong to no volume. */
export function freeDrives(storage: BoardStorage, { volumes }: StorageSettings): string[] {
  const taken = new Set(Object.values(volumes).flatMap(({ drives }) => drives))
  return Object.keys(storage.drives).filter((id) => !taken.has(id))
}

/**
 * Drives for a volume of a client who names none: as few free ones as hold so many bytes.
 *
 * @returns undefined if there are not enough
 */
export function chooseDrives(
  storage: BoardStorage,
  settings: StorageSettings,
  type: RaidType,
  bytes = 0
): string[] | undefined {
  const free = freeDrives(storage, settings)
  const choices = free.map((_, index) => free.slice(0, index + 1))
  return choices.find((drives) => takesDrives(type, drives.length) && capacityOf(storage, type, drives) >= bytes)
}

/** When volumes are made and deleted (DSP0268, OperationApplyTimeSupport): at once. */
const applyTimes = ['Immediate'] as const

export const applyTime = { type: 'string', enum: applyTimes } as const

export const applyTimeSupport = object({ SupportedValues: list(applyTime) })

export const supportedApplyTimes = { SupportedValues: applyTimes }
