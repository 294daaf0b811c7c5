export * from './indicator.ts'
export * from './records.ts'
export * from './uris.ts'
