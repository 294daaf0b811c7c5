/** The ranges of a history: the length of a step in seconds, and how many steps there are. */
export const historyRanges = {
  TenMinutes: { step: 10, steps: 60 },
  Hour: { step: 60, steps: 60 },
  Day: { step: 1800, steps: 48 }
} as const

export type HistoryRange = keyof typeof historyRanges
