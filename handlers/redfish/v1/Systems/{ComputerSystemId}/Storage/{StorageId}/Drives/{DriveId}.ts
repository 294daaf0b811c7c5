import { driveMedia, storageProtocols } from '#data/board'
import { hasCondition } from '#data/health'
import { metricsLink, partOf } from '#data/metrics'
import { action, integer, location, number, reference, references, resource, status, text } from '#data/resource'
import { driveKey, findDrive, storageUri, volumesOn } from '#data/storage'
import { isUnderWay } from '#data/tasks'
import { changed, fail, type Get, link, object, type Patch } from '#runtime/contract'
import { body as reset } from './{DriveId}/Actions/Drive.Reset.ts'
import { body as erasure } from './{DriveId}/Actions/Drive.SecureErase.ts'

export const schema = resource('Drive.v1_19_0', 'A drive and its state', {
  BlockSizeBytes: integer,
  CapableSpeedGbs: number,
  CapacityBytes: integer,
  FailurePredicted: { type: 'boolean', nullable: true, readonly: true },
  LocationIndicatorActive: { type: 'boolean', readonly: false },
  Manufacturer: text,
  MediaType: { type: 'string', enum: driveMedia, nullable: true, readonly: true },
  Metrics: reference,
  Model: text,
  PartNumber: text,
  PhysicalLocation: location,
  Protocol: { type: 'string', enum: storageProtocols, nullable: true, readonly: true },
  Revision: text,
  SerialNumber: text,
  Status: status,
  Links: object({ Volumes: references }),
  Actions: object({
    '#Drive.Reset': action('Drive.Reset', reset),
    '#Drive.SecureErase': action('Drive.SecureErase', erasure)
  })
})

export const privileges = { GET: 'LoginPriv', PATCH: 'MgmtConfigPriv' } as const

type Path = 'ComputerSystemId' | 'StorageId' | 'DriveId'

export const GET: Get<typeof schema, Path> = (context) => {
  const { params, machine, state } = context
  const drive = findDrive(context)
  const { medium = drive.protocol === 'NVMe' ? 'SSD' : 'HDD' } = drive
  const name = `${params.StorageId}/${params.DriveId}`
  const place = { system: params.ComputerSystemId, storage: params.StorageId, id: params.DriveId }
  const base = `${storageUri(params.ComputerSystemId, params.StorageId)}/Volumes`
  return {
    Name: `Drive in ${drive.bay.toLowerCase()}`,
    BlockSizeBytes: 512,
    CapableSpeedGbs: drive.speedGbps,
    CapacityBytes: drive.capacityBytes === 0 ? null : drive.capacityBytes,
    FailurePredicted: hasCondition(state, context.uri, 'predicted'),
    ...(drive.locator && { LocationIndicatorActive: state.get('drive', driveKey(params))?.locating ?? false }),
    Manufacturer: drive.manufacturer,
    MediaType: medium,
    ...metricsLink(machine, partOf(machine, params.ComputerSystemId, 'drives', name), `${context.uri}/Metrics`),
    Model: drive.model,
    PartNumber: drive.partNumber,
    PhysicalLocation: { PartLocation: { ServiceLabel: drive.bay } },
    Protocol: drive.protocol,
    Revision: drive.revision,
    SerialNumber: machine.serialNumber(drive),
    ...(isUnderWay('reset', state, place) && { Status: { State: 'Starting' } }),
    Links: { Volumes: volumesOn(context).map((id) => link(`${base}/${id}`)) },
    ...((drive.resets || drive.sanitization) && {
      Actions: {
        ...(drive.resets && { '#Drive.Reset': { 'ResetType@Redfish.AllowableValues': drive.resets } }),
        ...(drive.sanitization && {
          '#Drive.SecureErase': { 'SanitizationType@Redfish.AllowableValues': drive.sanitization }
        })
      }
    })
  }
}

export const PATCH: Patch<typeof schema, Path> = (context) => {
  const { params, body } = context
  if (!findDrive(context).locator) fail(400, 'Base.PropertyNotWritable', 'LocationIndicatorActive')
  return changed({ drive: { [driveKey(params)]: { locating: body.LocationIndicatorActive } } })
}
