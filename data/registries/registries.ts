/**
 * What the registry in a file is known by: that of messages by its prefix, `Base` of `registries/Base.1.17.0.json`; that
 * of attributes by its whole `Id` with the version, which clients look up as `AttributeRegistry` of a BIOS says it.
 *
 * @returns undefined for a file that holds no registry
 */
export function registryId(document: string): string | undefined {
  return /^registries\/(.+?)(\.\d+\.\d+\.\d+)?\.json$/.exec(document)?.[1]
}
