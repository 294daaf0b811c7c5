import type { BoardFan, BoardPowerSupply } from '#data/board'
import { chassisUri } from '#data/chassis'

/** The canonical URI, without a trailing slash. */
export const sensorUri = (chassis: string, id: string) => `${chassisUri(chassis)}/Sensors/${id}`

/** The `Id` of a sensor: the name that it has, or its number. */
export const sensorId = ({ id, number }: { readonly id?: string | undefined; readonly number: number }) =>
  id ?? String(number)

export const thermalUri = (chassis: string) => `${chassisUri(chassis)}/Thermal`
/** The cooling of a chassis, and one of its fans. */
export const thermalSubsystemUri = (chassis: string) => `${chassisUri(chassis)}/ThermalSubsystem`
export const fanId = ({ fanId, number }: Pick<BoardFan, 'fanId' | 'number'>) => fanId ?? String(number)
export const fanUri = (chassis: string, fan: Pick<BoardFan, 'fanId' | 'number'>) =>
  `${thermalSubsystemUri(chassis)}/Fans/${fanId(fan)}`

/** The power supplies of a chassis, and one of them. */
export const powerSubsystemUri = (chassis: string) => `${chassisUri(chassis)}/PowerSubsystem`
export const powerSupplyId = ({ id, bay }: Pick<BoardPowerSupply, 'id' | 'bay'>) => id ?? String(bay)
export const powerSupplyUri = (chassis: string, supply: Pick<BoardPowerSupply, 'id' | 'bay'>) =>
  `${powerSubsystemUri(chassis)}/PowerSupplies/${powerSupplyId(supply)}`
