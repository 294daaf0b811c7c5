export * from './records.ts'
export * from './sensors.ts'
