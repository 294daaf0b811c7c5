export * from './entries.ts'
export * from './logs.ts'
export * from './named.ts'
export * from './records.ts'
