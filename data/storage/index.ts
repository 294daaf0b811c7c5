export * from './records.ts'
export * from './storage.ts'
export * from './uris.ts'
