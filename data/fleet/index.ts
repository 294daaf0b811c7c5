export * from './fleet.ts'
