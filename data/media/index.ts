export * from './drive.ts'
export * from './image.ts'
export * from './records.ts'
export * from './uris.ts'
