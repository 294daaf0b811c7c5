export * from './faults.ts'
export * from './fleet.ts'
export * from './summary.ts'
