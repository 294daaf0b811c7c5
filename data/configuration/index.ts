export * from './configuration.ts'
