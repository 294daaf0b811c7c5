import { setTimeout as pause } from 'node:timers/promises'
import type { Test } from 'tap'
import { ann, bios, call, openbmcMachine, other, root, set } from '#test/openbmc/machine.ts'
import { missingPam } from '#test/openbmc/pam.ts'
import { EventSource } from './event-source.ts'
import { needing, onBothHosts } from './every-host.ts'
import type { Json, Server } from './server.ts'

const system = '/redfish/v1/Systems/system/'
const chassis = '/redfish/v1/Chassis/Rack_Server/'
const accounts = '/redfish/v1/AccountService/'
const entries = `${system}LogServices/EventLog/Entries/`
const firmware = '/redfish/v1/UpdateService/FirmwareInventory/'

const withReports = "EventFormatType eq 'Event' or MetricReportDefinition ne null"

interface Change {
  /** Arguments of `busctl`. */
  readonly by: readonly string[]
  /** The resource that shows it. */
  readonly of: string
  /** What it shows then; absent: there is no such resource any more. */
  readonly shows?: object | RegExp
  /** What the event names, if that is not the resource. */
  readonly origin?: string
  /** The key of the event; default `ResourceChanged`. */
  readonly key?: string
}

const host = ['State.Host', 'state/host0', 'State.Host', 'RequestedHostTransition', 's'] as const
const state = ['State.Chassis', 'state/chassis0', 'State.Chassis', 'RequestedPowerTransition', 's'] as const
const boot = 'control/host0/boot'

const changes: Readonly<Record<string, Change>> = {
  'a host that is switched off': {
    by: set(...host, '.State.Host.Transition.Off'),
    of: system,
    shows: { PowerState: 'Off' },
    key: 'PowerStateChanged'
  },
  'a host that is switched on': {
    by: set(...host, '.State.Host.Transition.On'),
    of: system,
    shows: { PowerState: 'On' },
    key: 'PowerStateChanged'
  },
  'a chassis that is switched off': {
    by: set(...state, '.State.Chassis.Transition.Off'),
    of: system,
    shows: { PowerState: 'Off' },
    key: 'PowerStateChanged'
  },
  'the source of a boot override': {
    by: set('Settings', boot, 'Control.Boot.Source', 'BootSource', 's', '.Control.Boot.Source.Sources.Network'),
    of: system,
    shows: { Boot: { BootSourceOverrideTarget: 'Pxe' } }
  },
  'a boot override in force': {
    by: set('Settings', boot, 'Object.Enable', 'Enabled', 'b', 'true'),
    of: system,
    shows: { Boot: { BootSourceOverrideEnabled: 'Continuous' } }
  },
  'a threshold': {
    by: set('IntelCPUSensor', 'sensors/temperature/CPU0', 'Sensor.Threshold.Warning', 'WarningHigh', 'd', '77'),
    of: `${chassis}Sensors/temperature_CPU0/`,
    shows: { Thresholds: { UpperCaution: { Reading: 77 } } }
  },
  'a power cap': {
    by: set('Settings', 'control/host0/power_cap', 'Control.Power.Cap', 'PowerCap', 'u', '700'),
    of: `${chassis}Controls/PowerLimit/`,
    shows: { SetPoint: 700 }
  },
  'a lamp': {
    by: set('LED.GroupManager', 'led/groups/enclosure_identify', 'Led.Group', 'Asserted', 'b', 'true'),
    of: chassis,
    shows: { LocationIndicatorActive: true },
    key: 'IndicatorChanged'
  },
  'a new user': {
    by: call('User.Manager', 'user', 'User.Manager', 'CreateUser', 'sassb', 'ann', '1', 'redfish', 'priv-user', 'true'),
    of: `${accounts}Accounts/ann/`,
    shows: { UserName: 'ann', RoleId: 'ReadOnly', Enabled: true },
    key: 'ResourceCreated'
  },
  'the role of a user': {
    by: set(...ann, 'UserPrivilege', 's', 'priv-operator'),
    of: `${accounts}Accounts/ann/`,
    shows: { RoleId: 'Operator' }
  },
  'a user who is disabled': {
    by: set(...ann, 'UserEnabled', 'b', 'false'),
    of: `${accounts}Accounts/ann/`,
    shows: { Enabled: false }
  },
  'a user who is removed': {
    by: call('User.Manager', 'user/ann', 'Object.Delete', 'Delete'),
    of: `${accounts}Accounts/ann/`,
    key: 'ResourceRemoved'
  },
  'the policy of accounts': {
    by: set('User.Manager', 'user', 'User.AccountPolicy', 'MinPasswordLength', 'y', '12'),
    of: accounts,
    shows: { MinPasswordLength: 12 }
  },
  'a new entry of the log': {
    by: call(
      'Logging',
      'logging',
      'Logging.Create',
      'Create',
      'ssa{ss}',
      'Fan 1 failed.',
      '.Logging.Entry.Level.Error',
      '0'
    ),
    of: `${entries}2/`,
    shows: { Message: 'Fan 1 failed.', Severity: 'Critical' },
    key: 'LogErrorAdded'
  },
  'an entry that is resolved': {
    by: set('Logging', 'logging/entry/2', 'Logging.Entry', 'Resolved', 'b', 'true'),
    of: `${entries}2/`,
    shows: { Resolved: true }
  },
  'an entry that is deleted': {
    by: call('Logging', 'logging/entry/2', 'Object.Delete', 'Delete'),
    of: `${entries}2/`,
    key: 'ResourceRemoved'
  },
  'a log that is cleared': {
    by: call('Logging', 'logging', 'Collection.DeleteAll', 'DeleteAll'),
    of: `${entries}1/`,
    key: 'ResourceRemoved'
  },
  'settings of the BIOS that wait': {
    by: set(...bios, '1', 'DebugLevel', '.BIOSConfig.Manager.AttributeType.Integer', 'x', '3'),
    of: `${system}Bios/Settings/`,
    shows: { Attributes: { DebugLevel: 3 } }
  },
  'secure boot that is wanted': {
    by: set('BIOSConfigManager', 'bios_config/secure_boot', 'BIOSConfig.SecureBoot', 'Enable', 'b', 'true'),
    of: `${system}SecureBoot/`,
    shows: { SecureBootEnable: true }
  },
  'a POST code': {
    by: set('State.Boot.Raw', 'state/boot/raw0', 'State.Boot.Raw', 'Value', '(ayay)', '1', '0xb7', '0'),
    of: `${system}LogServices/PostCodes/Entries/`,
    shows: /"0xb7"/,
    origin: `${system}LogServices/PostCodes/`
  },
  'the firmware that is next': {
    by: set('Software.Manager', other, 'Software.RedundancyPriority', 'Priority', 'y', '0'),
    of: `${firmware}Manager-bmc-B/`,
    shows: { Staged: true }
  },
  'a part that is pulled': {
    by: set('Smbios.MDR_V2', 'inventory/system/chassis/motherboard/dimm9', 'Inventory.Item', 'Present', 'b', 'false'),
    of: `${system}Memory/dimm9/`,
    origin: system
  },
  'firmware that is deleted': {
    by: call('Software.Manager', other, 'Object.Delete', 'Delete'),
    of: `${firmware}Manager-bmc-B/`,
    shows: { Version: null }
  }
}

/** All that a stream brings, across restarts of the service. */
async function heard(t: Test, server: Server) {
  const seen: Json[] = []
  let source = await EventSource.open(t, server, undefined, root, withReports)
  let isOver = false
  t.teardown(() => {
    isOver = true
  })
  const follow = async () => {
    while (!isOver) {
      try {
        for (let each = await source.next(); each !== undefined; each = await source.next())
          seen.push(...(each.data.Events ?? [each.data]))
        source = await EventSource.open(t, server, source.lastEventId, root, withReports)
      } catch {
        await pause(50)
      }
    }
  }
  void follow()
  return {
    /** Waits for something that comes after what was seen `before`; ten seconds at most. */
    async hears(isIt: (each: Json) => boolean, before: number): Promise<boolean> {
      for (let tries = 0; tries < 400; tries += 1) {
        if (seen.slice(before).some(isIt)) return true
        await pause(25)
      }
      return false
    },
    get count() {
      return seen.length
    }
  }
}

const missing = missingPam()

onBothHosts(async (t, host) => {
  if (missing !== undefined) return needing('what other programs change', missing, async () => {})
  const { bus, daemons, server } = await openbmcMachine(t, host)
  const stream = await heard(t, server)
  for (const [what, { by, of, shows, origin = of, key = 'ResourceChanged' }] of Object.entries(changes))
    await t.test(`${what}: a GET shows it, and an event tells it`, async (t) => {
      const before = stream.count
      bus.busctl(...by)
      await server.until(
        () => server.get(of, root),
        ({ status, json }) => (shows === undefined ? status === 404 : status === 200 && isLike(json, shows))
      )
      const tells = ({ MessageId, OriginOfCondition }: Json) =>
        MessageId?.endsWith(`.${key}`) && OriginOfCondition['@odata.id'] === origin
      t.ok(await stream.hears(tells, before), `${key} of ${origin}`)
    })

  await t.test('a reading, which only its daemon sets: a GET shows it, and a metric report tells it', async (t) => {
    const sensor = `${chassis}Sensors/voltage_VBAT/`
    const before = stream.count
    await daemons.set('/xyz/openbmc_project/sensors/voltage/VBAT', 'Sensor.Value', 'Value', 3.1)
    await server.until(
      () => server.get(sensor, root),
      ({ json }) => json.Reading === 3.1
    )
    const tells = ({ MetricValues = [] }: Json) =>
      MetricValues.some(
        (each: Json) => each.MetricProperty.startsWith(sensor.slice(0, -1)) && each.MetricValue === '3.1'
      )
    t.ok(await stream.hears(tells, before))
  })
}, 60)

/** Whether a value has at least what another has. */
function isLike(value: Json, wanted: Json): boolean {
  if (wanted instanceof RegExp) return wanted.test(JSON.stringify(value))
  if (typeof wanted !== 'object' || wanted === null) return value === wanted
  return Object.entries(wanted).every(([name, each]) => isLike(value?.[name], each))
}
