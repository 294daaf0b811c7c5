export * from './faults.ts'
export * from './fleet.ts'
