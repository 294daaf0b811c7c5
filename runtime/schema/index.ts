/** The schema language: declarations of resources, boards and settings, the check of values against them, and their faults. */

export * from './complete.ts'
export * from './declare.ts'
export * from './display.ts'
export * from './file-faults.ts'
export { formats } from './formats.ts'
export * from './schema.ts'
export * from './walk.ts'
