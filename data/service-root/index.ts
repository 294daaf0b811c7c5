export * from './instances.ts'
export * from './service-root.ts'
