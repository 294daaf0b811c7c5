import process from 'node:process'
import { gunzipSync } from 'fflate'
import { SettingsError } from '#data/configuration'
import { utf8Text } from '#runtime/base/bytes.ts'
import type { Documents } from '#runtime/store/documents.ts'

/**
 * `minnow schema board|configuration|fleet`: prints the JSON Schema of such files, for an editor. A binary without fleets has
 * no schema of them.
 *
 * @param args what follows `schema` on the command line
 * @throws SettingsError for an unknown command
 */
export function schemaCommand(args: readonly string[], documents: Documents): void {
  const document = args.length === 1 ? documents.get(`${args[0]}.schema.json`) : undefined
  if (document === undefined) throw new SettingsError('usage: minnow schema board, configuration or fleet')
  process.stdout.write(`${utf8Text(gunzipSync(document.gzip))}\n`)
}
