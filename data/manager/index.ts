export * from './actions.ts'
export * from './manager.ts'
export * from './records.ts'
export * from './uris.ts'
