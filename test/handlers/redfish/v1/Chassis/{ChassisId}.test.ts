import t from 'tap'
import { GET as get, PATCH, privileges, schema } from '#handlers/redfish/v1/Chassis/{ChassisId}.ts'
import { completed, context, missing, refusal } from '#test/handlers/context.ts'

const GET = completed(schema, get)

const rack = { ChassisId: '1' }
const enclosure = { ChassisId: 'enclosurechassis' }

t.test('a rack server shows its inventory and the power of its system', async (t) => {
  t.match(GET(context({ params: rack, power: 'PoweringOff' })), {
    ChassisType: 'RackMount',
    Manufacturer: 'Vendor',
    SerialNumber: 'SIM2510A7K',
    PowerState: 'PoweringOff'
  })
  t.notOk('Oem' in GET(context({ params: rack })), 'the vendor’s block is an enclosure’s')
})

t.test(
  'a chassis links its systems and managers, its enclosure and contents, its power supplies and fans',
  async (t) => {
    const uri = '/redfish/v1/Chassis/1'
    t.same(GET(context({ uri, params: rack })).Links, {
      ComputerSystems: [{ '@odata.id': '/redfish/v1/Systems/1/' }],
      ContainedBy: { '@odata.id': '/redfish/v1/Chassis/enclosurechassis/' },
      Contains: [],
      CooledBy: [21, 22, 23, 24, 25, 26].map((id) => ({ '@odata.id': `${uri}/ThermalSubsystem/Fans/${id}/` })),
      ManagedBy: [{ '@odata.id': '/redfish/v1/Managers/1/' }],
      PoweredBy: [1, 2].map((id) => ({ '@odata.id': `${uri}/PowerSubsystem/PowerSupplies/${id}/` }))
    })
    t.same(GET(context({ params: enclosure })).Links, {
      ComputerSystems: [],
      Contains: [{ '@odata.id': '/redfish/v1/Chassis/1/' }],
      CooledBy: [],
      ManagedBy: [{ '@odata.id': '/redfish/v1/Managers/1/' }],
      PoweredBy: []
    })
  }
)

t.test('every chassis links its power, its temperatures and its cards', async (t) => {
  for (const [params, uri] of [
    [rack, '/redfish/v1/Chassis/1'],
    [enclosure, '/redfish/v1/Chassis/enclosurechassis']
  ] as const) {
    t.match(GET(context({ uri, params })), {
      PCIeDevices: { '@odata.id': `${uri}/PCIeDevices/` },
      PCIeSlots: { '@odata.id': `${uri}/PCIeSlots/` },
      Power: { '@odata.id': `${uri}/Power/` },
      Sensors: { '@odata.id': `${uri}/Sensors/` },
      Thermal: { '@odata.id': `${uri}/Thermal/` }
    })
  }
})

t.test('an enclosure has the vendor’s block', async (t) => {
  const { ChassisType, Oem } = GET(context({ params: enclosure, indicator: 'Lit' }))
  t.equal(ChassisType, 'Enclosure')
  t.match(Oem?.Vendor, {
    EnclosureIndicatorLED: 'Lit',
    EnclosureModel: 'EC400 Enclosure',
    EnclosureUUID: 'b2a6c0d4-91ce-4b57-8f43-20d0c2a1775e',
    OnboardAdministrator: {
      IPv4Address: '192.0.2.17',
      IPv6: { LinkLocal: 'fe80::8e12:c2ff:fe0a:4160' },
      MacAddress: '8C:12:C2:0A:41:60'
    }
  })
})

t.test('the lamp says whether the chassis is being looked for', async (t) => {
  const lamp = (indicator: 'Off' | 'Lit' | 'Blinking') => {
    const { IndicatorLED, LocationIndicatorActive } = GET(context({ params: rack, indicator }))
    return [IndicatorLED, LocationIndicatorActive]
  }
  t.same(lamp('Off'), ['Off', false])
  t.same(lamp('Blinking'), ['Blinking', true])
  t.same(lamp('Lit'), ['Lit', true])
})

t.test('a PATCH stores the wish and drives the lamp', async (t) => {
  t.match(await PATCH(context({ params: rack, body: { LocationIndicatorActive: true } })), {
    status: 200,
    messages: [{ key: 'Base.Success' }],
    writes: { chassis: { 1: { locating: true } } },
    commands: [{ kind: 'indicator', chassis: '1', state: 'Blinking' }]
  })
  t.match(await PATCH(context({ params: enclosure, body: { LocationIndicatorActive: false } })), {
    writes: { chassis: { enclosurechassis: { locating: false } } },
    commands: [{ kind: 'indicator', chassis: 'enclosurechassis', state: 'Off' }]
  })
})

t.test('a PATCH of the asset tag keeps the other changes of the same request', async (t) => {
  const body = { AssetTag: 'rack 7', LocationIndicatorActive: true }
  t.match(await PATCH(context({ params: rack, body: { AssetTag: 'rack 7' } })), {
    writes: { chassis: { 1: { assetTag: 'rack 7' } } },
    commands: []
  })
  t.match(await PATCH(context({ params: rack, body })), {
    writes: { chassis: { 1: { assetTag: 'rack 7', locating: true } } },
    commands: [{ kind: 'indicator' }]
  })
})

t.test('a chassis shows its place, and null for unknown members of it', async (t) => {
  const tables = { chassis: { 1: { place: { rack: 'B7', offset: 21, row: null } } } }
  t.same(GET(context({ params: rack, tables })).Location, {
    PartLocation: { ServiceLabel: null },
    Placement: { Rack: 'B7', RackOffset: 21, RackOffsetUnits: null, Row: null }
  })
})

t.test('a PATCH of the place keeps the rest of it', async (t) => {
  const tables = { chassis: { 1: { place: { rack: 'B7', offset: 21, serviceLabel: 'left' } } } }
  const patch = (Location: NonNullable<Parameters<typeof PATCH>[0]['body']['Location']>) =>
    PATCH(context({ params: rack, tables, body: { Location } }))
  t.match(await patch({ Placement: { RackOffset: 0, Row: 'North', RackOffsetUnits: 'OpenU' } }), {
    writes: {
      chassis: { 1: { place: { rack: 'B7', offset: 0, units: 'OpenU', row: 'North', serviceLabel: 'left' } } }
    },
    commands: []
  })
  t.match(await patch({ PartLocation: { ServiceLabel: null } }), {
    writes: { chassis: { 1: { place: { rack: 'B7', offset: 21, serviceLabel: null } } } }
  })
})

t.test('a chassis that there is not cannot be read or changed', async (t) => {
  for (const ChassisId of ['2', 'constructor', '__proto__']) {
    t.same(await refusal(() => GET(context({ params: { ChassisId } }))), missing)
    const patch = context({ params: { ChassisId }, body: { LocationIndicatorActive: true } })
    t.same(await refusal(() => PATCH(patch)), missing)
  }
})

t.test('reading takes LoginPriv, the lamp MgmtConfigPriv', async (t) => {
  t.same(privileges, { GET: 'LoginPriv', PATCH: 'MgmtConfigPriv' })
})

t.test('the lamp is switched in its old words as well, and the new ones have to agree with them', async (t) => {
  for (const IndicatorLED of ['Off', 'Lit', 'Blinking'] as const) {
    t.match(await PATCH(context({ params: rack, body: { IndicatorLED } })), {
      writes: { chassis: { 1: { locating: IndicatorLED !== 'Off', indicator: IndicatorLED } } },
      commands: [{ kind: 'indicator', chassis: '1', state: IndicatorLED }]
    })
  }
  const body = { IndicatorLED: 'Lit', LocationIndicatorActive: true } as const
  t.match(await PATCH(context({ params: rack, body })), { commands: [{ state: 'Lit' }] })
  t.same(await refusal(() => PATCH(context({ params: rack, body: { ...body, LocationIndicatorActive: false } }))), {
    status: 400,
    messages: [['Base.PropertyValueConflict', 'IndicatorLED', 'LocationIndicatorActive']]
  })
})
