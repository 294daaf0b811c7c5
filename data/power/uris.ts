import { chassisUri } from '#data/chassis'

/** The id of the control that limits the power of a chassis. */
export const powerLimitId = 'PowerLimit'

/** Its canonical URI, without a trailing slash. */
export const powerLimitUri = (chassis: string) => `${chassisUri(chassis)}/Controls/${powerLimitId}`
