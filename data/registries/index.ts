export * from './registries.ts'
