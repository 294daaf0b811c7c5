export * from './adapters.ts'
export * from './schemas.ts'
export * from './uris.ts'
