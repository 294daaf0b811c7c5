export * from './actions.ts'
export * from './manager.ts'
export * from './records.ts'
