import { chassisUri } from '#data/chassis'

/** The canonical URI, without a trailing slash. */
export const sensorUri = (chassis: string, number: number) => `${chassisUri(chassis)}/Sensors/${number}`
export const thermalUri = (chassis: string) => `${chassisUri(chassis)}/Thermal`
