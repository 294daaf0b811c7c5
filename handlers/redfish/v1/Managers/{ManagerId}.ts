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
  managerSettings,
  showRecoveries,
  stateRecoveries,
  timeZoneName
} from '#data/manager'
import { actions, child, oem, reference, references, resource, status, text } from '#data/resource'
import { systemUri } from '#data/system'
import { runningVersion, softwareImages } from '#data/updates'
import { changed, constant, type Get, link, list, mergeArray, object, type Patch } from '#runtime/contract'
import { body as reset } from './{ManagerId}/Actions/Manager.Reset.ts'
import { body as resetToDefaults } from './{ManagerId}/Actions/Manager.ResetToDefaults.ts'

const keys = {
  type: 'array',
  items: { type: 'string', pattern: '^[A-Z0-9_]{1,16}$' },
  maxItems: keysTogether,
  readonly: false
} as const

export const schema = resource('Manager.v1_19_1', 'The controller itself', {
  DateTime: { type: 'string', format: 'date-time', nullable: true, readonly: false },
  DateTimeLocalOffset: localOffset,
  DedicatedNetworkPorts: reference,
  EthernetInterfaces: child('EthernetInterfaces'),
  FirmwareVersion: text,
  LastResetTime: { type: 'string', format: 'date-time', readonly: true },
  LogServices: child('LogServices'),
  ManagerType: { type: 'string', enum: ['BMC'], readonly: true },
  Model: text,
  NetworkProtocol: child('NetworkProtocol'),
  PowerState: { type: 'string', enum: ['On'], nullable: true, readonly: true },
  ServiceEntryPointUUID: { type: 'string', format: 'uuid', nullable: true, readonly: true },
  Status: status,
  TimeZoneName: { type: 'string', maxLength: 64, readonly: false },
  UUID: { type: 'string', format: 'uuid', nullable: true, readonly: true },
  VirtualMedia: child('VirtualMedia'),
  Links: object({
    ActiveSoftwareImage: reference,
    ManagerForChassis: references,
    ManagerForServers: references,
    SoftwareImages: references
  }),
  Actions: actions({ 'Manager.Reset': reset, 'Manager.ResetToDefaults': resetToDefaults }),
  Oem: oem('VendorMgmt.v2_0_0', {
    Actions: managerActions,
    CloudConnect: object({
      Enabled: { type: 'boolean', readonly: true },
      ConnectionStatus: { type: 'string', enum: ['Disabled', 'NotConnected'], readonly: true }
    }),
    HotKeys: object({ CtrlT: keys, CtrlU: keys, CtrlV: keys, CtrlW: keys, CtrlX: keys, CtrlY: keys }),
    Links: constant(
      object({
        DateTimeService: child('DateTime'),
        LicenseService: child('LicenseService'),
        SecurityService: child('SecurityService')
      }),
      {}
    ),
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
    ...(Object.keys(manager.ethernetInterfaces).length > 0 && {
      DedicatedNetworkPorts: link(`${uri}/DedicatedNetworkPorts`)
    }),
    FirmwareVersion: runningVersion(machine, `Manager-${params.ManagerId}`, manager.firmwareVersion),
    ...(started !== undefined && { LastResetTime: localTime(new Date(started), offset) }),
    ManagerType: 'BMC',
    Model: manager.model,
    PowerState: 'On',
    TimeZoneName: timeZoneName(offset),
    ServiceEntryPointUUID: manager.serviceEntryPointUuid ?? null,
    UUID: manager.uuid ?? null,
    Links: {
      ...softwareImages(machine, params.ManagerId),
      ManagerForChassis: manager.chassis.map((id) => link(chassisUri(id))),
      ManagerForServers: manager.systems.map((id) => link(systemUri(id)))
    },
    Oem: {
      Vendor: {
        CloudConnect: {
          Enabled: settings.cloudConnect,
          ConnectionStatus: settings.cloudConnect ? 'NotConnected' : 'Disabled'
        },
        HotKeys: settings.hotKeys,
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
