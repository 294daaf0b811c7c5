/** When an update is applied (DSP0268, Settings.OperationApplyTime). */
export const applyTimes = [
  'Immediate',
  'OnReset',
  'AtMaintenanceWindowStart',
  'InMaintenanceWindowOnReset',
  'OnStartUpdateRequest'
] as const

export type ApplyTime = (typeof applyTimes)[number]

/** When the controller and its hosts may be reset for an update. */
export interface MaintenanceWindow {
  /** ISO 8601. */
  start: string
  seconds: number
}

/** As clients set it, member by member. */
export type WindowSettings = { [K in keyof MaintenanceWindow]: MaintenanceWindow[K] | null }

/** @returns undefined if a member is not set */
export function wholeWindow({ start, seconds }: WindowSettings): MaintenanceWindow | undefined {
  return start === null || seconds === null ? undefined : { start, seconds }
}

/** Whether an update waits for the maintenance window. */
export const inWindow = (applyTime: ApplyTime) => applyTime.includes('MaintenanceWindow')

/** Where a time lies: before a window, in it, or after it. @param now milliseconds since 1970 */
export function placeIn({ start, seconds }: MaintenanceWindow, now: number): 'before' | 'in' | 'after' {
  const begins = Date.parse(start)
  if (now < begins) return 'before'
  return now < begins + seconds * 1000 ? 'in' : 'after'
}

/** Whether a component waits for a reset before it starts with its image. Otherwise the service resets it. */
export const waitsForReset = (applyTime: ApplyTime) => applyTime.endsWith('OnReset')
