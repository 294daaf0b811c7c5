import { pcieGenerations, slotTypes } from '#data/board'
import { chassisUri } from '#data/chassis'
import { integer, location, references, resource, status } from '#data/resource'
import { type Get, link, list, object } from '#runtime/contract'

export const schema = resource('PCIeSlots.v1_6_1', 'The PCIe slots and what is in them', {
  Slots: list(
    object({
      Lanes: integer,
      Location: location,
      PCIeType: { type: 'string', enum: pcieGenerations, nullable: true, readonly: true },
      SlotType: { type: 'string', enum: slotTypes, nullable: true, readonly: true },
      Status: status,
      Links: object({ PCIeDevice: references })
    })
  )
})

export const privileges = { GET: 'LoginPriv' } as const

export const GET: Get<typeof schema, 'ChassisId'> = ({ params, machine }) => {
  const { pcieSlots } = machine.chassis(params.ChassisId)
  const devices = `${chassisUri(params.ChassisId)}/PCIeDevices`
  return {
    Name: 'PCIe slots',
    Slots: pcieSlots.map(({ label, type, generation, lanes, device }) => ({
      Lanes: lanes,
      Location: { PartLocation: { ServiceLabel: label } },
      PCIeType: generation,
      SlotType: type,
      Status: { State: device === undefined ? 'Absent' : 'Enabled' } as const,
      Links: { PCIeDevice: device === undefined ? [] : [link(`${devices}/${device}`)] }
    }))
  }
}
