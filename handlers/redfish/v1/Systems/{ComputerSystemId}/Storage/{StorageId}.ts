import { raidTypes, storageProtocols } from '#data/board'
import {
  actions,
  arrayMember,
  child,
  number,
  references,
  resource,
  showArrayMember,
  status,
  text
} from '#data/resource'
import { type Get, list, members, object } from '#runtime/contract'
import { body as reset } from './{StorageId}/Actions/Storage.ResetToDefaults.ts'

export const schema = resource('Storage.v1_17_0', 'A storage subsystem', {
  Controllers: child('Controllers'),
  Drives: references,
  'Drives@odata.count': { type: 'integer', readonly: true },
  Status: status,
  StorageControllers: list(
    object(['MemberId'], {
      ...arrayMember,
      FirmwareVersion: text,
      Manufacturer: text,
      Model: text,
      Name: text,
      SpeedGbps: number,
      Status: status,
      SupportedDeviceProtocols: list({ type: 'string', enum: storageProtocols }),
      SupportedRAIDTypes: list({ type: 'string', enum: raidTypes })
    })
  ),
  Volumes: child('Volumes'),
  Actions: actions({ 'Storage.ResetToDefaults': reset })
})

export const privileges = { GET: 'LoginPriv' } as const

/** The controller stands in the old place as well, where Ironic looks for what it can make volumes of. */
export const GET: Get<typeof schema, 'ComputerSystemId' | 'StorageId'> = ({ params, uri, machine, health }) => {
  const { name, controller, drives } = machine.storage(params.ComputerSystemId, params.StorageId)
  const { Members } = members(`${uri}/Drives`, Object.keys(drives))
  return {
    Name: name,
    Drives: Members,
    'Drives@odata.count': Members.length,
    StorageControllers: [
      {
        ...showArrayMember(uri, 'StorageControllers', 0),
        FirmwareVersion: controller.firmwareVersion,
        Manufacturer: controller.manufacturer,
        Model: controller.model,
        Name: controller.model ?? name,
        SpeedGbps: controller.speedGbps,
        Status: health(`${uri}/Controllers/1`),
        SupportedDeviceProtocols: controller.protocols,
        SupportedRAIDTypes: controller.raidTypes
      }
    ]
  }
}
