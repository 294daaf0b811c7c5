import { directoryKinds } from '#data/accounts'
import { Directory, type DirectoryParts } from './directory.ts'

/** The directories that logins may ask, in this order. */
export const openDirectories = (parts: DirectoryParts): readonly Directory[] =>
  directoryKinds.map((kind) => new Directory(kind, parts))
