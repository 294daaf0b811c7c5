export * from './faults.ts'
export * from './fleet.ts'
export * from './racks.ts'
export * from './summary.ts'
