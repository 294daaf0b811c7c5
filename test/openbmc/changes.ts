import { ann, bios, call, other, set } from './machine.ts'

/** A change that another program makes on the bus, and what clients and users see of it. */
export interface Change {
  /** Arguments of `busctl`. */
  readonly by: readonly string[]
  /** The resource that shows it. */
  readonly of: string
  /** The resource after the change; absent: it is removed. */
  readonly shows?: object | RegExp
  /** The origin of the event, if it is not the resource. */
  readonly origin?: string
  /** The key of the event; default `ResourceChanged`. */
  readonly key?: string
  readonly page: Sight
}

/** The page after the change. Before it, `text` is absent and `gone` is shown. */
interface Sight {
  /** The address of a screen. */
  readonly at: string
  /** A selector of the part of it that tells; for a field its value counts. Default: the screen. */
  readonly in?: string
  readonly text?: string
  /** A text that is no longer shown. */
  readonly gone?: string
}

const system = '/redfish/v1/Systems/system/'
const accounts = '/redfish/v1/AccountService/'
const entries = `${system}LogServices/EventLog/Entries/`
const firmware = '/redfish/v1/UpdateService/FirmwareInventory/'

/** The chassis of the simulated machine. */
export const chassis = '/redfish/v1/Chassis/Rack_Server/'

const host = ['State.Host', 'state/host0', 'State.Host', 'RequestedHostTransition', 's'] as const
const state = ['State.Chassis', 'state/chassis0', 'State.Chassis', 'RequestedPowerTransition', 's'] as const
const boot = 'control/host0/boot'

const field = (label: string) => `::-p-aria([name="${label}"])`
const row = (text: string) => `::-p-xpath(//tr[contains(., "${text}")])`

/** Made one after the other, in this order. */
export const changes: Readonly<Record<string, Change>> = {
  'a host that is switched off': {
    by: set(...host, '.State.Host.Transition.Off'),
    of: system,
    shows: { PowerState: 'Off' },
    key: 'PowerStateChanged',
    page: { at: 'overview', in: '#power-state', text: 'Off' }
  },
  'a host that is switched on': {
    by: set(...host, '.State.Host.Transition.On'),
    of: system,
    shows: { PowerState: 'On' },
    key: 'PowerStateChanged',
    page: { at: 'overview', in: '#power-state', text: 'On' }
  },
  'a chassis that is switched off': {
    by: set(...state, '.State.Chassis.Transition.Off'),
    of: system,
    shows: { PowerState: 'Off' },
    key: 'PowerStateChanged',
    page: { at: 'overview', in: '#power-state', text: 'Off' }
  },
  'the source of a boot override': {
    by: set('Settings', boot, 'Control.Boot.Source', 'BootSource', 's', '.Control.Boot.Source.Sources.Network'),
    of: system,
    shows: { Boot: { BootSourceOverrideTarget: 'Pxe' } },
    page: { at: 'boot', in: field('Boot from'), text: 'Network (PXE)' }
  },
  'a boot override in force': {
    by: set('Settings', boot, 'Object.Enable', 'Enabled', 'b', 'true'),
    of: system,
    shows: { Boot: { BootSourceOverrideEnabled: 'Continuous' } },
    page: { at: 'boot', in: field('How often'), text: 'Always' }
  },
  'a threshold': {
    by: set('IntelCPUSensor', 'sensors/temperature/CPU0', 'Sensor.Threshold.Warning', 'WarningHigh', 'd', '77'),
    of: `${chassis}Sensors/temperature_CPU0/`,
    shows: { Thresholds: { UpperCaution: { Reading: 77 } } },
    page: { at: 'sensors', in: row('CPU0'), text: '77 °C' }
  },
  'a power cap': {
    by: set('Settings', 'control/host0/power_cap', 'Control.Power.Cap', 'PowerCap', 'u', '700'),
    of: `${chassis}Controls/PowerLimit/`,
    shows: { SetPoint: 700 },
    page: { at: 'power', in: field('Limit in watts'), text: '700' }
  },
  'a lamp': {
    by: set('LED.GroupManager', 'led/groups/enclosure_identify', 'Led.Group', 'Asserted', 'b', 'true'),
    of: chassis,
    shows: { LocationIndicatorActive: true },
    key: 'IndicatorChanged',
    page: { at: 'overview', text: 'Turn lamp off', gone: 'Turn lamp on' }
  },
  'a new user': {
    by: call('User.Manager', 'user', 'User.Manager', 'CreateUser', 'sassb', 'ann', '1', 'redfish', 'priv-user', 'true'),
    of: `${accounts}Accounts/ann/`,
    shows: { UserName: 'ann', RoleId: 'ReadOnly', Enabled: true },
    key: 'ResourceCreated',
    page: { at: 'accounts', in: 'main table', text: 'ann' }
  },
  'the role of a user': {
    by: set(...ann, 'UserPrivilege', 's', 'priv-operator'),
    of: `${accounts}Accounts/ann/`,
    shows: { RoleId: 'Operator' },
    page: { at: 'accounts', in: row('ann'), text: 'Operator' }
  },
  'a user who is disabled': {
    by: set(...ann, 'UserEnabled', 'b', 'false'),
    of: `${accounts}Accounts/ann/`,
    shows: { Enabled: false },
    page: { at: 'accounts', in: row('ann'), text: 'disabled' }
  },
  'a user who is removed': {
    by: call('User.Manager', 'user/ann', 'Object.Delete', 'Delete'),
    of: `${accounts}Accounts/ann/`,
    key: 'ResourceRemoved',
    page: { at: 'accounts', in: 'main table', gone: 'ann' }
  },
  'the policy of accounts': {
    by: set('User.Manager', 'user', 'User.AccountPolicy', 'MinPasswordLength', 'y', '12'),
    of: accounts,
    shows: { MinPasswordLength: 12 },
    page: { at: 'accounts', in: field('Shortest password, characters'), text: '12' }
  },
  'a new entry of the log': {
    by: call(
      ...['Logging', 'logging', 'Logging.Create', 'Create', 'ssa{ss}'],
      ...['Fan 1 failed.', '.Logging.Entry.Level.Error', '0']
    ),
    of: `${entries}2/`,
    shows: { Message: 'Fan 1 failed.', Severity: 'Critical' },
    key: 'LogErrorAdded',
    page: { at: 'log', text: 'Fan 1 failed.' }
  },
  'an entry that is resolved': {
    by: set('Logging', 'logging/entry/2', 'Logging.Entry', 'Resolved', 'b', 'true'),
    of: `${entries}2/`,
    shows: { Resolved: true },
    page: { at: 'log', in: row('Fan 1 failed.'), text: 'resolved', gone: 'open' }
  },
  'an entry that is deleted': {
    by: call('Logging', 'logging/entry/2', 'Object.Delete', 'Delete'),
    of: `${entries}2/`,
    key: 'ResourceRemoved',
    page: { at: 'log', gone: 'Fan 1 failed.' }
  },
  'a log that is cleared': {
    by: call('Logging', 'logging', 'Collection.DeleteAll', 'DeleteAll'),
    of: `${entries}1/`,
    key: 'ResourceRemoved',
    page: { at: 'log', gone: 'State.Error.Started' }
  },
  'settings of the BIOS that wait': {
    by: set(...bios, '1', 'DebugLevel', '.BIOSConfig.Manager.AttributeType.Integer', 'x', '3'),
    of: `${system}Bios/Settings/`,
    shows: { Attributes: { DebugLevel: 3 } },
    page: { at: 'overview', text: 'Debug level' }
  },
  'secure boot that is wanted': {
    by: set('BIOSConfigManager', 'bios_config/secure_boot', 'BIOSConfig.SecureBoot', 'Enable', 'b', 'true'),
    of: `${system}SecureBoot/`,
    shows: { SecureBootEnable: true },
    page: { at: 'secure-boot', gone: 'It is disabled' }
  },
  'a POST code': {
    by: set('State.Boot.Raw', 'state/boot/raw0', 'State.Boot.Raw', 'Value', '(ayay)', '1', '0xb7', '0'),
    of: `${system}LogServices/PostCodes/Entries/`,
    shows: /"0xb7"/,
    origin: `${system}LogServices/PostCodes/`,
    page: { at: 'log?log=PostCodes', text: '0xb7' }
  },
  'the firmware that is next': {
    by: set('Software.Manager', other, 'Software.RedundancyPriority', 'Priority', 'y', '0'),
    of: `${firmware}Manager-bmc-B/`,
    shows: { Staged: true },
    page: { at: 'updates', in: row('Manager-bmc-B'), text: 'starts at the next restart' }
  },
  'a part that is pulled': {
    by: set('Smbios.MDR_V2', 'inventory/system/chassis/motherboard/dimm9', 'Inventory.Item', 'Present', 'b', 'false'),
    of: `${system}Memory/dimm9/`,
    origin: system,
    page: { at: 'inventory', gone: 'DIMM00009' }
  },
  'firmware that is deleted': {
    by: call('Software.Manager', other, 'Object.Delete', 'Delete'),
    of: `${firmware}Manager-bmc-B/`,
    shows: { Version: null },
    page: { at: 'updates', gone: '2.12.1' }
  }
}
