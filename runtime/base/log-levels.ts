/** The levels of the log, the most urgent first. */
export const logLevels = ['error', 'warning', 'info', 'debug'] as const

export type LogLevel = (typeof logLevels)[number]
