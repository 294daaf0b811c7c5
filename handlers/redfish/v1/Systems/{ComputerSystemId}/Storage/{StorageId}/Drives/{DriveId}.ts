import { entry, storageProtocols } from '#data/board'
import { integer, location, number, references, resource, status, text } from '#data/resource'
import { storageSettings, storageUri } from '#data/storage'
import { type Get, link, notFound, type Schema } from '#runtime/contract'

export const schema = {
  title: '#Drive.v1_19_0.Drive',
  description: 'A drive and its state',
  type: 'object',
  required: resource.required,
  properties: {
    ...resource.properties,
    BlockSizeBytes: integer,
    CapableSpeedGbs: number,
    CapacityBytes: integer,
    FailurePredicted: { type: 'boolean', nullable: true, readonly: true },
    Manufacturer: text,
    MediaType: { type: 'string', enum: ['HDD', 'SSD'], nullable: true, readonly: true },
    Model: text,
    PhysicalLocation: location,
    Protocol: { type: 'string', enum: storageProtocols, nullable: true, readonly: true },
    Revision: text,
    SerialNumber: text,
    Status: status,
    Links: { type: 'object', properties: { Volumes: references } }
  }
} as const satisfies Schema

export const privileges = { GET: 'LoginPriv' } as const

type Path = 'ComputerSystemId' | 'StorageId' | 'DriveId'

export const GET: Get<typeof schema, Path> = ({ params, machine, state }) => {
  const { ComputerSystemId, StorageId, DriveId } = params
  const storage = machine.storage(ComputerSystemId, StorageId)
  const drive = entry(storage.drives, DriveId) ?? notFound()
  const { volumes } = storageSettings(storage, state.get('storage', `${ComputerSystemId}/${StorageId}`))
  const base = `${storageUri(ComputerSystemId, StorageId)}/Volumes`
  const mine = Object.keys(volumes).filter((id) => volumes[id]?.drives.includes(DriveId))
  return {
    Name: `Drive in ${drive.bay.toLowerCase()}`,
    BlockSizeBytes: 512,
    CapableSpeedGbs: drive.speedGbps,
    CapacityBytes: drive.capacityBytes,
    FailurePredicted: false,
    Manufacturer: drive.manufacturer,
    MediaType: drive.protocol === 'NVMe' ? 'SSD' : 'HDD',
    Model: drive.model,
    PhysicalLocation: { PartLocation: { ServiceLabel: drive.bay } },
    Protocol: drive.protocol,
    Revision: drive.revision,
    SerialNumber: machine.serialNumber(drive),
    Links: { Volumes: mine.map((id) => link(`${base}/${id}`)) }
  }
}
