import { action, child, integer, resource, status } from '#data/resource'
import { applyTimeSupport, pushOptions, showApplyTimeSupport, targets, targetUris, updateSettings } from '#data/updates'
import { changed, fail, type Get, list, mergeArray, object, type Patch } from '#runtime/contract'
import { body as simpleUpdate } from './UpdateService/Actions/UpdateService.SimpleUpdate.ts'

const update = action('UpdateService.SimpleUpdate', simpleUpdate)

export const schema = resource('UpdateService.v1_16_0', 'Updates of firmware', {
  Actions: object({
    '#UpdateService.SimpleUpdate': {
      ...update,
      properties: { ...update.properties, '@Redfish.OperationApplyTimeSupport': applyTimeSupport }
    },
    '#UpdateService.StartUpdate': action('UpdateService.StartUpdate')
  }),
  FirmwareInventory: child('FirmwareInventory'),
  HttpPushUri: { type: 'string', format: 'uri-reference', readonly: true },
  HttpPushUriOptions: pushOptions,
  HttpPushUriTargets: { ...targets, readonly: false },
  MaxImageSizeBytes: integer,
  MultipartHttpPushUri: { type: 'string', format: 'uri-reference', readonly: true },
  ServiceEnabled: { type: 'boolean', nullable: true, readonly: true },
  SoftwareInventory: child('SoftwareInventory'),
  Status: status,
  SupportedUpdateImageFormats: list({ type: 'string', enum: ['VendorDefined'] }),
  UpdateServiceCapabilities: child('UpdateServiceCapabilities'),
  VerifyRemoteServerCertificate: { type: 'boolean', nullable: true, readonly: false }
})

export const privileges = { GET: 'LoginPriv', PATCH: 'MgmtConfigPriv' } as const

export const GET: Get<typeof schema> = ({ uri, state, configuration }) => {
  const { applyTime, targets, verifyCertificate, window } = updateSettings(state.get('updateService', 'settings'))
  return {
    Name: 'Update service',
    Actions: {
      '#UpdateService.SimpleUpdate': {
        '@Redfish.OperationApplyTimeSupport': showApplyTimeSupport(uri, window)
      },
      '#UpdateService.StartUpdate': {}
    },
    HttpPushUri: `${uri}/update`,
    HttpPushUriOptions: {
      HttpPushUriApplyTime: {
        ApplyTime: applyTime,
        // Not there until they are set, and writable all the same.
        MaintenanceWindowStartTime: window.start ?? undefined,
        MaintenanceWindowDurationInSeconds: window.seconds ?? undefined
      }
    },
    HttpPushUriTargets: targets,
    MaxImageSizeBytes: configuration.updates.size,
    MultipartHttpPushUri: `${uri}/update-multipart`,
    ServiceEnabled: true,
    SupportedUpdateImageFormats: ['VendorDefined'],
    VerifyRemoteServerCertificate: verifyCertificate
  }
}

/** The maintenance window is that of all updates, however they come. */
export const PATCH: Patch<typeof schema> = ({ body, machine, state }) => {
  const present = updateSettings(state.get('updateService', 'settings'))
  const {
    ApplyTime,
    MaintenanceWindowStartTime: start = present.window.start,
    MaintenanceWindowDurationInSeconds: seconds = present.window.seconds
  } = body.HttpPushUriOptions?.HttpPushUriApplyTime ?? {}
  const targets = body.HttpPushUriTargets && mergeArray(present.targets, body.HttpPushUriTargets)
  const known = targetUris(machine)
  const wrong = targets?.find((each) => !known.includes(each.replace(/\/+$/, '')))
  if (wrong !== undefined) fail(400, 'Base.PropertyValueIncorrect', 'HttpPushUriTargets', wrong.slice(0, 64))
  const settings = {
    ...(ApplyTime !== undefined && { applyTime: ApplyTime }),
    ...(targets !== undefined && { targets }),
    ...(body.HttpPushUriOptions !== undefined && { window: { start, seconds } }),
    ...(body.VerifyRemoteServerCertificate !== undefined && {
      verifyCertificate: body.VerifyRemoteServerCertificate ?? false
    })
  }
  return changed(Object.keys(settings).length === 0 ? {} : { updateService: { settings: { ...present, ...settings } } })
}
