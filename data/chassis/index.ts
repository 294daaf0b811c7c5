export * from './records.ts'
export * from './uris.ts'
