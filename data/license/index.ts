export * from './install.ts'
export * from './license.ts'
