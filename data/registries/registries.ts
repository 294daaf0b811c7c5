import type { Context } from '#runtime/contract'
import { schemaFileUri } from './uris.ts'

/** The parts of the context that determine which registries a machine has. */
type Sources = Pick<Context, 'documents' | 'configuration' | 'machine'>

/**
 * The id of the registry in a file. For messages it is the prefix, `Base` of `registries/Base.1.17.0.json`. For
 * attributes it is the whole `Id` with the version, because clients look it up by the `AttributeRegistry` of a BIOS.
 *
 * @returns undefined for a file that holds no registry, or attributes of a BIOS that this machine does not have
 */
function registryId(document: string, { machine }: Sources): string | undefined {
  const [, id, version] = /^registries\/(?:\w+\/)?([^/]+?)(\.\d+\.\d+\.\d+)?\.json$/.exec(document) ?? []
  const isNamed = () => Object.values(machine.board.systems).some(({ attributeRegistry }) => attributeRegistry === id)
  return version !== undefined || isNamed() ? id : undefined
}

/** The registries that a machine has in its profile: the names of their files by their ids. */
export function registryFiles(sources: Sources): ReadonlyMap<string, string> {
  const { documents, configuration } = sources
  const files = new Map<string, string>()
  for (const folder of ['registries/', `registries/${configuration.profile}/`]) {
    for (const name of documents) {
      const id = registryId(name, sources)
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
