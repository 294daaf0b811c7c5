export * from './limit.ts'
export * from './metrics.ts'
export * from './records.ts'
export * from './uris.ts'
