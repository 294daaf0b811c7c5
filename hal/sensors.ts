import type { LinkCounters } from './ports.ts'

/**
 * Kinds of sensors and their units: degrees Celsius, percent of full speed, watts, percent, volts, amperes, joules,
 * percent, cubic feet a minute, litres a minute, metres, hertz, pascals, revolutions a minute.
 */
export const sensorKinds = [
  ...(['temperature', 'fan', 'power', 'load', 'voltage', 'current', 'energy'] as const),
  ...(['humidity', 'airFlow', 'liquidFlow', 'altitude', 'frequency', 'pressure', 'speed'] as const)
] as const

/** A reading as a sensor of a kind shows it: to a whole unit, or where units are large, to a thousandth. */
export function roundedReading(kind: Sensor['kind'], value: number): number {
  const isWhole = kind === 'temperature' || kind === 'fan' || kind === 'power' || kind === 'load'
  return isWhole ? Math.round(value) : Math.round(value * 1000) / 1000
}

/** One thing that is measured, and what is usual for it. */
export interface Sensor {
  /** By which it is known, as in IPMI; unique among the sensors of one device. */
  readonly number: number
  readonly kind: (typeof sensorKinds)[number]
  /** At common load with the host on. */
  readonly on: number
  /** With standby power alone. */
  readonly standby: number
  /** The name of the part that it measures, if that can fail: `fans/21`. */
  readonly part?: string | undefined
  /** The thresholds that its device holds; absent where they are the service's own. */
  readonly held?: readonly ThresholdName[] | undefined
}

/**
 * The faults that discrete sensors report: of drives, memory modules, power supplies, fans and links. Those of any part are
 * `failed`, `unavailable` (it cannot be used at present) and `lamp` (its fault lamp is lit).
 */
export const partFaults = [
  ...(['failed', 'predicted', 'rebuilding', 'correctable', 'uncorrectable', 'inputLost'] as const),
  ...(['stopped', 'slow', 'down'] as const),
  ...(['unavailable', 'lamp'] as const)
] as const

export type PartFault = (typeof partFaults)[number]

interface Bandwidth {
  /** The share in use at the last poll, in percent; absent without a measurement. */
  readonly bandwidth?: number | undefined
}

/** The counters of a part, by its kind. They grow from the start of the part, or of the service, on. */
export interface PartCounters {
  readonly links: LinkCounters
  readonly memory: Bandwidth & { readonly correctable: number; readonly uncorrectable: number }
  readonly processors: Bandwidth & {
    /** Seconds for which a limit of the power slowed it down. */
    readonly throttled: number
    readonly correctable: number
    readonly uncorrectable: number
  }
  readonly drives: {
    readonly readKiB: number
    readonly writtenKiB: number
    /** Of its life. */
    readonly hours: number
    readonly correctableReads: number
    readonly uncorrectableReads: number
    readonly badBlocks: number
  }
}

/** The names of thresholds (DSP0268, Sensor), from the lowest reading to the highest. */
export const thresholdNames = [
  ...(['LowerFatal', 'LowerCritical', 'LowerCaution'] as const),
  ...(['UpperCaution', 'UpperCritical', 'UpperFatal'] as const)
] as const

export type ThresholdName = (typeof thresholdNames)[number]

/** Thresholds that another program holds: any program may change them at any time. */
export interface HeldThresholds {
  /** The numbers of the sensors that have any. */
  readonly sensors: readonly number[]
  /** Those of a sensor, in its unit; from memory. One that is not known now is missing. @returns undefined for others */
  get(sensor: number): { readonly [N in ThresholdName]?: number } | undefined
  /** Resolves when `get` shows it. @throws {HalError} `ENODEV` for one that is not there now, others by its back end */
  set(sensor: number, name: ThresholdName, reading: number): Promise<void>
  /** Calls back with the number of a sensor whose thresholds have changed; the function returned ends that. */
  on(listener: (sensor: number) => void): () => void
}

/** The sensors of one chassis. */
export interface Sensors {
  /** Absent where the thresholds are the service's own. */
  readonly thresholds?: HeldThresholds | undefined

  /**
   * The reading of the sensor of this number at the last poll. From memory: cheap, never fails.
   *
   * @returns undefined while nothing is known: before the first `poll`, after one that failed, for a sensor that cannot
   *   be read and for a number that no sensor has
   */
  read(number: number): number | undefined

  /**
   * The faults that discrete sensors saw at the last poll, by the name of the part: `{ 'drives/DE00C000/1': 'failed' }`.
   * Absent from hardware without such sensors.
   */
  readonly partFaults?: Readonly<Record<string, PartFault>>

  /** Whether a part of this name counts anything, such as `slot3/1` of `drives`. Never changes. */
  counts?(kind: keyof PartCounters, part: string): boolean

  /** The counters of a part. From memory or cheap to read, never fails: undefined if they cannot be read. */
  counters?<K extends keyof PartCounters>(kind: K, part: string): PartCounters[K] | undefined

  /**
   * Reads all sensors anew. Resolves when `read` tells what they show now; one that cannot be read spoils no other one.
   *
   * @throws {HalError} `EIO`, `EACCES` or `EBUSY` when no sensor can be read, `ETIMEDOUT` when they do not answer,
   *   `ENODEV` after `close`. Nothing is known of any of them then.
   */
  poll(): Promise<void>

  /**
   * Calls `listener` after each `poll`, also one that failed, and whenever the device itself tells that readings have
   * changed, with the numbers of the sensors whose readings may have changed; the function returned ends that.
   */
  on(listener: (changed: ReadonlySet<number>) => void): () => void

  /** Lets go of the hardware and of all listeners. */
  close(): Promise<void>
}
