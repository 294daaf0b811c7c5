export * from './registries.ts'
export * from './uris.ts'
