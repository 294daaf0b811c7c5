export * from './install.ts'
export * from './license.ts'
export * from './uris.ts'
