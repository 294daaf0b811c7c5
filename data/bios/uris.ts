import { systemUri } from '#data/system'

/** The canonical URI, without a trailing slash. */
export const biosUri = (system: string) => `${systemUri(system)}/Bios`
