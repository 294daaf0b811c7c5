import type { Profile } from './messages.ts'
import { schemaFileUri } from './uris.ts'

/**
 * The id of the registry in a file. For messages it is the prefix, `Base` of `registries/Base.1.17.0.json`. For
 * attributes it is the whole `Id` with the version, because clients look it up by the `AttributeRegistry` of a BIOS.
 *
 * @returns undefined for a file that holds no registry
 */
function registryId(document: string): string | undefined {
  return /^registries\/(?:\w+\/)?([^/]+?)(\.\d+\.\d+\.\d+)?\.json$/.exec(document)?.[1]
}

/** The registries that a profile has: the names of their files by their ids. */
export function registryFiles(documents: readonly string[], profile: Profile): ReadonlyMap<string, string> {
  const files = new Map<string, string>()
  for (const folder of ['registries/', `registries/${profile}/`]) {
    for (const name of documents) {
      const id = registryId(name)
      if (id !== undefined && name.lastIndexOf('/') === folder.length - 1 && name.startsWith(folder))
        files.set(id, name)
    }
  }
  return files
}

/** The URI of the schema of a type, in the version of it that the service has. */
export function schemaOf(type: string, documents: readonly string[]): string | undefined {
  const name = documents.find((each) => each.startsWith(`schemas/${type}.`))
  return name === undefined ? undefined : schemaFileUri(name.slice('schemas/'.length, -'.json'.length))
}
