import { hex } from '#runtime/base/bytes.ts'
import { fail, type Machine, notFound, type Writes } from '#runtime/contract'
import { type VariableValue, variablePath } from './variables.ts'

/** Bytes that a variable takes up besides its data and its name (hal/nvram.ts). */
const overhead = 64

/**
 * The writes that change UEFI variables, at the next moment that the host is held. A deletion of an absent variable
 * writes nothing.
 *
 * @throws MessageError 404 for a system without variables, 503 DeviceNotAvailable when their store is not sound, 507
 *   InsufficientStorage when it has no room for them
 */
export function setVariables(machine: Machine, system: string, changes: readonly VariableValue[]): Writes {
  const { health, space } = machine.nvram(system) ?? notFound()
  if (health.state !== 'ok') fail(503, 'Mgmt.DeviceNotAvailable')
  let growth = 0
  const wanted: Record<string, { attributes: number; data: string | null }> = {}
  for (const { name, guid, attributes, data } of changes) {
    const present = machine.variable(system, name, guid)
    if (data === null && present === undefined) continue
    const size = data === null ? 0 : data.length + 2 * name.length + overhead
    if (size > space.largest) fail(507, 'Base.InsufficientStorage')
    growth += (data?.length ?? 0) - (present?.data.length ?? 0)
    wanted[variablePath(system, guid, name)] = { attributes, data: data === null ? null : hex(data) }
  }
  if (growth > space.free) fail(507, 'Base.InsufficientStorage')
  return { variable: wanted }
}
