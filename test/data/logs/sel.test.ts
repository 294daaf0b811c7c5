import t from 'tap'
import type { Board } from '#data/board'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { selEventOf } from '#data/logs'
import { type EventKey, message } from '#runtime/contract'

const chassis = '/redfish/v1/Chassis/1'
const system = '/redfish/v1/Systems/1'
const storage = `${system}/Storage`
const of = (key: EventKey, origin: string, args: readonly string[] = [], condition: object = {}) =>
  selEventOf(sim as unknown as Board, {
    message: { ...message('MgmtEvents.RestApiStateCleared'), key, args },
    origin,
    ...condition
  })

for (const [title, key, origin, args, condition, expected] of [
  ['a boot', 'MgmtEvents.ServerBootStarted', system, ['1'], { clears: 'crash' }, [29, 0, 0x6f, 0, false]],
  ['power off', 'MgmtEvents.ServerPoweredOff', system, ['1'], {}, [34, 0, 0x6f, 5, false]],
  ['a crash', 'MgmtEvents.ServerCrashed', system, ['1'], { raises: 'crash' }, [32, 0, 0x6f, 1, false]],
  ['a watchdog', 'MgmtEvents.HostWatchdogExpired', system, ['1', 'None'], {}, [35, 0, 0x6f, 0, false]],
  [
    ...['a temperature', 'MgmtEvents.TemperatureCriticalThresholdExceeded', `${chassis}/Sensors/3`],
    ...[['CPU 2', '91', 'UpperCritical', '90'], { raises: 'UpperCritical' }, [1, 3, 1, 9, false, [91, 90]]]
  ],
  [
    ...['a temperature again', 'MgmtEvents.TemperatureThresholdCleared', `${chassis}/Sensors/3`],
    ...[['CPU 2', '80', 'UpperCritical'], { clears: 'UpperCritical' }, [1, 3, 1, 9, true, undefined]]
  ],
  [
    ...['a fan', 'MgmtEvents.FanStopped', `${chassis}/ThermalSubsystem/Fans/21`],
    ...[['Fan 1', '0', 'LowerCritical', '1'], { raises: 'LowerCritical' }, [4, 21, 1, 2, false, [0, 1]]]
  ],
  [
    'a drive',
    'StorageDevice.DriveFailure',
    `${storage}/slot3/Drives/2`,
    ['2'],
    { raises: 'failed' },
    [13, 6, 0x6f, 1, false]
  ],
  [
    'a drive again',
    'StorageDevice.DriveOK',
    `${storage}/slot3/Drives/2`,
    ['2'],
    { clears: 'failed' },
    [13, 6, 0x6f, 1, true]
  ],
  [
    ...['memory', 'MgmtEvents.MemoryErrorUncorrectable', `${system}/Memory/proc2dimm1`],
    ...[['proc2dimm1'], { raises: 'uncorrectable' }, [12, 9, 0x6f, 1, false]]
  ],
  [
    ...['a power supply', 'MgmtEvents.PowerSupplyInputLost', `${chassis}/PowerSubsystem/PowerSupplies/2`],
    ...[['2'], { raises: 'inputLost' }, [8, 2, 0x6f, 3, false]]
  ],
  [
    ...['a link', 'NetworkDevice.ConnectionDropped', `${chassis}/NetworkAdapters/nic-1/Ports/2`],
    ...[['nic-1', '2'], { raises: 'down' }, [39, 2, 0x6f, 0, false]]
  ],
  [
    ...['lost redundancy', 'MgmtEvents.RedundancyLost', `${chassis}/PowerSubsystem`],
    ...[['power supplies'], { raises: 'redundancy' }, [8, 0, 0x0b, 1, false]]
  ],
  ['a cleared SEL', 'MgmtEvents.LogCleared', `${system}/LogServices/SEL`, ['ann'], {}, [16, 0, 0x6f, 2, false]]
] as unknown as [string, EventKey, string, string[], object, unknown[]][]) {
  t.test(`${title} is an event of a sensor of its kind`, async (t) => {
    const [type, number, kind, offset, isEnd, values] = expected
    t.match(of(key, origin, args, condition), { system: '1', event: { type, number, class: kind, offset, isEnd } })
    t.same(of(key, origin, args, condition)?.event.values, values)
  })
}

t.test('an event without a sensor is not an entry of the SEL', async (t) => {
  t.equal(of('MgmtEvents.LoginFailed', '/redfish/v1/Managers/1', ['ann', '192.0.2.1']), undefined)
  t.equal(of('MgmtEvents.LogCleared', `${system}/LogServices/SystemLog`, ['ann']), undefined)
  t.equal(of('MgmtEvents.DriveErased', `${storage}/slot3/Drives/2`, ['2', 'slot3']), undefined)
  t.equal(
    of('MgmtEvents.FanStopped', '/redfish/v1/Chassis/enclosurechassis/ThermalSubsystem/Fans/1', [], {
      raises: 'LowerCritical'
    }),
    undefined
  )
})
