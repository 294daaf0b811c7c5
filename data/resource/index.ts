export * from './action-info.ts'
export * from './actions.ts'
export * from './schemas.ts'
