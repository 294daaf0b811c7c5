export * from './schemas.ts'
export * from './show.ts'
