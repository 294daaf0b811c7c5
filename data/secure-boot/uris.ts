import { systemUri } from '#data/system'

/** The canonical URI, without a trailing slash. */
export const databaseUri = (system: string, id: string) => `${systemUri(system)}/SecureBoot/SecureBootDatabases/${id}`
