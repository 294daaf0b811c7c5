import { systemUri } from '#data/system'

/** The canonical URI, without a trailing slash. */
export const storageUri = (system: string, id: string) => `${systemUri(system)}/Storage/${id}`
