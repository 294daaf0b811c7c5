export * from './messages.ts'
export * from './registries.ts'
export * from './uris.ts'
