import { onEveryHost } from './every-host.ts'
import { messagesOf } from './messages-of.ts'
import { admin, basic, type Json, type Response, type Server, start } from './server.ts'

const system = '/redfish/v1/Systems/1/'
const reset = `${system}Actions/ComputerSystem.Reset/`
const required = ['Mgmt.SystemResetRequired()']
const success = { MessageId: 'Base.1.0.Success', MessageArgs: [] }

onEveryHost(async (t, host) => {
  const server = await start(t, host)
  const current = (await server.get(system)).json.Bios['@odata.id']
  const pending = (await server.get(current)).json['@Redfish.Settings'].SettingsObject['@odata.id']
  const bios = async () => (await server.get(current)).json
  const attributes = async () => (await bios()).Attributes
  /** The pending values that differ from the current ones. */
  const waiting = async () => {
    const [now, then] = [(await bios()).Attributes, (await server.get(pending)).json.Attributes]
    t.same(
      Object.keys(now).filter((name) => !(name in then)),
      [],
      'the pending area shows every attribute'
    )
    return Object.fromEntries(Object.entries(then).filter(([name, value]) => now[name] !== value))
  }
  const put = (body: unknown) => server.request('PUT', pending, undefined, body)

  t.test('the power mode is set with the next reset', async (t) => {
    const server = await start(t, host)
    const system = '/redfish/v1/Systems/1/'
    t.equal((await server.get(system)).json.PowerMode, 'BalancedPerformance')
    const answer = await server.patch(system, { PowerMode: 'PowerSaving' })
    t.same([answer.status, messagesOf(answer)], [200, ['Mgmt.SystemResetRequired()']])
    t.equal((await server.get(`${system}Bios/Settings/`)).json.Attributes.PowerPolicy, 'Efficiency')
    await server.post(`${system}Actions/ComputerSystem.Reset/`, { ResetType: 'ForceRestart' })
    await server.until(
      () => server.get(system),
      ({ json }) => json.PowerMode === 'PowerSaving'
    )
  })

  t.test('the current area shows the values that the BIOS runs with, and is read-only', async (t) => {
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await server.request(method, current)
      t.same([status, headers.allow], [200, 'GET, HEAD'])
    }
    const { AttributeRegistry, Attributes, Actions, ...rest } = await bios()
    t.equal(Object.keys(Attributes).length, 280)
    t.ok(Object.keys(Attributes).every((name) => /^\D/.test(name)))
    t.match(AttributeRegistry, /^BiosAttributeRegistry\w+\.v\d+_\d+_\d+$/)
    t.same(Object.keys(Actions).sort(), ['#Bios.ChangePassword', '#Bios.ResetBios'])
    t.match(rest['@Redfish.Settings'], { SupportedApplyTimes: ['OnReset'], Time: String, ETag: rest['@odata.etag'] })
    t.equal((await server.request('PUT', current, undefined, { Attributes: {} })).status, 405)
    t.equal((await server.request('DELETE', current)).status, 405)
  })

  t.test('the attribute registry is listed with its version, and its file is packed', async (t) => {
    const { AttributeRegistry, Attributes } = await bios()
    const listed = (await server.get(`/redfish/v1/Registries/${AttributeRegistry}/`)).json
    t.equal(listed.Registry, AttributeRegistry)
    t.same(listed.Languages, ['en'])
    const { Uri } = listed.Location[0]
    t.match(Uri, /\.v\d+_\d+_\d+\.json\/$/)
    const file = await unpacked(server, Uri)
    t.equal(file.Id, AttributeRegistry)
    t.same(
      file.RegistryEntries.Attributes.map(({ AttributeName }: Json) => AttributeName),
      Object.keys(Attributes)
    )
    t.ok(file.RegistryEntries.Menus.length >= 20)
    t.ok(file.RegistryEntries.Dependencies.length >= 20)
    t.match(file, { Language: 'en', OwningEntity: String, RegistryVersion: /^\d+\.\d+\.\d+$/, Description: String })
  })

  t.test('a change waits in the pending area, and is in force after a reset', async (t) => {
    const before = await bios()
    const answer = await server.patch(pending, { Attributes: { BootPromptSeconds: 9, ServerName: 'db7' } })
    t.same([answer.status, messagesOf(answer)], [200, required])
    t.same(await waiting(), { BootPromptSeconds: 9, ServerName: 'db7' })
    t.same(await bios(), before, 'the current area does not change, and its tag neither')
    await restarted(server, current)
    const after = await bios()
    t.match(after.Attributes, { BootPromptSeconds: 9, ServerName: 'db7' })
    t.same(after['@Redfish.Settings'].Messages, [success])
    t.ok(Date.parse(after['@Redfish.Settings'].Time) > 0)
    t.not(after['@odata.etag'], before['@odata.etag'])
    t.same(await waiting(), {})
  })

  t.test('every failure of a transfer is named after the reset', async (t) => {
    const wrong = {
      Flux: 1,
      QuietBoot: 'loud',
      BootPromptSeconds: 1000,
      MemorySpeed: 'Ludicrous',
      TimeZone: 'somewhere',
      SystemSku: 'X'
    }
    const answer = await server.patch(pending, { Attributes: { ...wrong, ServerOwner: 'ann' } })
    t.same([answer.status, messagesOf(answer)], [200, required])
    await restarted(server, current)
    const { Attributes, '@Redfish.Settings': settings } = await bios()
    t.equal(Attributes.ServerOwner, 'ann')
    t.equal(Attributes.BootPromptSeconds, 9)
    const related = (name: string) => ({ RelatedProperties: [`#/Attributes/${name}`] })
    t.same(settings.Messages, [
      success,
      { MessageId: 'Base.1.0.PropertyUnknown', MessageArgs: ['Flux'], ...related('Flux') },
      { MessageId: 'Base.1.0.PropertyValueTypeError', MessageArgs: ['loud', 'QuietBoot'], ...related('QuietBoot') },
      {
        MessageId: 'Base.1.0.PropertyValueOutOfRange',
        MessageArgs: ['1000', 'BootPromptSeconds'],
        ...related('BootPromptSeconds')
      },
      {
        MessageId: 'Base.1.0.PropertyValueNotInList',
        MessageArgs: ['Ludicrous', 'MemorySpeed'],
        ...related('MemorySpeed')
      },
      {
        MessageId: 'Base.1.0.PropertyValueFormatError',
        MessageArgs: ['somewhere', 'TimeZone'],
        ...related('TimeZone')
      },
      { MessageId: 'Base.1.0.PropertyNotWritable', MessageArgs: ['SystemSku'], ...related('SystemSku') }
    ])
  })

  t.test('a password is refused among the settings, and stored nowhere', async (t) => {
    for (const method of ['PATCH', 'POST', 'PUT']) {
      const body = { Attributes: { UserPassword: 'Tell-No-1', ServerRackUnit: 12 } }
      const answer = await server.request(method, pending, undefined, body)
      t.same([answer.status, messagesOf(answer)], [400, ['Mgmt.PasswordAttribute(UserPassword)']])
      t.match(answer.text, /RelatedProperties":\["#\/Attributes\/UserPassword"\]/)
    }
    t.same(await waiting(), {})
    const whole = (await server.get(pending)).json.Attributes
    t.equal((await server.patch(pending, { Attributes: whole })).status, 200, 'all of it as it was read')
    t.same(await waiting(), {})
  })

  t.test('an attribute that another one grays out is not applied', async (t) => {
    await server.patch(pending, { Attributes: { WorkloadProfile: 'MaximumPerformance', TurboBoost: 'Disabled' } })
    await restarted(server, current)
    const { Attributes, '@Redfish.Settings': settings } = await bios()
    t.match(Attributes, {
      WorkloadProfile: 'MaximumPerformance',
      TurboBoost: 'Enabled',
      PowerPolicy: 'MaximumPerformance'
    })
    t.match(settings.Messages, [
      success,
      { MessageArgs: ['TurboBoost'], RelatedProperties: ['#/Attributes/TurboBoost'] }
    ])
    await server.patch(pending, { Attributes: { WorkloadProfile: 'Custom' } })
    await restarted(server, current)
  })

  t.test('the pending area is written by PATCH, POST and PUT', async (t) => {
    const { headers } = await server.request('HEAD', pending)
    t.same(String(headers.allow).split(', ').sort(), ['GET', 'HEAD', 'PATCH', 'POST', 'PUT'])
    await server.patch(pending, { Attributes: { ServerName: 'a', ServerOwner: 'b' } })
    const posted = await server.post(pending, { Attributes: { ServerOwner: 'c', ServerLocation: 'd' } })
    t.same([posted.status, messagesOf(posted)], [200, required])
    t.same(await waiting(), { ServerName: 'a', ServerOwner: 'c', ServerLocation: 'd' })
    const replaced = await put({ Attributes: { ServerRackUnit: 7 } })
    t.same([replaced.status, messagesOf(replaced)], [200, required])
    t.same(await waiting(), { ServerRackUnit: 7 })
    t.equal((await put({ Attributes: {} })).status, 200)
    t.same(await waiting(), {})
  })

  t.test('the pending area keeps only values that differ', async (t) => {
    const { ServerName } = await attributes()
    await server.patch(pending, { Attributes: { ServerName: 'other', ServerRackUnit: 8 } })
    await server.patch(pending, { Attributes: { ServerName } })
    t.same(await waiting(), { ServerRackUnit: 8 })
    await put({ Attributes: {} })
  })

  t.test('a PATCH of the current area is meant for the pending one', async (t) => {
    const answer = await server.patch(current, { Attributes: { ServerRackUnit: 3 } })
    t.same([answer.status, messagesOf(answer)], [200, required])
    t.same(await waiting(), { ServerRackUnit: 3 })
    t.equal((await attributes()).ServerRackUnit, 0)
    await put({ Attributes: {} })
  })

  t.test('settings are applied at a reset, and at no other time', async (t) => {
    const at = (ApplyTime: string) => ({
      Attributes: { ServerRackUnit: 4 },
      '@Redfish.SettingsApplyTime': { '@odata.type': '#Settings.v1_3_5.PreferredApplyTime', ApplyTime }
    })
    t.equal((await server.patch(pending, at('OnReset'))).status, 200)
    t.equal((await server.post(pending, at('OnReset'))).status, 200)
    const refused = await server.patch(pending, at('Immediate'))
    t.equal(refused.status, 400)
    t.match(messagesOf(refused), [/^Base\.PropertyValueNotInList\(Immediate, .*ApplyTime\)$/])
    await put({ Attributes: {} })
  })

  t.test('parts are selected', async (t) => {
    const select = async (what: string) => (await server.get(`${current}?$select=${what}`)).json
    t.same((await select('Attributes/ServerName')).Attributes, { ServerName: 'db7' })
    t.same(Object.keys((await select('Actions')).Actions).length, 2)
    const messages = await select('@Redfish.Settings/Messages')
    t.same(
      Object.keys(messages['@Redfish.Settings']).filter((name) => !name.startsWith('@')),
      ['Messages']
    )
    t.notOk('Attributes' in messages)
  })

  t.test(
    'a change waits while the host is off, through a restart of the service, and is there with the power',
    async (t) => {
      const own = await start(t, host)
      await own.post(reset, { ResetType: 'ForceOff' })
      await powered(own, 'Off')
      await own.patch(pending, { Attributes: { ServerName: 'off' } })
      await own.stop()
      const again = await start(t, host, { data: own.data })
      t.equal((await again.get(pending)).json.Attributes.ServerName, 'off')
      await again.post(reset, { ResetType: 'On' })
      await powered(again, 'On')
      t.equal((await again.get(current)).json.Attributes.ServerName, 'off')
      await again.stop()
    }
  )

  t.test('a reset that a kill of the service interrupts is completed after its restart', async (t) => {
    let own = await start(t, host)
    for (let round = 1; round <= 4; round += 1) {
      const wanted = { ServerName: `r${round}`, ServerOwner: `r${round}`, ServerRackUnit: round }
      await own.patch(pending, { Attributes: wanted })
      await own.post(reset, { ResetType: 'ForceRestart' })
      if (round % 2 === 0) await own.get(current)
      await own.kill()
      own = await start(t, host, { data: own.data })
      const after = await own.until(
        () => own.get(current),
        ({ json }) => json.Attributes.ServerName === wanted.ServerName
      )
      t.match(after.json.Attributes, wanted)
      t.same(after.json['@Redfish.Settings'].Messages, [success])
      t.same((await own.get(pending)).json.Attributes, (await own.get(current)).json.Attributes)
    }
    await own.stop()
  })

  t.test('ResetBios restores the defaults', async (t) => {
    const defaults = await registryDefaults(server, current)
    await server.patch(pending, { Attributes: { ServerRackUnit: 5 } })
    const words = { Action: 'Bios.ResetBios', ResetType: 'default' }
    const answer = await server.post(`${current}Actions/Bios.ResetBios/`, words)
    t.same([answer.status, messagesOf(answer)], [200, required])
    t.equal((await waiting()).ServerName, '', 'what it will change can be seen')
    t.equal((await attributes()).ServerName, 'db7')
    await restarted(server, current)
    t.same(await attributes(), defaults)
    t.same(await waiting(), {})
  })

  t.test('a password is changed at the reset, by who knows the old one, and never shown', async (t) => {
    const change = (PasswordName: string, OldPassword: string, NewPassword: string) =>
      server.post(`${current}Actions/Bios.ChangePassword/`, { PasswordName, OldPassword, NewPassword })
    const wrongOld = ['Base.ActionParameterValueError(OldPassword, Bios.ChangePassword)']
    const wrongNew = ['Base.ActionParameterValueError(NewPassword, Bios.ChangePassword)']
    t.same(messagesOf(await change('User', 'guess', 'Sesame-123')), wrongOld)
    t.same(messagesOf(await change('User', '', 'short')), wrongNew)
    t.same(messagesOf(await change('User', '', 'x'.repeat(33))), wrongNew)
    t.same(messagesOf(await change('User', '', 'x'.repeat(60_000))), wrongNew)
    t.equal((await change('Root', '', 'Sesame-123')).status, 400)
    const first = await change('User', '', 'Sesame-123')
    t.same([first.status, messagesOf(first)], [200, required])
    t.same(messagesOf(await change('User', 'Sesame-123', 'Sesame-456')), wrongOld, 'not yet in force')
    await restarted(server, current)
    t.same(messagesOf(await change('User', '', 'Sesame-456')), wrongOld)
    t.equal((await change('User', 'Sesame-123', 'Sesame-456')).status, 200)
    await restarted(server, current)
    t.same(messagesOf(await change('User', 'Sesame-123', '')), wrongOld)
    t.equal((await change('User', 'Sesame-456', '')).status, 200)
    await restarted(server, current)
    t.equal((await change('User', '', 'Sesame-789')).status, 200)
    for (const path of [current, pending]) t.notMatch((await server.get(path)).text, /Sesame|pbkdf2/)
    t.equal((await attributes()).UserPassword, null)
    t.notMatch(server.process.stderr.join(''), /Sesame|pbkdf2/)
  })

  t.test('a value that no attribute can have is refused at once', async (t) => {
    for (const value of [[1], { a: 1 }, [], {}]) {
      const answer = await server.patch(pending, { Attributes: { QuietBoot: value } })
      t.equal(answer.status, 400, JSON.stringify(value))
      t.match(messagesOf(answer), [/^Base\.PropertyValueTypeError\(.*QuietBoot\)$/])
    }
    for (const Attributes of [null, [], 'all', 7]) t.equal((await server.patch(pending, { Attributes })).status, 400)
    t.equal((await server.patch(pending, { Attributes: {} })).status, 400)
    t.equal((await server.patch(pending, { attributes: { QuietBoot: false } })).status, 400)
    t.equal((await server.post(pending, {})).status, 400)
    t.equal((await put({ Name: 'mine' })).status, 400)
    t.same(await waiting(), {})
  })

  t.test('a body of all attributes fits, and one of 5,000 does not', async (t) => {
    const all = await attributes()
    t.equal((await put({ Attributes: { ...all, ServerName: 'all' } })).status, 200)
    t.same(await waiting(), { ServerName: 'all' })
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`Unknown${index}`, index]))
    t.equal((await server.patch(pending, { Attributes: many })).status, 400)
    t.same(await waiting(), { ServerName: 'all' })
    const long = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`U${index}`, 'x'.repeat(1000)]))
    const answer = await server.patch(pending, { Attributes: long })
    t.same([answer.status, messagesOf(answer)], [507, ['Base.InsufficientStorage()']])
    t.same(await waiting(), { ServerName: 'all' })
    await put({ Attributes: {} })
  })

  t.test('a change with If-Match is 412 if the resource has changed', async (t) => {
    const { headers } = await server.get(pending)
    await server.patch(pending, { Attributes: { ServerRackUnit: 9 } })
    const stale = await server.request(
      'PATCH',
      pending,
      { ...admin, 'if-match': String(headers.etag) },
      {
        Attributes: { ServerRackUnit: 10 }
      }
    )
    t.equal(stale.status, 412)
    t.same(await waiting(), { ServerRackUnit: 9 })
    await put({ Attributes: {} })
  })

  t.test('who may not configure the BIOS can read it', async (t) => {
    for (const [UserName, RoleId, status] of [
      ['reader', 'ReadOnly', 403],
      ['operator', 'Operator', 200]
    ] as const) {
      const Password = 'Green-Door-4'
      await server.post('/redfish/v1/AccountService/Accounts', { UserName, Password, RoleId })
      const who = basic(UserName, Password)
      t.equal((await server.get(current, who)).status, 200)
      const body = { Attributes: { ServerRackUnit: 1 } }
      for (const [method, path] of [
        ['PATCH', pending],
        ['POST', pending],
        ['PUT', pending],
        ['PATCH', current]
      ] as const) {
        t.equal((await server.request(method, path, who, body)).status, status, `${method} ${path} ${RoleId}`)
      }
      t.equal((await server.post(`${current}Actions/Bios.ResetBios/`, {}, who)).status, status)
    }
    await put({ Attributes: {} })
  })

  t.test("the vendor's resources below the BIOS", async (t) => {
    const { BaseConfigs, Boot, Mappings } = (await bios()).Links.Oem.Vendor
    const bases = (await server.get(BaseConfigs['@odata.id'])).json.Members.map((each: Json) => each['@odata.id'])
    t.match(bases, [/\/default\/$/, /\/default\.user\/$/])
    const [makers, users] = bases
    t.same((await server.get(makers)).json.Attributes, await registryDefaults(server, current))
    t.equal((await server.patch(makers, { Attributes: { ServerName: 'x' } })).status, 405)
    t.equal((await server.patch(users, { Attributes: { ServerName: 'mine' } })).status, 200)
    const refused = await server.patch(users, { Attributes: { Flux: 1, QuietBoot: 'no' } })
    t.same(messagesOf(refused), ['Base.PropertyUnknown(Flux)', 'Base.PropertyValueTypeError(no, QuietBoot)'])
    await server.post(`${current}Actions/Bios.ResetBios/`, {})
    await restarted(server, current)
    t.equal((await server.get(users)).json.Attributes.ServerName, 'mine', 'ResetBios is not about these')

    const order = (await server.get(Boot['@odata.id'])).json.PersistentBootConfigOrder
    const reversed = [...order].reverse()
    t.equal((await server.patch(Boot['@odata.id'], { PersistentBootConfigOrder: reversed })).status, 200)
    t.equal((await server.get(system)).json.Boot.BootOrder.at(-1), 'Boot0000')
    t.equal((await server.patch(Boot['@odata.id'], { PersistentBootConfigOrder: order.slice(1) })).status, 400)

    const mappings = (await server.get(Mappings['@odata.id'])).json.BiosDeviceMappings
    t.match(
      mappings.find((each: Json) => each.StructuredName === 'NIC.FlexLOM.1.1'),
      { Attributes: ['NetworkPort1', 'NetworkPort1Boot', 'NetworkPort1Wake'], BootOptions: ['Boot0004', 'Boot0005'] }
    )
  })
})

/** Restarts the host and waits for its transfer. */
async function restarted(server: Server, bios: string): Promise<void> {
  const before = (await server.get(bios)).json['@Redfish.Settings'].Time
  await server.post(reset, { ResetType: 'ForceRestart' })
  await server.until(
    () => server.get(bios),
    ({ json }) => json['@Redfish.Settings'].Time !== before
  )
}

function powered(server: Server, state: string): Promise<Response> {
  return server.until(
    () => server.get(system),
    ({ json }) => json.PowerState === state
  )
}

/** A file that has to come compressed, as clients of registries expect it. */
async function unpacked(server: Server, path: string): Promise<Json> {
  const { headers, text } = await server.request('GET', path, { ...admin, 'accept-encoding': 'gzip' })
  if (headers['content-encoding'] !== 'gzip') throw new Error(`${path} is not compressed`)
  return JSON.parse(text)
}

async function registryDefaults(server: Server, bios: string): Promise<Json> {
  const { AttributeRegistry } = (await server.get(bios)).json
  const file = await unpacked(server, `/redfish/v1/RegistryStore/registries/en/${AttributeRegistry}.json`)
  return Object.fromEntries(
    file.RegistryEntries.Attributes.map((each: Json) => [each.AttributeName, each.DefaultValue])
  )
}
