import { licenseKey } from './authority.ts'
import { onBothHosts } from './every-host.ts'
import { messagesOf } from './messages-of.ts'
import { basic, type Json, start } from './server.ts'

const chassis = '/redfish/v1/Chassis/1/'
const system = '/redfish/v1/Systems/1/'

onBothHosts(async (t, host) => {
  const server = await start(t, host)
  const json = async (path: string): Promise<Json> => (await server.get(path)).json
  const follow = async (body: Json, name: string): Promise<Json> => json(body[name]['@odata.id'])
  const members = async (body: Json): Promise<Json[]> =>
    Promise.all(body.Members.map((each: Json) => json(each['@odata.id'])))

  t.test('the subsystems show the readings of Power and Thermal', async (t) => {
    const whole = await json(chassis)
    const power = await follow(whole, 'PowerSubsystem')
    const [control] = (await json(`${chassis}Power/`)).PowerControl
    t.equal(power.CapacityWatts, control.PowerCapacityWatts)
    t.same(control.PowerLimit, { CorrectionInMs: 10_000, LimitException: 'LogEventOnly', LimitInWatts: null })
    const supplies = await members(await follow(power, 'PowerSupplies'))
    t.equal(supplies.length, 2)
    for (const supply of supplies) {
      const { OutputPowerWatts, InputVoltage } = await follow(supply, 'Metrics')
      t.equal(InputVoltage.Reading, 230)
      t.equal((await json(OutputPowerWatts.DataSourceUri)).ReadingUnits, 'W')
    }
    const thermal = await follow(whole, 'ThermalSubsystem')
    const { Fans, Temperatures } = await json(`${chassis}Thermal/`)
    const fans = await members(await follow(thermal, 'Fans'))
    const namesOf = (list: Json[]) => list.map(({ Name }) => Name)
    t.same(namesOf(fans), namesOf(Fans))
    for (const { SpeedPercent } of fans) t.equal((await json(SpeedPercent.DataSourceUri)).ReadingUnits, '%')
    const { TemperatureReadingsCelsius, TemperatureSummaryCelsius } = await follow(thermal, 'ThermalMetrics')
    t.same(
      TemperatureReadingsCelsius.map(({ DeviceName }: Json) => DeviceName),
      namesOf(Temperatures)
    )
    for (const { DataSourceUri } of Object.values<Json>(TemperatureSummaryCelsius)) {
      t.equal((await json(DataSourceUri)).ReadingType, 'Temperature')
    }
    const { FanSpeedsPercent, PowerWatts, TemperatureCelsius } = await follow(whole, 'EnvironmentMetrics')
    t.equal(FanSpeedsPercent.length, fans.length)
    t.type(PowerWatts.Reading, 'number')
    t.equal(TemperatureCelsius.DataSourceUri, TemperatureSummaryCelsius.Intake.DataSourceUri)
    t.equal((await json('/redfish/v1/Chassis/enclosurechassis/Thermal/')).Temperatures.length, 3)
  })

  t.test('a power limit is one, in three places, also after a restart', async (t) => {
    const server = await start(t, host)
    const limit = async (from = server) => {
      const [control, metrics, power] = await Promise.all(
        ['Controls/PowerLimit/', 'EnvironmentMetrics/', 'Power/'].map(
          async (path): Promise<Json> => (await from.get(`${chassis}${path}`)).json
        )
      )
      t.equal(metrics.PowerLimitWatts.DataSourceUri, control['@odata.id'])
      return [control.SetPoint, metrics.PowerLimitWatts.SetPoint, power.PowerControl[0].PowerLimit.LimitInWatts]
    }
    t.same(await limit(), [1600, 1600, null])
    const legacy = { PowerControl: [{ PowerLimit: { LimitInWatts: 200 } }] }
    for (const [path, body, watts] of [
      ['Controls/PowerLimit/', { SetPoint: 400 }, 400],
      ['EnvironmentMetrics/', { PowerLimitWatts: { SetPoint: 300 } }, 300],
      ['Power/', legacy, 200]
    ] as const) {
      t.equal((await server.patch(`${chassis}${path}`, body)).status, 200, path)
      t.same(await limit(), [watts, watts, watts])
    }
    const refused = await server.patch(`${chassis}Controls/PowerLimit/`, { SetPoint: 20 })
    t.same([refused.status, messagesOf(refused)], [400, ['Base.PropertyValueOutOfRange(20, SetPoint)']])
    await server.stop()
    const next = await start(t, host, { data: server.data })
    t.same(await limit(next), [200, 200, 200])
    const reset = `${chassis}Controls/PowerLimit/Actions/Control.ResetToDefaults/`
    t.equal((await next.post(reset, {})).status, 200)
    t.same(await limit(next), [1600, 1600, null])
  })

  t.test('energy and power are counted, also over a restart, until they are reset', async (t) => {
    const first = await start(t, host, { configuration: { sensors: { interval: 1 } } })
    const energyOf = async (from: typeof first): Promise<Json> =>
      (await from.get(`${chassis}Sensors/TotalEnergy/`)).json
    const counts = ({ json }: { json: Json }) => json.Reading > 0
    const { json: counted } = await first.until(() => first.get(`${chassis}Sensors/TotalEnergy/`), counts)
    await first.stop()
    const server = await start(t, host, { data: first.data })
    t.ok((await energyOf(server)).Reading >= counted.Reading)
    t.equal((await energyOf(server)).SensorResetTime, counted.SensorResetTime)
    const { EnergykWh, PowerWatts } = (await server.get(`${chassis}EnvironmentMetrics/`)).json
    t.ok(EnergykWh.Reading >= counted.Reading)
    const { PeakReading, Actions } = (await server.get(PowerWatts.DataSourceUri)).json
    t.ok(PeakReading >= PowerWatts.Reading)
    t.equal((await server.post(Actions['#Sensor.ResetMetrics'].target, {})).status, 200)
    t.ok((await energyOf(server)).Reading > 0, 'the energy is another sensor')
    const reset = `${chassis}EnvironmentMetrics/Actions/EnvironmentMetrics.ResetMetrics/`
    t.equal((await server.post(reset, {})).status, 200)
    t.equal((await energyOf(server)).Reading, 0)
    t.match((await server.get(`${chassis}Power/`)).json.PowerControl[0].PowerMetrics, { IntervalInMin: 1 })
  })

  t.test('parts count, and link their metrics', async (t) => {
    const server = await start(t, host, { configuration: { sensors: { interval: 1 } } })
    const metrics = async (path: string): Promise<Json> =>
      (await server.get((await server.get(path)).json.Metrics['@odata.id'])).json
    const port = await metrics(`${chassis}NetworkAdapters/nic-1/Ports/1/`)
    const { json } = await server.until(
      () => server.get(port['@odata.id']),
      (answer) => answer.json.RXBytes > port.RXBytes
    )
    t.ok(json.Networking.RXFrames > port.Networking.RXFrames)
    t.equal((await metrics(`${chassis}NetworkAdapters/hba-1/Ports/2/`)).RXBytes, 0, 'nothing is plugged in')
    t.type((await metrics('/redfish/v1/Managers/1/DedicatedNetworkPorts/1/')).RXBytes, 'number')
    t.ok((await metrics(`${system}Storage/slot3/Drives/1/`)).PowerOnHours > 0)
    t.type((await metrics(`${system}Memory/proc1dimm1/`)).CurrentPeriod.CorrectableECCErrorCount, 'number')
    t.equal((await metrics(`${system}Processors/1/`)).PowerLimitThrottleDuration, 'PT0S')
  })

  t.test('a chassis lists the drives of its systems', async (t) => {
    const drives = await members(await follow(await json(chassis), 'Drives'))
    t.ok(drives.length > 4)
    for (const each of drives) t.match(each['@odata.type'], /^#Drive\./)
    t.same((await follow(await json('/redfish/v1/Chassis/enclosurechassis/'), 'Drives')).Members, [])
  })

  t.test('the lamp is one, of the chassis and of the system, in old words and new, also after a restart', async (t) => {
    const server = await start(t, host)
    const lamps = async (from = server) =>
      Promise.all([chassis, system].map(async (path) => (await from.get(path)).json.IndicatorLED))
    t.same(await lamps(), ['Off', 'Off'])
    t.equal((await server.patch(system, { IndicatorLED: 'Lit' })).status, 200)
    t.same(await lamps(), ['Lit', 'Lit'])
    t.equal((await server.get(chassis)).json.LocationIndicatorActive, true)
    const bad = await server.patch(chassis, { IndicatorLED: 'Red' })
    t.same([bad.status, messagesOf(bad)], [400, ['Base.PropertyValueNotInList(Red, IndicatorLED)']])
    const operator = { UserName: 'ann', Password: 'Green-Door-4', RoleId: 'Operator' }
    t.equal((await server.post('/redfish/v1/AccountService/Accounts', operator)).status, 201)
    t.equal((await server.patch(system, { IndicatorLED: 'Off' }, basic('ann', 'Green-Door-4'))).status, 403)
    await server.stop()
    t.same(await lamps(await start(t, host, { data: server.data })), ['Lit', 'Lit'])
  })

  t.test('a resource lists its writable properties with their paths', async (t) => {
    const writeable = '@Redfish.WriteableProperties'
    const { Boot, ...whole } = await json(system)
    t.same(whole[writeable].toSorted(), [
      'AssetTag',
      'IndicatorLED',
      'LocationIndicatorActive',
      'PowerMode',
      'PowerOnDelaySeconds',
      'PowerRestorePolicy'
    ])
    t.ok(Boot[writeable].includes('BootSourceOverrideTarget'))
    t.same(Boot['BootSourceOverrideEnabled@Redfish.AllowableValues'], ['Disabled', 'Once', 'Continuous'])
    const { json: selected } = await server.get(`${chassis}?$select=IndicatorLED`)
    t.equal(selected.IndicatorLED, 'Off')
    const body = await json('/redfish/v1/AccountService/')
    for (const name of body[writeable]) t.ok(name in body, name)
    t.same((await json(`${chassis}Power/`))[writeable], ['PowerControl'])
    t.equal((await json(`${chassis}Thermal/`))[writeable], undefined)
  })

  t.test('licenses are served in the standard’s words as well', async (t) => {
    const root = await json('/redfish/v1/')
    t.equal(root.ProtocolFeaturesSupported.MultipleHTTPRequests, true)
    const service = await follow(root, 'LicenseService')
    const licenses = service.Licenses['@odata.id']
    t.same((await json(licenses)).Members, [])
    const refused = await server.post(licenses, { LicenseString: 'nonsense' })
    t.same([refused.status, messagesOf(refused)], [400, ['Mgmt.InvalidLicenseKey()']])
    const LicenseString = licenseKey('--class', 'Advanced')
    const answer = await server.post(licenses, { LicenseString })
    t.same([answer.status, messagesOf(answer)], [201, ['Base.Created()']])
    const uri = String(answer.headers.location)
    t.match(await json(uri), { SKU: 'Advanced', LicenseOrigin: 'Installed', Status: { State: 'Enabled' } })
    t.match(await json('/redfish/v1/Managers/1/LicenseService/1/'), { LicenseClass: 'Advanced' })
    const other = await server.post(licenses, { LicenseString: licenseKey('--class', 'Essentials') })
    t.same([other.status, messagesOf(other), other.headers.location], [200, ['Mgmt.LicenseKeyInstalled()'], uri])
    t.match(await json(uri), { SKU: 'Essentials' })
    t.equal((await server.delete(uri)).status, 200)
    t.equal((await server.get(uri)).status, 404)
    t.equal((await server.delete(uri)).status, 404)
  })
})
