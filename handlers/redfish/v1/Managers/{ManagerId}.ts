import { chassisUri } from '#data/chassis'
import {
  clockAfter,
  controllerWork,
  hotKeys,
  keysTogether,
  localOffset,
  localOffsetOf,
  localTime,
  managerActions,
  managerResetTypes,
  managerSettings,
  resetToDefaultsTypes,
  showRecoveries,
  stateRecoveries,
  timeZoneName
} from '#data/manager'
import { action, oem, offerActions, reference, references, resource, status, text, vendorActions } from '#data/resource'
import { systemUri } from '#data/system'
import { runningVersion, softwareImages } from '#data/updates'
import { changed, type Get, link, list, mergeArray, object, type Patch } from '#runtime/contract'

const keys = {
  type: 'array',
  items: { type: 'string', pattern: '^[A-Z0-9_]{1,16}$' },
  maxItems: keysTogether,
  readonly: false
} as const

export const schema = resource('Manager.v1_19_1', 'The controller itself', {
  DateTime: { type: 'string', format: 'date-time', nullable: true, readonly: false },
  DateTimeLocalOffset: localOffset,
  EthernetInterfaces: reference,
  FirmwareVersion: text,
  LastResetTime: { type: 'string', format: 'date-time', readonly: true },
  LogServices: reference,
  ManagerType: { type: 'string', enum: ['BMC'], readonly: true },
  Model: text,
  NetworkProtocol: reference,
  PowerState: { type: 'string', enum: ['On'], nullable: true, readonly: true },
  ServiceEntryPointUUID: { type: 'string', format: 'uuid', nullable: true, readonly: true },
  Status: status,
  TimeZoneName: { type: 'string', maxLength: 64, readonly: false },
  UUID: { type: 'string', format: 'uuid', nullable: true, readonly: true },
  VirtualMedia: reference,
  Links: object({
    ActiveSoftwareImage: reference,
    ManagerForChassis: references,
    ManagerForServers: references,
    SoftwareImages: references
  }),
  Actions: object({ '#Manager.Reset': action('ResetType'), '#Manager.ResetToDefaults': action('ResetType') }),
  Oem: oem('VendorMgmt.v2_0_0', {
    Actions: vendorActions(managerActions),
    CloudConnect: object({
      Enabled: { type: 'boolean', readonly: true },
      ConnectionStatus: { type: 'string', enum: ['Disabled', 'NotConnected'], readonly: true }
    }),
    HotKeys: object({ CtrlT: keys, CtrlU: keys, CtrlV: keys, CtrlW: keys, CtrlX: keys, CtrlY: keys }),
    Links: object({ DateTimeService: reference, LicenseService: reference, SecurityService: reference }),
    MgmtFunctionality: { type: 'string', enum: ['Enabled', 'Disabled'], readonly: true },
    PendingAtReset: list({ type: 'string', enum: controllerWork }),
    StateRecoveries: stateRecoveries
  })
})

export const privileges = { GET: 'LoginPriv', PATCH: 'MgmtConfigPriv' } as const

export const GET: Get<typeof schema, 'ManagerId'> = ({ params, uri, machine, state, time }) => {
  const manager = machine.manager(params.ManagerId)
  const settings = managerSettings(state.get('manager', params.ManagerId))
  const offset = localOffsetOf(state, params.ManagerId)
  const started = state.get('controllerStart', 'last')?.time
  return {
    Name: manager.name,
    DateTime: time(offset),
    DateTimeLocalOffset: offset,
    EthernetInterfaces: link(`${uri}/EthernetInterfaces`),
    FirmwareVersion: runningVersion(machine, `Manager-${params.ManagerId}`, manager.firmwareVersion),
    ...(started !== undefined && { LastResetTime: localTime(new Date(started), offset) }),
    LogServices: link(`${uri}/LogServices`),
    ManagerType: 'BMC',
    Model: manager.model,
    NetworkProtocol: link(`${uri}/NetworkProtocol`),
    PowerState: 'On',
    TimeZoneName: timeZoneName(offset),
    ServiceEntryPointUUID: manager.serviceEntryPointUuid ?? null,
    UUID: manager.uuid ?? null,
    VirtualMedia: link(`${uri}/VirtualMedia`),
    Links: {
      ...softwareImages(machine, params.ManagerId),
      ManagerForChassis: manager.chassis.map((id) => link(chassisUri(id))),
      ManagerForServers: manager.systems.map((id) => link(systemUri(id)))
    },
    Actions: {
      '#Manager.Reset': { 'ResetType@Redfish.AllowableValues': managerResetTypes },
      '#Manager.ResetToDefaults': { 'ResetType@Redfish.AllowableValues': Object.keys(resetToDefaultsTypes) }
    },
    Oem: {
      Vendor: {
        Actions: offerActions(managerActions),
        CloudConnect: {
          Enabled: settings.cloudConnect,
          ConnectionStatus: settings.cloudConnect ? 'NotConnected' : 'Disabled'
        },
        HotKeys: settings.hotKeys,
        Links: {
          DateTimeService: link(`${uri}/DateTime`),
          LicenseService: link(`${uri}/LicenseService`),
          SecurityService: link(`${uri}/SecurityService`)
        },
        MgmtFunctionality: state.get('controller', 'settings')?.disabled ? 'Disabled' : 'Enabled',
        PendingAtReset: controllerWork.filter((each) => state.get('controllerPending', each) !== undefined),
        StateRecoveries: showRecoveries(state)
      }
    }
  }
}

/** A hot key sends the keys that it is given, in place of those that it sent. */
export const PATCH: Patch<typeof schema, 'ManagerId'> = (context) => {
  const { params, body, machine, state } = context
  machine.manager(params.ManagerId)
  const clock = clockAfter(context)
  const present = managerSettings(state.get('manager', params.ManagerId)).hotKeys
  const wanted = body.Oem?.Vendor?.HotKeys ?? {}
  const named = hotKeys.flatMap((each) => {
    const keys = wanted[each]
    return keys === undefined ? [] : [[each, mergeArray(present[each], keys)] as const]
  })
  const manager = { [params.ManagerId]: { hotKeys: { ...present, ...Object.fromEntries(named) } } }
  return changed({ ...clock.writes, ...(named.length > 0 && { manager }) }, ...clock.commands)
}
