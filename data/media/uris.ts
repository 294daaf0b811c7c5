import { managerUri } from '#data/manager'

/** The canonical URI, without a trailing slash. */
export const driveUri = (manager: string, drive: string) =>
  `${managerUri(manager)}/VirtualMedia/${encodeURIComponent(drive)}`
