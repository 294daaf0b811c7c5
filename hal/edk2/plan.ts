import { sameBytes } from '#runtime/base/bytes.ts'
import { HalError } from '../errors.ts'
import { nextTimestamp, type Variable, type VariableChange, variableKey } from '../nvram.ts'
import { attribute } from '../uefi/attributes.ts'
import { align, recordLength } from './records.ts'

/** Room in bytes: for all records together, and for one of them. */
export interface Room {
  readonly total: number
  readonly largest: number
}

/** A variable's new value, or without one its end. */
export interface Step {
  readonly key: string
  readonly variable?: Variable
}

export interface Plan<Present> {
  /** The records to write, in this order. */
  readonly steps: readonly Step[]
  /** The variables after that: the new ones and those that stay. */
  readonly next: ReadonlyMap<string, Variable | Present>
}

/**
 * The writes that changes need, given the present variables by {@link variableKey}. Changes without effect are left
 * out, and time-based variables get their timestamps.
 *
 * @throws {HalError} `ENOSPC` and `EINVAL` as hal/nvram.ts says
 */
export function planChanges<Present extends Variable>(
  present: ReadonlyMap<string, Present>,
  changes: readonly VariableChange[],
  room: Room,
  now: Date | undefined
): Plan<Present> {
  const next = new Map<string, Variable | Present>(present)
  const steps: Step[] = []
  for (const change of changes) {
    const key = variableKey(change.name, change.guid)
    const old = next.get(key)
    if (!change.data?.length) {
      if (next.delete(key)) steps.push({ key })
      continue
    }
    if (old && old.attributes === change.attributes && sameBytes(old.data, change.data)) continue
    if (recordLength(change) > room.largest) {
      const size = `${recordLength(change)} bytes of at most ${room.largest}`
      throw new HalError('EINVAL', `nvram: variable ${JSON.stringify(change.name)} takes ${size}`)
    }
    const timed = (change.attributes & attribute.timeBased) !== 0
    const timestamp = timed ? nextTimestamp(change.timestamp, old?.timestamp, now) : undefined
    const { name, guid, attributes, data } = change
    const variable = { name, guid, attributes, data, timestamp }
    next.set(key, variable)
    steps.push({ key, variable })
  }
  const used = usedSpace(next.values())
  // A change that makes the store smaller is allowed, however full the store is.
  if (used > room.total && used > usedSpace(present.values())) {
    throw new HalError('ENOSPC', `nvram: ${used} bytes of ${room.total} would be in use`)
  }
  return { steps, next }
}

/** Bytes that variables take up in the store. */
export function usedSpace(variables: Iterable<Variable>): number {
  let sum = 0
  for (const variable of variables) sum += align(recordLength(variable))
  return sum
}
