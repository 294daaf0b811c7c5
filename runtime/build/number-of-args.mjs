import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { jsonFiles } from './json-files.mjs'

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..')

/** A message registry, with the members that matter here. */
/** @typedef {{ RegistryPrefix: string, Messages: Record<string, { NumberOfArgs: number }> }} Registry */

/**
 * The source of `dist/generated/number-of-args.ts`, the types of messages.
 *
 * @param {readonly Registry[]} registries in the order in which they are listed
 */
export function numberOfArgs(registries) {
  const lines = registries.flatMap(({ RegistryPrefix, Messages }) =>
    Object.entries(Messages).map(([key, { NumberOfArgs }]) => `  '${RegistryPrefix}.${key}': ${NumberOfArgs}`)
  )
  return `/** How many arguments each message takes. build.mjs makes this file from the registries. */
export interface NumberOfArgs {
${lines.join('\n')}
}
`
}

/** The types of messages follow their registries. Unchanged files are not written: the sources may be read-only. */
export function writeNumberOfArgs() {
  const file = join(root, 'dist/generated/number-of-args.ts')
  const source = numberOfArgs(jsonFiles(join(root, 'registries')).map(({ value }) => value))
  mkdirSync(dirname(file), { recursive: true })
  if (!existsSync(file) || readFileSync(file, 'utf8') !== source) writeFileSync(file, source)
}
