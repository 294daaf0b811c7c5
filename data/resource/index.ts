export * from './actions.ts'
export * from './schemas.ts'
