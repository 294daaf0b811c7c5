export * from './definition.ts'
export * from './records.ts'
export * from './schemas.ts'
export * from './telemetry.ts'
