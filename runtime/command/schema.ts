import process from 'node:process'
import { gunzipSync } from 'fflate'
import { SettingsError } from '#data/configuration'
import { utf8Text } from '#runtime/base/bytes.ts'
import type { Documents } from '#runtime/store/documents.ts'

/**
 * `minnow schema board|configuration|fleet`: prints the JSON Schema of such files, for an editor. A binary may be
 * built without them.
 *
 * @param args what follows `schema` on the command line
 * @throws SettingsError for an unknown command
 */
export function schemaCommand(args: readonly string[], documents: Documents): void {
  const document = args.length === 1 ? documents.get(`${args[0]}.schema.json`) : undefined
  if (document === undefined) {
    const names = documents.names.flatMap((name) => /^([^/]+)\.schema\.json$/.exec(name)?.[1] ?? [])
    const usage = `usage: minnow schema ${names.join('|')}`
    throw new SettingsError(names.length === 0 ? 'this binary has no schemas of files' : usage)
  }
  process.stdout.write(`${utf8Text(gunzipSync(document.gzip))}\n`)
}
