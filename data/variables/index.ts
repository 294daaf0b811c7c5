export * from './changes.ts'
export * from './records.ts'
export * from './variables.ts'
