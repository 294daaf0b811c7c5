import type { Sensor } from '#hal/sensors.ts'

/**
 * How each kind of sensor is shown (DSP0268, Sensor; units are UCUM's), the lowest and the highest reading that it can
 * show at all, and the defaults of its thresholds: temperatures vary by some degrees, and a fan takes some seconds to reach
 * its speed.
 */
export const sensorTypes = {
  temperature: { type: 'Temperature', units: 'Cel', range: [-55, 150], hysteresis: 2, dwell: 0 },
  fan: { type: 'Percent', units: '%', range: [0, 100], hysteresis: 0, dwell: 5 },
  power: { type: 'Power', units: 'W', range: [0, 100_000], hysteresis: 0, dwell: 0 },
  load: { type: 'Percent', units: '%', range: [0, 100], hysteresis: 0, dwell: 0 },
  voltage: { type: 'Voltage', units: 'V', range: [-1000, 1000], hysteresis: 0, dwell: 0 },
  current: { type: 'Current', units: 'A', range: [-10_000, 10_000], hysteresis: 0, dwell: 0 },
  energy: { type: 'EnergyJoules', units: 'J', range: [0, 1e15], hysteresis: 0, dwell: 0 },
  humidity: { type: 'Humidity', units: '%', range: [0, 100], hysteresis: 0, dwell: 0 },
  airFlow: { type: 'AirFlow', units: '[ft_i]3/min', range: [0, 100_000], hysteresis: 0, dwell: 0 },
  liquidFlow: { type: 'LiquidFlowLPM', units: 'L/min', range: [0, 100_000], hysteresis: 0, dwell: 0 },
  altitude: { type: 'Altitude', units: 'm', range: [-1000, 20_000], hysteresis: 0, dwell: 0 },
  frequency: { type: 'Frequency', units: 'Hz', range: [0, 1e12], hysteresis: 0, dwell: 0 },
  speed: { type: 'Rotational', units: '{rev}/min', range: [0, 1_000_000], hysteresis: 0, dwell: 0 },
  pressure: { type: 'PressurePa', units: 'Pa', range: [0, 1e9], hysteresis: 0, dwell: 0 }
} as const satisfies { readonly [K in Sensor['kind']]: object }
