/** The name of the part of the database that is the fleet's own. */
export const ownPart = 'fleet'

/** The key in it of how far the scenario is. */
export const scenarioKey = 'scenario'

/** The key in it of the rules of a controller that were set while it ran. */
export const faultsKey = (number: number) => `faults/${number}`

/** The key in it of the address that a controller was given while it ran. */
export const addressKey = (number: number) => `addresses/${number}`

/** The key in it of the outlets of a power shelf that are off. */
export const outletsKey = (number: number) => `outlets/${number}`

/** The key in it of the faults of its devices. */
export const devicesKey = (number: number) => `devices/${number}`
