export * from './ethernet.ts'
export * from './records.ts'
export * from './settings.ts'
