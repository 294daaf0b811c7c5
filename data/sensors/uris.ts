import { chassisUri } from '#data/chassis'

/** The canonical URI, without a trailing slash. */
export const thermalUri = (chassis: string) => `${chassisUri(chassis)}/Thermal`
