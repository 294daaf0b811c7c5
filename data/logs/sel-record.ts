/*
 * The numbers and texts of IPMI 2.0 that this service uses, in the records of an SEL (32.1), for events (42.1) and types
 * of sensors (42.2), and the words that DSP0268 has for them.
 */

import { bytes, hex } from '#runtime/contract'

/** `SensorType` (DSP0268, LogEntry), by the number of the type. */
const typeNames = {
  1: 'Temperature',
  4: 'Fan',
  7: 'Processor',
  8: 'Power Supply / Converter',
  9: 'PowerUnit',
  11: 'Other Units-based Sensor',
  12: 'Memory',
  13: 'Drive Slot/Bay',
  16: 'Event Logging Disabled',
  19: 'Critical Interrupt',
  29: 'SystemBoot/Restart',
  30: 'Boot Error',
  32: 'OS Stop/Shutdown',
  33: 'Slot/Connector',
  34: 'System ACPI PowerState',
  35: 'Watchdog',
  39: 'LAN',
  41: 'Battery'
} as const

export const sensorTypes = Object.values(typeNames)

export type SensorType = keyof typeof typeNames

/** The classes of events: a threshold is crossed, a redundancy, what is specific to the type of sensor. */
export const eventClasses = { threshold: 0x01, redundancy: 0x0b, specific: 0x6f } as const

/** `EntryCode` (DSP0268, LogEntry) of thresholds, by their offsets. */
const crossings = {
  0: 'Lower Non-critical - going low',
  2: 'Lower Critical - going low',
  4: 'Lower Non-recoverable - going low',
  7: 'Upper Non-critical - going high',
  9: 'Upper Critical - going high',
  11: 'Upper Non-recoverable - going high'
} as const

const redundancies = { 1: 'Redundancy Lost' } as const

export const entryCodes = ['Assert', 'Deassert', ...Object.values(crossings), ...Object.values(redundancies)] as const

/** An event of a sensor. */
export interface SelEvent {
  readonly type: SensorType
  readonly number: number
  readonly class: number
  readonly offset: number
  /** Whether it is the end of what the offset stands for. */
  readonly isEnd: boolean
  /** Of a threshold: the reading and the threshold, as far as a byte can hold them. */
  readonly values?: readonly [number, number] | undefined
}

/** An event as a log entry keeps it: from the type of the sensor to the end of the record. */
export function packSel({ type, number, class: of, offset, isEnd, values }: SelEvent): string {
  const isHeld = values?.every((each) => each >= 0 && each <= 0xff) ?? false
  const [reading = 0xff, threshold = 0xff] = isHeld ? (values ?? []).map(Math.round) : []
  const record = [type, number & 0xff, of | (isEnd ? 0x80 : 0), offset | (isHeld ? 0x50 : 0), reading, threshold]
  return hex(Uint8Array.from(record))
}

/** This controller (its address on IPMB), as the source of all events. */
const generator = 0x20

const [systemEvent, messageRevision] = [0x02, 0x04]

/** The largest number that a record can have; the next one is 1. */
const lastRecord = 0xfffe

/** The record of sixteen bytes. @param number of the entry @param created ISO 8601 */
export function selRecord(number: number, created: string, packed: string): Uint8Array {
  const record = new Uint8Array(16)
  const view = new DataView(record.buffer)
  view.setUint16(0, ((number - 1) % lastRecord) + 1, true)
  view.setUint8(2, systemEvent)
  view.setUint32(3, Math.floor(Date.parse(created) / 1000), true)
  view.setUint16(7, generator, true)
  view.setUint8(9, messageRevision)
  record.set(bytes(packed), 10)
  return record
}

/** The properties of an entry of type `SEL` (DSP0268, LogEntry). */
export function showSel(packed: string) {
  const [type = 0, number = 0, direction = 0, data = 0] = bytes(packed)
  const [isEnd, of, offset] = [direction > 0x7f, direction & 0x7f, data & 0x0f]
  const codes: { readonly [offset: number]: (typeof entryCodes)[number] } =
    of === eventClasses.threshold ? crossings : of === eventClasses.redundancy ? redundancies : {}
  return {
    EntryCode: isEnd ? 'Deassert' : (codes[offset] ?? 'Assert'),
    EntryType: 'SEL',
    GeneratorId: `0x${generator.toString(16).padStart(4, '0')}`,
    MessageId: `0x${packed.slice(4)}`,
    SensorNumber: number,
    SensorType: typeNames[type as SensorType]
  } as const
}

/** The subject of an event, the same for its begin and its end: sensor, class and offset. */
export function selSubject(packed: string): { readonly subject: string; readonly isEnd: boolean } {
  const direction = Number.parseInt(packed.slice(4, 6), 16)
  // The offset is the lower half of its byte.
  return { subject: `${packed.slice(0, 4)}${direction & 0x7f}/${packed[7]}`, isEnd: direction > 0x7f }
}
