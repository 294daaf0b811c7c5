import { raidTypes, storageProtocols } from '#data/board'
import { number, resource, status, text } from '#data/resource'
import { storageSettings } from '#data/storage'
import { type Context, changed, type Get, list, notFound, object, type Patch } from '#runtime/contract'

const protocols = list({ type: 'string', enum: storageProtocols })

export const schema = resource('StorageController.v1_8_0', 'A storage controller', {
  ControllerRates: object({ RebuildRatePercent: { type: 'integer', minimum: 0, maximum: 100, readonly: false } }),
  FirmwareVersion: text,
  Manufacturer: text,
  Model: text,
  PartNumber: text,
  SerialNumber: text,
  SpeedGbps: number,
  Status: status,
  SupportedDeviceProtocols: protocols,
  SupportedRAIDTypes: list({ type: 'string', enum: raidTypes })
})

export const privileges = { GET: 'LoginPriv', PATCH: 'HostStorageConfigPriv' } as const

type Path = 'ComputerSystemId' | 'StorageId' | 'StorageControllerId'

export const GET: Get<typeof schema, Path> = (context) => {
  const { key, storage } = find(context)
  const { controller } = storage
  const { rebuildRate } = storageSettings(storage, context.state.get('storage', key))
  return {
    Name: controller.model ?? storage.name,
    ControllerRates: { RebuildRatePercent: rebuildRate },
    FirmwareVersion: controller.firmwareVersion,
    Manufacturer: controller.manufacturer,
    Model: controller.model,
    PartNumber: controller.partNumber,
    SerialNumber: context.machine.serialNumber(controller),
    SpeedGbps: controller.speedGbps,
    SupportedDeviceProtocols: controller.protocols,
    SupportedRAIDTypes: controller.raidTypes
  }
}

export const PATCH: Patch<typeof schema, Path> = (context) => {
  const { key } = find(context)
  return changed({ storage: { [key]: { rebuildRate: context.body.ControllerRates?.RebuildRatePercent } } })
}

function find({ params, machine }: Pick<Context<Path>, 'params' | 'machine'>) {
  const storage = machine.storage(params.ComputerSystemId, params.StorageId)
  if (params.StorageControllerId !== '1') notFound()
  return { storage, key: `${params.ComputerSystemId}/${params.StorageId}` }
}
