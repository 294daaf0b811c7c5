import { changePowerMode, powerMode, showPowerMode } from '#data/bios'
import { memoryGiB } from '#data/board'
import { bootModes, bootSettings, changeBootSettings, hostPending, showBootSettings } from '#data/boot'
import { changeIndicator, chassisUri, indicator, pcieDevices, showIndicator, showPcieDevices } from '#data/chassis'
import { managerUri } from '#data/manager'
import { adaptersOf } from '#data/network-adapters'
import { actions, asset, child, oem, powerState, reference, references, resource, status, text } from '#data/resource'
import {
  bootProgress,
  changePowerSettings,
  changeWatchdog,
  hostWatchdogTimer,
  memorySummary,
  postState,
  postStates,
  powerSettings,
  processorSummary,
  serialConsole,
  showPowerSettings,
  showSerialConsole,
  showTrustedModules,
  showWatchdog,
  systemActions,
  systemSettings,
  trustedModules
} from '#data/system'
import { runningVersion } from '#data/updates'
import { hasVariables } from '#data/variables'
import { changed, fail, type Get, link, merged, object, type Patch } from '#runtime/contract'
import { body as reset } from './{ComputerSystemId}/Actions/ComputerSystem.Reset.ts'

export const schema = resource('ComputerSystem.v1_26_0', 'The server that this controller manages', {
  ...asset,
  AssetTag: { type: 'string', maxLength: 63, readonly: false },
  Bios: child('Bios'),
  BiosVersion: text,
  Boot: bootSettings,
  BootProgress: object({ LastState: { type: 'string', enum: bootProgress, nullable: true, readonly: true } }),
  EthernetInterfaces: child('EthernetInterfaces'),
  HostWatchdogTimer: hostWatchdogTimer,
  ...indicator,
  LogServices: child('LogServices'),
  Memory: child('Memory'),
  MemorySummary: memorySummary,
  NetworkInterfaces: reference,
  ...pcieDevices,
  ...powerMode,
  ...powerSettings,
  PowerState: powerState,
  ProcessorSummary: processorSummary,
  Processors: child('Processors'),
  SecureBoot: child('SecureBoot'),
  SerialConsole: serialConsole,
  Status: status,
  Storage: child('Storage'),
  SystemType: { type: 'string', enum: ['Physical'], readonly: true },
  TrustedModules: trustedModules,
  UUID: { type: 'string', format: 'uuid', nullable: true, readonly: true },
  Links: object({ Chassis: references, ManagedBy: references }),
  Actions: actions({ 'ComputerSystem.Reset': reset }),
  Oem: oem('VendorComputerSystemExt.v2_0_0', {
    Actions: systemActions,
    BootMode: { type: 'string', enum: bootModes, readonly: true },
    PostState: { type: 'string', enum: postStates, nullable: true, readonly: true },
    PendingBootMode: { type: 'string', enum: bootModes, readonly: true },
    PendingNvramClear: { type: 'boolean', readonly: true },
    PendingRecovery: { type: 'boolean', readonly: true }
  })
})

export const privileges = { GET: 'LoginPriv', PATCH: 'HostBIOSConfigPriv' } as const

const states = { On: 'Enabled', PoweringOn: 'Starting', PoweringOff: 'Enabled', Off: 'StandbyOffline' } as const

export const GET: Get<typeof schema, 'ComputerSystemId'> = ({ params, uri, machine, state, configuration, health }) => {
  const system = machine.system(params.ComputerSystemId)
  const settings = systemSettings(state.get('system', params.ComputerSystemId))
  const pending = hostPending(state.get('hostPending', params.ComputerSystemId))
  const power = machine.power(params.ComputerSystemId)
  const processors = Object.values(system.processors)
  const bios = `BIOS-${params.ComputerSystemId}`
  return {
    Name: system.name,
    AssetTag: settings.assetTag ?? system.assetTag ?? '',
    BiosVersion: runningVersion(machine, bios, system.biosVersion ?? '') || null,
    Boot: showBootSettings(state, machine, params.ComputerSystemId),
    ...(system.console && { BootProgress: { LastState: machine.bootProgress(params.ComputerSystemId) ?? null } }),
    ...showWatchdog(state, machine, params.ComputerSystemId),
    ...(system.chassis[0] !== undefined && showIndicator(machine.indicator(system.chassis[0]))),
    Manufacturer: system.manufacturer,
    MemorySummary: { TotalSystemMemoryGiB: memoryGiB(system.memory), Status: health(`${uri}/Memory`) },
    Model: system.model,
    ...(adaptersOf(machine, params.ComputerSystemId).length > 0 && {
      NetworkInterfaces: link(`${uri}/NetworkInterfaces`)
    }),
    PartNumber: system.partNumber,
    ...showPcieDevices(machine, params.ComputerSystemId),
    ...showPowerMode(state, machine, params.ComputerSystemId),
    ...showPowerSettings(state, machine, params.ComputerSystemId),
    PowerState: power ?? null,
    ProcessorSummary: {
      Count: processors.length,
      Model: processors[0]?.model ?? null,
      Status: health(`${uri}/Processors`)
    },
    SKU: system.sku,
    ...(system.console && { SerialConsole: showSerialConsole(uri, configuration) }),
    SerialNumber: system.serialNumber,
    Status: { State: power === undefined ? 'UnavailableOffline' : states[power] },
    SystemType: 'Physical',
    TrustedModules: showTrustedModules(system, health(`${uri}#/TrustedModules/0`)),
    UUID: system.uuid,
    Links: {
      Chassis: system.chassis.map((id) => link(chassisUri(id))),
      ManagedBy: [link(managerUri(system.manager))]
    },
    Oem: {
      Vendor: {
        BootMode: state.get('boot', params.ComputerSystemId)?.mode ?? 'Normal',
        PostState: power === undefined ? null : postState(power),
        PendingBootMode: pending.mode,
        ...(hasVariables(machine, params.ComputerSystemId) && { PendingNvramClear: pending.clearing !== 'None' }),
        PendingRecovery: pending.recovery
      }
    }
  }
}

/** The lamp is that of the system's chassis, and takes the privilege that it takes there. */
export const PATCH: Patch<typeof schema, 'ComputerSystemId'> = (context) => {
  const { params, body, machine, state } = context
  const [chassis] = machine.system(params.ComputerSystemId).chassis
  const { AssetTag, Boot } = body
  const watchdog = changeWatchdog(machine, params.ComputerSystemId, body.HostWatchdogTimer)
  const { system, ...variables } = Boot ? changeBootSettings(state, machine, params.ComputerSystemId, Boot) : {}
  const { system: power, ...restore } = changePowerSettings(machine, params.ComputerSystemId, body)
  const settings = {
    ...restore,
    system: { [params.ComputerSystemId]: { assetTag: AssetTag, ...power, ...system } },
    ...watchdog,
    ...variables
  }
  const lamp = chassis === undefined ? { writes: {}, commands: [] } : changeIndicator(chassis, body)
  if (lamp.commands.length > 0 && !context.caller.privileges.has('MgmtConfigPriv'))
    fail(403, 'Base.InsufficientPrivilege')
  const outcome = changed(merged(settings, lamp.writes), ...lamp.commands)
  const mode = changePowerMode(context)
  return mode === undefined ? outcome : { ...outcome, ...mode, writes: merged(outcome.writes ?? {}, mode.writes ?? {}) }
}
