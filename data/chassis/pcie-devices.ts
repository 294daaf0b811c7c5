import { integer, references } from '#data/resource'
import { type Machine, members } from '#runtime/contract'
import { chassisUri } from './uris.ts'

/** The cards that a system uses (DSP0268, ComputerSystem). */
export const pcieDevices = { PCIeDevices: references, 'PCIeDevices@odata.count': integer } as const

/** {@link pcieDevices}: those in the chassis of the system. */
export function showPcieDevices(machine: Machine, system: string) {
  const devices = machine
    .system(system)
    .chassis.flatMap(
      (id) => members(`${chassisUri(id)}/PCIeDevices`, Object.keys(machine.chassis(id).pcieDevices)).Members
    )
  return { PCIeDevices: devices, 'PCIeDevices@odata.count': devices.length }
}
