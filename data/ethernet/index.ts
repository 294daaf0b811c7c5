export * from './ethernet.ts'
