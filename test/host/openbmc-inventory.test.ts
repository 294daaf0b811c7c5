import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { TestBus } from '#test/hal/dbus/buses.ts'
import { ownBoard, policy } from '#test/openbmc/board.ts'
import { OpenbmcSimulator } from '#test/openbmc/simulator.ts'
import { EventSource } from './event-source.ts'
import { onBothHosts } from './every-host.ts'
import type { Host } from './hosts.ts'
import { links } from './links.ts'
import { directory, start } from './server.ts'

const rack = '/redfish/v1/Chassis/Rack_Server/'
const board = '/xyz/openbmc_project/inventory/system/chassis/motherboard'

async function started(t: Test, host: Host, options: Parameters<typeof OpenbmcSimulator.start>[2] = {}) {
  const bus = await TestBus.start(t, 'dbus-daemon', policy())
  const daemons = await OpenbmcSimulator.start(t, bus, options)
  const file = join(directory(t), 'board.json')
  writeFileSync(file, JSON.stringify(ownBoard(bus.socket, { settleTime: 300 })))
  const configuration = { health: { settleTime: 0.1 }, sensors: { interval: 1 } }
  const server = await start(t, host, { configuration, args: ['--board', file] })
  return { bus, daemons, server }
}

onBothHosts(async (t, host) => {
  await t.test('the parts of the machine are those that the bus tells, at the URIs of OpenBMC', async (t) => {
    const { server } = await started(t, host)
    const get = async (uri: string) => (await server.get(uri)).json
    t.match(await get('/redfish/v1/Systems/system/'), {
      Model: 'RS-2000',
      SerialNumber: 'RS00042',
      UUID: '0b8c9f6e-6f1d-4c5b-9a55-1d2f7f0c6e21',
      ProcessorSummary: { Count: 2 },
      MemorySummary: { TotalSystemMemoryGiB: 512 },
      PowerState: 'On'
    })
    t.match(await get('/redfish/v1/Systems/system/Memory/dimm9/'), { CapacityMiB: 32768, SerialNumber: 'DIMM00009' })
    t.match(await get(rack), { ChassisType: 'RackMount', Model: 'RS-2000', PartNumber: 'RS2000-01' })
    t.match(await get(`${rack}Sensors/voltage_P12V/`), { ReadingType: 'Voltage', ReadingUnits: 'V', Reading: 12.05 })
    t.match(await get(`${rack}PCIeDevices/card0/`), { Manufacturer: 'Example', Model: 'Network adapter' })
    t.match(await get(`${rack}PowerSubsystem/PowerSupplies/powersupply0/`), {
      Name: 'PSU 0',
      SparePartNumber: 'PS1600-S',
      ProductionDate: '2026-03-14T00:00:00Z',
      Location: { PartLocation: { ServiceLabel: 'E0' } }
    })
    t.match(await get(`${rack}ThermalSubsystem/Fans/fan3/`), {
      SerialNumber: 'FAN00003',
      Location: { PartLocation: { ServiceLabel: 'A3' } }
    })
    t.match(await get('/redfish/v1/Systems/system/Processors/cpu1/'), {
      SerialNumber: 'CPU00001',
      TotalCores: 4,
      Location: { PartLocation: { ServiceLabel: 'CPU1' } }
    })
    t.match(await get('/redfish/v1/Systems/system/Storage/Storage_0/Drives/drive1/'), { PartNumber: 'NV3840' })
    t.match(await get('/redfish/v1/Systems/system/Storage/Storage_0/Controllers/1/'), { Model: 'SC-16' })
    t.match(await get('/redfish/v1/Cables/cable0/'), {
      CableType: 'Copper',
      LengthMeters: 0.75,
      Links: { UpstreamChassis: [{ '@odata.id': rack }] }
    })
    t.match((await get(rack)).Location, { PartLocation: { ServiceLabel: 'U78DA.ND0.1' } })
    t.equal((await get('/redfish/v1/Managers/')).Members[0]['@odata.id'], '/redfish/v1/Managers/bmc/')
    const { Members } = await get(`${rack}Sensors/?$expand=.`)
    t.ok(Members.length > 50)
    const unread = Members.filter(({ Reading }: { Reading: number | null }) => Reading === null)
    t.same(
      unread.map(({ Id }: { Id: string }) => Id),
      []
    )
    const seen = new Set<string>()
    for (const waiting = ['/redfish/v1/']; waiting.length > 0; ) {
      const uri = waiting.pop() as string
      if (seen.has(uri)) continue
      seen.add(uri)
      const { status, json } = await server.get(uri)
      if (status !== 200) t.equal(status, 200, uri)
      waiting.push(...links(json))
    }
    t.ok(seen.size > 200)
  })

  await t.test('thresholds are those of the bus: a client sets them, and so does any program', async (t) => {
    const { daemons, server } = await started(t, host)
    const sensor = `${rack}Sensors/temperature_CPU0/`
    const object = '/xyz/openbmc_project/sensors/temperature/CPU0'
    const readings = async (uri = sensor) => {
      const { Thresholds } = (await server.get(uri)).json
      return Object.entries<{ Reading: number }>(Thresholds).map(([name, { Reading }]) => [name, Reading])
    }
    t.same(await readings(), [
      ['UpperCaution', 90],
      ['UpperCritical', 100]
    ])
    t.same(await readings(`${rack}Sensors/fantach_Fan0/`), [
      ['LowerCritical', 7.5],
      ['LowerCaution', 11.25]
    ])
    const events = await EventSource.open(t, server)
    t.equal((await server.patch(sensor, { Thresholds: { UpperCaution: { Reading: 85.5 } } })).status, 200)
    t.equal(await daemons.get(object, 'Sensor.Threshold.Warning', 'WarningHigh'), 85.5)
    for (const Thresholds of [
      { LowerCaution: { Reading: 5 } },
      { UpperCaution: { Reading: null } },
      { UpperCaution: { HysteresisReading: 3 } },
      { UpperCaution: { DwellTime: 'PT5S' } },
      { UpperCaution: { Reading: 101 } }
    ])
      t.equal((await server.patch(sensor, { Thresholds })).status, 400)
    await daemons.set(object, 'Sensor.Threshold.Critical', 'CriticalHigh', 50)
    await server.until(
      () => server.get(sensor),
      ({ json: { Thresholds } }) => Thresholds.UpperCritical.Reading === 50
    )
    const changed = async () => {
      for (;;) {
        const { MessageId, OriginOfCondition } = (await events.next())?.data.Events[0] ?? {}
        if (/ResourceChanged$/.test(MessageId) && OriginOfCondition['@odata.id'] === sensor) return
      }
    }
    await changed()
    await changed()
    const { json } = await server.until(
      () => server.get(sensor),
      ({ json: { Status } }) => Status.Health === 'Critical'
    )
    t.match(json.Status.Conditions[0].MessageId, /TemperatureCriticalThresholdExceeded$/)
  })

  await t.test(
    'a part that fails is seen at once, in its health, in that of the system, and in an event',
    async (t) => {
      const { daemons, server } = await started(t, host)
      const supply = `${rack}PowerSubsystem/PowerSupplies/powersupply1/`
      const status = async (uri: string) => (await server.get(uri)).json.Status
      t.match(await status(supply), { State: 'Enabled', Health: 'OK' })
      const events = await EventSource.open(t, server)
      const message = async (id: RegExp) => {
        for (;;) {
          const [event] = (await events.next())?.data.Events ?? []
          if (id.test(event?.MessageId)) return event.OriginOfCondition['@odata.id']
        }
      }
      await daemons.set(`${board}/powersupply1`, 'State.Decorator.OperationalStatus', 'Functional', false)
      t.equal(await message(/PowerSupplyFailed$/), supply)
      t.match(await status(supply), { Health: 'Critical' })
      t.match(await status('/redfish/v1/Systems/system/'), { Health: 'OK', HealthRollup: 'Critical' })
      await daemons.set(`${board}/dimm3`, 'State.Decorator.OperationalStatus', 'Functional', false)
      t.equal(await message(/PartFailed$/), '/redfish/v1/Systems/system/Memory/dimm3/')
      await daemons.set('/xyz/openbmc_project/led/groups/enclosure_fault', 'Led.Group', 'Asserted', true)
      t.equal(await message(/FaultLampLit$/), rack)
      await daemons.set(`${board}/fan1`, 'State.Decorator.OperationalStatus', 'Functional', false)
      t.equal(await message(/PartFailed$/), `${rack}ThermalSubsystem/Fans/fan1/`)
      const { json: cooling } = await server.until(
        () => server.get(`${rack}ThermalSubsystem/`),
        ({ json: { FanRedundancy } }) => FanRedundancy[0].Status.Health === 'Warning'
      )
      t.equal(cooling.Status.HealthRollup, 'Critical')
      await daemons.set(`${board}/fan1`, 'State.Decorator.OperationalStatus', 'Functional', true)
      await daemons.set(`${board}/powersupply1`, 'State.Decorator.OperationalStatus', 'Functional', true)
      await daemons.set(`${board}/dimm3`, 'State.Decorator.OperationalStatus', 'Functional', true)
      await daemons.set('/xyz/openbmc_project/led/groups/enclosure_fault', 'Led.Group', 'Asserted', false)
      const { json } = await server.until(
        () => server.get('/redfish/v1/Systems/system/'),
        ({ json: { Status } }) => Status.HealthRollup === 'OK'
      )
      t.equal(json.Status.Conditions, undefined)
    }
  )

  await t.test('a part that is plugged in is there soon, and the others keep their URIs', async (t) => {
    const { daemons, server } = await started(t, host)
    const cards = `${rack}PCIeDevices/`
    const { json: before } = await server.get(cards)
    await daemons.add('Inventory.Manager', `${board}/pcieslot1/card9`, {
      'Inventory.Item': { PrettyName: 'Accelerator' },
      'Inventory.Item.PCIeDevice': {},
      'Association.Definitions': {
        Associations: [['chassis', 'pcie_devices', '/xyz/openbmc_project/inventory/system/chassis/Rack_Server']]
      }
    })
    await server.until(
      () => server.get(`${cards}card9/`),
      ({ status }) => status === 200
    )
    const { json: after } = await server.get(cards)
    t.same(after.Members.slice(0, before.Members.length), before.Members)
  })
})
