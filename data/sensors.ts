import type { BoardSensor } from './inventory.ts'

/** What a sensor shows with the host on, or with standby power alone: for now what the board file says. */
export function reading(sensor: BoardSensor, power: 'On' | 'Off' | 'PoweringOn' | 'PoweringOff'): number {
  return power === 'Off' ? sensor.standby : sensor.reading
}
