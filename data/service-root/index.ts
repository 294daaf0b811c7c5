export * from './service-root.ts'
