export * from './records.ts'
export * from './storage.ts'
