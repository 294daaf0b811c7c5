export * from './ethernet.ts'
export * from './https-port.ts'
export * from './records.ts'
export * from './settings.ts'
