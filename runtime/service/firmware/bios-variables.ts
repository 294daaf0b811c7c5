import { type BiosCurrent, type BiosPending, writeTransferMessage } from '#data/bios'
import { bootServiceAttributes, ordinaryAttributes, vendorVariables } from '#data/variables'
import type { NvramSpace, VariableChange } from '#hal/nvram.ts'
import { utf8 } from '#runtime/base/bytes.ts'
import type { Log } from '#runtime/base/log.ts'
import type { Store } from '#runtime/store/store.ts'

/** The BIOS settings in the firmware's store, for a firmware that supports them. */
interface Areas {
  /** `Id` of the attribute registry. */
  readonly registry: string
  readonly current: BiosCurrent
  /** The pending settings, if any. */
  readonly pending: BiosPending | undefined
  /** Tells one pending area from the next: a result with the same number is its own. */
  readonly id: number
  /** True when `current` is the result of a transfer just now. */
  readonly transferred: boolean
}

/**
 * The variables that show the areas: JSON in UTF-8, each a variable of its own, so that each changes as a whole.
 *
 * - `VendorBiosCurrent` `{ Attributes, Registry }`: the values that the host is to run with.
 * - `VendorBiosPending` `{ Id, Reset, Attributes }`: what the next reset is to change, defaults first if `Reset`; gone
 *   when it is done.
 * - `VendorBiosResult` `{ Id, Time, Messages }`: what became of the pending area `Id`.
 * - `VendorBiosAdministratorPassword`, `VendorBiosUserPassword`: a salted hash, hidden from the operating system.
 *
 * One that is larger than the store lets a variable be is not there at all: an old one would be worse than none. The
 * service's own record is what counts.
 */
export function biosVariables(areas: Areas, space: NvramSpace, { log }: Pick<Store, 'log'>): VariableChange[] {
  const { registry, current, pending, id, transferred } = areas
  const { attributes, transferredAt, messages, passwords } = current
  const fit = (change: VariableChange) => fitting(change, space, log)
  const result = { Id: id, Time: transferredAt, Messages: messages.map((each) => writeTransferMessage(each)) }
  return [
    fit(json('VendorBiosCurrent', { Attributes: attributes, Registry: registry })),
    ...(transferred ? [fit(json('VendorBiosResult', result)), ...passwordVariables(passwords)] : []),
    // Last, as firmware does it: while it is there, all of the above can be done again.
    pending === undefined
      ? { name: 'VendorBiosPending', guid: vendorVariables, data: null }
      : fit(json('VendorBiosPending', { Id: id, Reset: pending.reset, Attributes: pending.attributes }))
  ]
}

function passwordVariables(passwords: BiosCurrent['passwords']): VariableChange[] {
  return ['Administrator', 'User'].map((each) => {
    const variable = { name: `VendorBios${each}Password`, guid: vendorVariables }
    const hash = passwords[each]
    if (hash === undefined) return { ...variable, data: null }
    return { ...variable, attributes: bootServiceAttributes, data: utf8(hash) }
  })
}

function json(name: string, value: object): VariableChange {
  const data = utf8(JSON.stringify(value))
  return { name, guid: vendorVariables, attributes: ordinaryAttributes, data }
}

/** The bytes of a variable besides its data: header, name with NUL, and alignment of the next one. */
const overhead = (name: string) => 64 + 2 * (name.length + 1)

function fitting(change: VariableChange, { largest }: NvramSpace, log: Log): VariableChange {
  const { name, guid, data } = change
  if (data === null || data.length + overhead(name) <= largest) return change
  log.warning('a variable is too large for the firmware', { variable: name, bytes: data.length, largest })
  return { name, guid, data: null }
}
