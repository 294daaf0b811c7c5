export * from './diagnostics.ts'
