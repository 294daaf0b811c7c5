import { type DirectoryKind, directoryKinds } from '#data/accounts'
import { Directory, type DirectoryParts } from './directory.ts'

/** The directories that logins may ask, in this order. */
export const openDirectories = (parts: DirectoryParts): ReadonlyMap<DirectoryKind, Directory> =>
  new Map(directoryKinds.map((kind) => [kind, new Directory(kind, parts)]))
