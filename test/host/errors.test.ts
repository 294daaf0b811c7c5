import { onBothHosts } from './every-host.ts'
import { messagesOf } from './messages-of.ts'
import { onBoards } from './on-boards.ts'
import { partsOf } from './parts.ts'
import { anonymous, type Json, start } from './server.ts'

onBoards(async (t, board) => {
  t.test('in the compact profile', async (t) => {
    const server = await board.start(t)
    const { chassis, system } = await partsOf(server)

    t.test('a message is its id and its arguments', async (t) => {
      const { status, json } = await server.get(chassis, anonymous)
      t.equal(status, 401)
      t.same(json, {
        error: {
          code: 'Mgmt.0.10.ExtendedInfo',
          message: json.error.message,
          '@Message.ExtendedInfo': [{ MessageId: 'Base.1.12.NoValidSession', MessageArgs: [] }]
        }
      })
      t.type(json.error.message, 'string')
    })

    t.test('a value of the wrong type is named with its property', async (t) => {
      const { status, json } = await server.patch(chassis, { LocationIndicatorActive: 'yes' })
      t.equal(status, 400)
      t.match(json.error['@Message.ExtendedInfo'], [
        { MessageId: 'Base.1.12.PropertyValueTypeError', MessageArgs: ['yes', 'LocationIndicatorActive'] }
      ])
    })

    t.test('every fault of a body is named, and nothing of it is done', async (t) => {
      await server.patch(chassis, { LocationIndicatorActive: false })
      const answer = await server.patch(chassis, {
        LocationIndicatorActive: true,
        SerialNumber: '7',
        Colour: 'blue',
        Status: { Health: 'OK' }
      })
      t.equal(answer.status, 400)
      t.same(messagesOf(answer).sort(), [
        'Base.PropertyNotWritable(SerialNumber)',
        'Base.PropertyNotWritable(Status)',
        'Base.PropertyUnknown(Colour)'
      ])
      t.equal((await server.get(chassis)).json.LocationIndicatorActive, false)
    })

    t.test('a success says so', async (t) => {
      const { status, json } = await server.patch(chassis, { LocationIndicatorActive: true })
      t.equal(status, 200)
      t.match(json.error['@Message.ExtendedInfo'], [{ MessageId: 'Base.1.12.Success' }])
    })

    for (const [what, body, message] of [
      ['{}', {}, 'Base.EmptyJSON()'],
      ['annotations alone', { '@odata.etag': 'W/"0"' }, 'Base.NoOperation()'],
      ['nothing', '', 'Base.EmptyJSON()'],
      ['an array', [], 'Base.UnrecognizedRequestBody()'],
      ['a string', '"on"', 'Base.UnrecognizedRequestBody()'],
      ['null', 'null', 'Base.UnrecognizedRequestBody()']
    ] as const) {
      t.test(`a PATCH of ${what} is refused`, async (t) => {
        const answer = await server.patch(chassis, body)
        t.equal(answer.status, 400)
        t.same(messagesOf(answer), [message])
      })
    }

    t.test('an action names each wrong parameter', async (t) => {
      const reset = `${system}Actions/ComputerSystem.Reset/`
      for (const [body, message] of [
        [{}, 'Base.ActionParameterMissing(ComputerSystem.Reset, ResetType)'],
        [{ ResetType: 7 }, 'Base.ActionParameterValueTypeError(7, ResetType, ComputerSystem.Reset)'],
        [{ ResetType: 'Dance' }, 'Base.ActionParameterValueNotInList(Dance, ResetType, ComputerSystem.Reset)'],
        [{ ResetType: 'Nmi', Music: 'loud' }, 'Base.ActionParameterUnknown(ComputerSystem.Reset, Music)']
      ] as const) {
        const answer = await server.post(reset, body)
        t.equal(answer.status, 400)
        t.same(messagesOf(answer), [message])
      }
    })

    t.test('a POST that fails has no Location', async (t) => {
      const { status, headers } = await server.post('/redfish/v1/AccountService/Accounts', { UserName: 'ann' })
      t.equal(status, 400)
      t.notOk(headers.location)
    })
  })

  t.test('in the verbose profile a message is spelt out', async (t) => {
    const server = await board.start(t, { configuration: { profile: 'verbose' } })
    const { chassis, system } = await partsOf(server)
    const { status, json } = await server.get(chassis, anonymous)
    t.equal(status, 401)
    t.equal(json.error.code, 'Base.1.8.GeneralError')
    const [message] = json.error['@Message.ExtendedInfo']
    t.match(message, {
      '@odata.type': /^#Message\.v\d+_\d+_\d+\.Message$/,
      MessageId: 'Base.1.8.NoValidSession',
      Message: /.+/,
      Severity: 'Critical',
      MessageSeverity: 'Critical',
      Resolution: /.+/
    })
    const reset = `${system}Actions/Oem/Vendor/VendorComputerSystemExt.SystemReset/`
    const refused = (await server.post(reset, { ResetType: 'AuxCycle' })).json.error['@Message.ExtendedInfo']
    t.match(refused, [{ MessageId: 'Mgmt.2.21.SystemPowerOffRequired', Message: /.+/ }])
    const wrong = (await server.patch(chassis, { LocationIndicatorActive: 'yes' })).json.error['@Message.ExtendedInfo']
    t.match(wrong, [{ MessageArgs: ['yes', 'LocationIndicatorActive'], Message: /yes.+LocationIndicatorActive/ }])
    const { location, token } = await server.login()
    t.equal((await server.get(location, token)).json.Oem.Vendor.InitialRole, 'Administrator')
    const done = (await server.patch(chassis, { LocationIndicatorActive: true })).json.error
    t.match(done['@Message.ExtendedInfo'], [{ MessageId: 'Base.1.12.Success', Message: /success/i, Severity: 'OK' }])
    t.equal(done.message, done['@Message.ExtendedInfo'][0].Message)
    t.match(json.error.message, /failed/)

    const { json: listed } = await server.get('/redfish/v1/Registries/Mgmt/')
    t.equal(listed.Registry, 'Mgmt.2.21')
    const registries = '/redfish/v1/RegistryStore/registries/en'
    t.equal(listed.Location[0].Uri, `${registries}/Mgmt.json`)
    for (const name of ['Mgmt', 'Mgmt.2.21.0']) {
      const registry = (await server.get(`${registries}/${name}.json`)).json
      t.match(registry, { Id: 'Mgmt.2.21.0', RegistryVersion: '2.21.0' })
      t.ok(registry.Messages.SystemResetRequired)
    }
    t.equal((await server.get(`${registries}/Mgmt.2.15.0.json`)).status, 404)
    const { Members } = (await server.get('/redfish/v1/Registries/')).json
    t.equal(new Set(Members.map((each: Json) => each['@odata.id'])).size, Members.length)
  })
})

// OpenBMC refuses at once what its BIOS does not know.
onBothHosts(async (t, host) => {
  t.test('in the verbose profile the outcome of BIOS settings is spelt out', async (t) => {
    const server = await start(t, host, { configuration: { profile: 'verbose' } })
    const { system } = await partsOf(server)
    const bios = `${system}Bios/`
    const waits = await server.patch(`${bios}Settings/`, { Attributes: { NoSuchSetting: 'x' } })
    t.match(waits.json.error['@Message.ExtendedInfo'], [{ MessageId: 'Mgmt.2.21.SystemResetRequired' }])
    t.equal(waits.json.error.message, waits.json.error['@Message.ExtendedInfo'][0].Message)
    await server.post(`${system}Actions/ComputerSystem.Reset/`, { ResetType: 'ForceRestart' })
    const applied = await server.until(
      () => server.get(bios),
      ({ json }) => json['@Redfish.Settings'].Messages.length > 1
    )
    const shape = { '@odata.type': /^#Message\./, Message: String, Severity: String, Resolution: String }
    t.match(applied.json['@Redfish.Settings'].Messages, [
      { ...shape, MessageId: 'Base.1.0.Success', MessageSeverity: 'OK' },
      { ...shape, MessageId: 'Base.1.0.PropertyUnknown', RelatedProperties: ['#/Attributes/NoSuchSetting'] }
    ])
  })
})
