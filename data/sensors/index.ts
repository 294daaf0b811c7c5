export * from './excerpts.ts'
export * from './records.ts'
export * from './sensors.ts'
export * from './uris.ts'
