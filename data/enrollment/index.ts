export * from './enrollment.ts'
export * from './records.ts'
