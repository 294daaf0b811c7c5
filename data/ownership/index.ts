export * from './ownership.ts'
