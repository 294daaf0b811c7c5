export * from './limits.ts'
export * from './records.ts'
export * from './status.ts'
