import { chassisUri } from '#data/chassis'

/** The canonical URI of the adapter that a card of a chassis is, without a trailing slash. */
export const networkAdapterUri = (chassis: string, device: string) =>
  `${chassisUri(chassis)}/NetworkAdapters/${encodeURIComponent(device)}`
