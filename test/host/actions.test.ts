import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { makeSigner, type Signer } from './certificates.ts'
import { onBothHosts } from './every-host.ts'
import { messagesOf } from './messages-of.ts'
import type { Connection, RawResponse } from './raw.ts'
import { admin, basic, type Headers, type Json, password, type Scope, type Server, start } from './server.ts'

const system = '/redfish/v1/Systems/1/'
const manager = '/redfish/v1/Managers/1/'
const onSystem = (name: string) => `${system}Actions/Oem/Vendor/VendorComputerSystemExt.${name}/`
const onManager = (name: string) => `${manager}Actions/Oem/Vendor/VendorMgmt.${name}/`
const recoverer = '/redfish/v1/AccountService/Accounts/admin/'
const deferred = ['Mgmt.SystemResetRequired()']
const success = ['Base.Success()']
const keytabAction = '/redfish/v1/AccountService/Actions/Oem/Vendor/VendorAccountService.ImportKerberosKeytab/'
const keytab = '\x05\x02\0\0\0\x03abc'

onBothHosts(async (t, host) => {
  t.test('the next start of the host is in the mode that was asked for, and that one only', async (t) => {
    const server = await start(t, host)
    for (const [action, mode, key] of [
      ['ServerSafeMode', 'SafeMode', 'SafeModeRequested'],
      ['ServerIntelligentDiagnosticsMode', 'IntelligentDiagnostics', 'DiagnosticsModeRequested']
    ] as const) {
      const answer = await server.post(onSystem(action), {})
      t.same([answer.status, messagesOf(answer)], [200, deferred])
      t.match(await vendor(server, system), { PendingBootMode: mode })
      await restart(server, ({ BootMode }) => BootMode === mode)
      t.match(await vendor(server, system), { BootMode: mode, PendingBootMode: 'Normal' })
      t.ok((await logged(server, `${system}LogServices/SystemLog/`)).includes(key))
    }
    await restart(server, ({ BootMode }) => BootMode === 'Normal')
  })

  t.test('default settings are restored at the next reset of the host', async (t) => {
    const server = await start(t, host)
    const order: string[] = (await server.get(system)).json.Boot.BootOrder
    const Boot = { BootSourceOverrideTarget: 'Pxe', BootSourceOverrideEnabled: 'Continuous' }
    await server.patch(system, { AssetTag: 'rack 7', Boot: { ...Boot, BootOrder: [...order].reverse() } })
    await server.patch(`${system}Bios/Settings/`, { Attributes: { QuietBoot: false } })
    await restart(server)
    await server.until(
      () => server.get(`${system}Bios/`),
      ({ json }) => json.Attributes.QuietBoot === false
    )
    t.same(messagesOf(await server.post(onSystem('RestoreSystemDefaults'), {})), deferred)
    const shown = (await server.get(system)).json
    t.same(shown.Boot.BootOrder, order)
    t.match(shown.Boot, { BootSourceOverrideTarget: 'None', BootSourceOverrideEnabled: 'Disabled' })
    t.equal(shown.AssetTag, 'rack 7')
    t.equal((await server.get(`${system}Bios/`)).json.Attributes.QuietBoot, false, 'not yet')
    await restart(server)
    await server.until(
      () => server.get(`${system}Bios/`),
      ({ json }) => json.Attributes.QuietBoot === true
    )
  })

  t.test('recovery takes a privilege that no role has, and that an account is granted', async (t) => {
    const server = await start(t, host)
    for (const action of [
      onSystem('RestoreManufacturingDefaults'),
      onSystem('SecureSystemErase'),
      onManager('RequestFirmwareAndOsRecovery')
    ]) {
      const refused = await server.post(action, {})
      t.same([refused.status, messagesOf(refused)], [403, ['Base.InsufficientPrivilege()']], action)
    }
    await mayRecover(server)
    await server.patch(system, { AssetTag: 'rack 7' })
    const databases = `${system}SecureBoot/SecureBootDatabases/`
    await server.post(`${databases}PK/Actions/SecureBootDatabase.ResetKeys/`, { ResetKeysType: 'DeleteAllKeys' })
    const count = async () => (await server.get(`${databases}PK/Certificates/`)).json['Members@odata.count']
    t.equal(await count(), 0)
    t.same(messagesOf(await server.post(onSystem('RestoreManufacturingDefaults'), {})), deferred)
    t.equal((await server.get(system)).json.AssetTag, '')
    t.equal(await count(), 1, 'the platform key of the factory')
    t.same(messagesOf(await server.post(onManager('RequestFirmwareAndOsRecovery'), {})), deferred)
    t.equal((await vendor(server, system)).PendingRecovery, true)
    await restart(server, ({ PendingRecovery }) => PendingRecovery === false)
    t.ok((await logged(server, `${system}LogServices/SystemLog/`)).includes('RecoveryFinished'))
  })

  t.test('a system is erased while it is off, as a task', async (t) => {
    const server = await start(t, host, { configuration: { eraseTime: 0.05 } })
    await mayRecover(server)
    await server.patch(system, { AssetTag: 'rack 7' })
    const early = await server.post(onSystem('SecureSystemErase'), {})
    t.same([early.status, messagesOf(early)], [409, ['Mgmt.SystemPowerOffRequired()']])
    await switchOff(server)
    const answer = await server.post(onSystem('SecureSystemErase'), {})
    t.equal(answer.status, 202)
    const task = String(answer.headers.location)
    t.match(answer.json, { '@odata.id': task, TaskState: 'Running', PercentComplete: 0 })
    t.same((await server.get('/redfish/v1/TaskService/Tasks/')).json.Members, [{ '@odata.id': task }])
    await server.until(
      () => server.get(task),
      ({ json }) => json.PercentComplete > 0 && json.PercentComplete < 100
    )
    await ended(server, task)
    t.equal((await server.get(system)).json.AssetTag, '')
    for (const id of ['nvme', 'slot3']) {
      t.equal((await server.get(`${system}Storage/${id}/Volumes/`)).json['Members@odata.count'], 0, id)
    }
    t.same((await vendor(server, manager)).PendingAtReset, ['ResetToFactoryDefaults'])
    t.equal((await server.delete(task)).status, 200)
    t.equal((await server.get(task)).status, 404)
  })

  t.test('an erasure continues after the service is killed during it', async (t) => {
    const before = await start(t, host, { configuration: { eraseTime: 0.3 } })
    await mayRecover(before)
    await switchOff(before)
    const { headers } = await before.post(onSystem('SecureSystemErase'), { SystemROMAndMgmtErase: false })
    const task = String(headers.location)
    t.equal((await before.delete(task)).status, 409, 'it cannot be broken off')
    await before.kill()
    const after = await start(t, host, { data: before.data, configuration: { eraseTime: 0.05 } })
    await ended(after, task)
    t.equal((await after.get(`${system}Storage/slot3/Volumes/`)).json['Members@odata.count'], 0)
  })

  t.test('ClearRestApiState takes effect at a reset of the controller', async (t) => {
    const server = await start(t, host)
    await server.patch(`${system}Bios/Settings/`, { Attributes: { QuietBoot: false } })
    const NTP = { StaticNTPServers: ['192.0.2.7'] }
    await server.patch(`${manager}DateTime/`, NTP)
    const answer = await server.request('POST', onManager('ClearRestApiState'), admin)
    t.same([answer.status, messagesOf(answer)], [200, deferred])
    t.same((await vendor(server, manager)).PendingAtReset, ['ClearRestApiState'])
    t.equal((await server.get(`${system}Bios/Settings/`)).json.Attributes.QuietBoot, false, 'not yet')
    await resetController(server)
    t.not((await server.get(`${system}Bios/Settings/`)).json.Attributes?.QuietBoot, false)
    t.match((await server.get(`${manager}DateTime/`)).json, NTP)
    t.same((await vendor(server, manager)).PendingAtReset, [])
    t.ok((await logged(server, `${manager}LogServices/EventLog/`)).includes('RestApiStateCleared'))
  })

  t.test(
    'sessions outlive a restart of the process and a reset of the controller, which clients learn of in time',
    async (t) => {
      const before = await start(t, host)
      const { token } = await before.login()
      await before.stop()
      const server = await start(t, host, { data: before.data })
      t.equal((await server.get(manager, token)).status, 200)
      const [silent, active] = [await idle(server), await idle(server)]
      const reset = `${manager}Actions/Manager.Reset/`
      const answer = await server.post(reset, { ResetType: 'GracefulRestart' }, token)
      t.same([answer.status, messagesOf(answer)], [200, ['Mgmt.ResetInProgress()']])
      let last: RawResponse | undefined
      do {
        active.write('GET /redfish/ HTTP/1.1\r\nHost: bmc\r\n\r\n')
        last = await active.response()
      } while (last !== undefined && last.headers.connection !== 'close')
      t.match(last, { status: 200 }, 'a connection that was kept is served until an answer says that it is the last')
      await silent.closed
      await answers(server)
      t.equal((await server.get(manager, token)).status, 200)
      const told = await logged(server, `${manager}LogServices/EventLog/`)
      t.same(told.slice(-2), ['ControllerResetRequested', 'ControllerStarted'])
      const bad = await server.post(reset, { ResetType: 'On' })
      t.same(messagesOf(bad), ['Base.ActionParameterValueNotInList(On, ResetType, Manager.Reset)'])
    }
  )

  t.test('with factory defaults the controller is as at its first start', async (t) => {
    const server = await start(t, host)
    await server.post('/redfish/v1/AccountService/Accounts', {
      UserName: 'eve',
      Password: 'Green-Door-4',
      RoleId: 'ReadOnly'
    })
    await server.patch(`${manager}DateTime/`, { StaticNTPServers: ['192.0.2.7'] })
    await server.patch(recoverer, { Password: 'Blue-Window-9' })
    const changed = basic('admin', 'Blue-Window-9')
    await server.patch(system, { AssetTag: 'rack 7' }, changed)
    const etag = String((await server.get(manager, changed)).headers.etag)
    const key = readFileSync(join(server.data, 'keys/secrets.key'), 'utf8')
    const certificate = await shownCertificate(server)
    const other = await server.post(onManager('ResetToFactoryDefaults'), { ResetType: 'All' }, changed)
    t.same(messagesOf(other), ['Base.ActionParameterValueNotInList(All, ResetType, VendorMgmt.ResetToFactoryDefaults)'])
    const answer = await server.post(onManager('ResetToFactoryDefaults'), { ResetType: 'Default' }, changed)
    t.same([answer.status, messagesOf(answer)], [200, ['Mgmt.ResetInProgress()']])
    await server.until(
      () => server.get(manager, changed),
      ({ status }) => status === 401
    )
    t.not(readFileSync(join(server.data, 'keys/secrets.key'), 'utf8'), key)
    t.not(await shownCertificate(server), certificate)
    const accounts = (await server.get('/redfish/v1/AccountService/Accounts/')).json
    t.same(accounts.Members, [{ '@odata.id': recoverer }])
    t.same((await server.get(`${manager}DateTime/`)).json.StaticNTPServers, [])
    t.equal((await server.get(system)).json.AssetTag, 'rack 7', 'what is the host’s stays')
    t.not((await server.get(manager)).headers.etag, etag, 'no entity tag comes again')
    t.ok((await logged(server, `${manager}LogServices/EventLog/`)).includes('FactoryDefaultsRestored'))
  })

  t.test('a reset to defaults can preserve network and users', async (t) => {
    const server = await start(t, host)
    const started = (await server.get(manager)).json.LastResetTime
    await server.patch(`${manager}DateTime/`, { StaticNTPServers: ['192.0.2.7'] })
    await server.patch(`${manager}`, { Oem: { Vendor: { HotKeys: { CtrlT: ['F11'] } } } })
    await server.patch(recoverer, { Password: 'Blue-Window-9' })
    const changed = basic('admin', 'Blue-Window-9')
    const certificate = await shownCertificate(server)
    const reset = `${manager}Actions/Manager.ResetToDefaults/`
    const shown = async (caller: Headers) => {
      const { StaticNTPServers } = (await server.get(`${manager}DateTime/`, caller)).json
      const { HotKeys, StateRecoveries } = (await server.get(manager, caller)).json.Oem.Vendor
      return { StaticNTPServers, StateRecoveries, CtrlT: HotKeys.CtrlT }
    }
    const answer = await server.post(reset, { ResetType: 'PreserveNetworkAndUsers' }, changed)
    t.same([answer.status, messagesOf(answer)], [200, ['Mgmt.ResetInProgress()']])
    await server.until(
      () => server.get(manager, changed),
      ({ status, json }) => status === 200 && json.LastResetTime !== started
    )
    t.same(await shown(changed), { StaticNTPServers: ['192.0.2.7'], StateRecoveries: [], CtrlT: [] })
    t.equal(await shownCertificate(server), certificate)

    await server.post(reset, { ResetType: 'PreserveNetwork' }, changed)
    await server.until(
      () => server.get(manager, changed),
      ({ status }) => status === 401
    )
    t.same(await shown(admin), { StaticNTPServers: ['192.0.2.7'], StateRecoveries: [], CtrlT: [] })
    t.equal(await shownCertificate(server), certificate)
  })

  t.test('a request at the board restores the factory defaults once', async (t) => {
    const first = await start(t, host)
    const { data } = first
    const timeServers = async (server: Server) => (await server.get(`${manager}DateTime/`)).json.StaticNTPServers
    await first.patch(`${manager}DateTime/`, { StaticNTPServers: ['192.0.2.7'] })
    await first.stop()
    // As the init process of a controller leaves it.
    writeFileSync(join(data, 'factory-reset'), 'the reset line is held\n')
    const second = await start(t, host, { data })
    t.same(await timeServers(second), [])
    t.ok((await logged(second, `${manager}LogServices/EventLog/`)).includes('FactoryDefaultsRestored'))
    await second.patch(`${manager}DateTime/`, { StaticNTPServers: ['192.0.2.8'] })
    await second.stop()
    t.notOk(existsSync(join(data, 'factory-reset')))
    t.same(await timeServers(await start(t, host, { data })), ['192.0.2.8'])
  })

  t.test('hot keys are set and cleared', async (t) => {
    const server = await start(t, host)
    const CtrlT = ['CTRL', 'ALT', 'DEL']
    t.equal((await server.patch(manager, { Oem: { Vendor: { HotKeys: { CtrlT } } } })).status, 200)
    t.match((await vendor(server, manager)).HotKeys, { CtrlT, CtrlU: [] })
    const many = await server.patch(manager, {
      Oem: { Vendor: { HotKeys: { CtrlU: ['A', 'B', 'C', 'D', 'E', 'F'] } } }
    })
    t.same(messagesOf(many), ['Base.ArraySizeTooLong(CtrlU, 5)'])
    t.same(messagesOf(await server.post(onManager('ClearHotKeys'), {})), success)
    t.same((await vendor(server, manager)).HotKeys.CtrlT, [])
  })

  t.test('the connection to the cloud is enabled and disabled', async (t) => {
    const server = await start(t, host)
    t.same(messagesOf(await server.post(onManager('EnableCloudConnect'), {})), success)
    t.match((await vendor(server, manager)).CloudConnect, { Enabled: true, ConnectionStatus: 'NotConnected' })
    t.same(messagesOf(await server.post(onManager('DisableCloudConnect'), {})), success)
    t.match((await vendor(server, manager)).CloudConnect, { Enabled: false, ConnectionStatus: 'Disabled' })
  })

  t.test('the variables of the firmware are cleared at the next reset of the host', async (t) => {
    const server = await start(t, host)
    const order: string[] = (await server.get(system)).json.Boot.BootOrder
    await server.patch(system, { Boot: { BootOrder: [...order].reverse() } })
    await restart(server)
    t.same(messagesOf(await server.post(onManager('ClearNVRAM'), {})), deferred)
    t.equal((await vendor(server, system)).PendingNvramClear, true)
    await restart(server, ({ PendingNvramClear }) => PendingNvramClear === false)
  })

  t.test('disabled functions refuse all changes, and a reset enables them again', async (t) => {
    const server = await start(t, host)
    t.same(messagesOf(await server.post(onManager('DisableMgmtFunctionality'), {})), deferred)
    t.equal((await server.patch(system, { AssetTag: 'rack 7' })).status, 200, 'not yet')
    await resetController(server)
    t.equal((await vendor(server, manager)).MgmtFunctionality, 'Disabled')
    const refused = await server.patch(system, { AssetTag: 'rack 8' })
    t.same([refused.status, messagesOf(refused)], [503, [`Base.ServiceDisabled(${system})`]])
    const { location, token } = await server.login()
    t.equal((await server.get(system, token)).json.AssetTag, 'rack 7')
    t.equal((await server.delete(location, token)).status, 200)
    await resetController(server)
    t.equal((await vendor(server, manager)).MgmtFunctionality, 'Enabled')
    t.equal((await server.patch(system, { AssetTag: 'rack 8' })).status, 200)
  })

  t.test('a keytab is imported, and never shown', async (t) => {
    const server = await start(t, host)
    const bad = await server.post(keytabAction, { Keytab: btoa('no keytab') })
    t.match(messagesOf(bad), [/^Base\.ActionParameterValueFormatError\(\*+, Keytab, .*\)$/])
    const Keytab = btoa(keytab)
    t.same(messagesOf(await server.post(keytabAction, { Keytab })), success)
    const shown = await server.get('/redfish/v1/AccountService/')
    t.type(shown.json.Oem.Vendor.KerberosKeytabImportedTime, 'string')
    t.notOk(shown.text.includes(Keytab))
    await server.stop()
    for (const name of readdirSync(join(server.data, 'store'))) {
      t.notOk(readFileSync(join(server.data, 'store', name)).includes(Keytab), name)
    }
  })

  t.test('a keytab is fetched from a server that a trusted authority vouches for, and from no other', async (t) => {
    const signer = makeSigner(t, {
      subject: '/CN=kdc',
      extensions: ['subjectAltName=IP:127.0.0.1', 'keyUsage=critical,digitalSignature,keyCertSign']
    })
    const origin = await serve(t, signer, (path) =>
      path === '/bmc.keytab' ? keytab : 'x'.repeat(path === '/long' ? 70_000 : 10)
    )
    const server = await start(t, host)
    const fetch = async (path: string) => messagesOf(await server.post(keytabAction, { ImportUri: `${origin}${path}` }))
    t.same(await fetch('/bmc.keytab'), [`Base.CouldNotEstablishConnection(${origin})`], 'no authority has signed it')
    const Certificate = signer.certificate
    const imported = await server.post(
      `${manager}SecurityService/CertificateAuthentication/Actions/VendorCertAuth.ImportCACertificate/`,
      { Action: 'VendorCertAuth.ImportCACertificate', Certificate }
    )
    t.ok(imported.status < 300, imported.text)
    t.same(await fetch('/other'), [
      'Base.ActionParameterValueError(ImportUri, VendorAccountService.ImportKerberosKeytab)'
    ])
    t.same(await fetch('/long'), [`Base.CouldNotEstablishConnection(${origin})`], 'more than a keytab may be')
    t.equal((await vendor(server, '/redfish/v1/AccountService/')).KerberosKeytabImportedTime, null)
    t.same(await fetch('/bmc.keytab'), success)
    t.type((await vendor(server, '/redfish/v1/AccountService/')).KerberosKeytabImportedTime, 'string')
  })

  t.test('an action takes no parameter that it does not have', async (t) => {
    const server = await start(t, host)
    const { json } = await server.get(manager)
    const offered: Json[] = [
      ...Object.values<Json>(json.Oem.Vendor.Actions),
      ...Object.values<Json>((await vendor(server, system)).Actions)
    ]
    t.equal(offered.length, 16)
    await mayRecover(server)
    for (const { target } of offered) {
      const { status, json } = await server.post(target, { Colour: 'red' })
      t.equal(status, 400, target)
      t.match(json.error['@Message.ExtendedInfo'][0].MessageId, /ActionParameter(Unknown|Missing)$/, target)
    }
  })

  t.test('a registry is found by its prefix, in any case of the path', async (t) => {
    const server = await start(t, host)
    const prefixes = [
      'Base',
      'Mgmt',
      'MgmtEvents',
      'MgmtResourceEvents',
      'ResourceEvent',
      'NetworkDevice',
      'StorageDevice',
      'TaskEvent',
      'Telemetry',
      'Update'
    ]
    for (const prefix of prefixes) {
      const moved = await server.get(`/redfish/v1/registries/${prefix}`)
      t.same([moved.status, moved.headers.location], [308, `/redfish/v1/registries/${prefix}/`])
      const { json } = await server.get(String(moved.headers.location))
      t.equal(json['@odata.id'], `/redfish/v1/Registries/${prefix}/`)
      const [{ Uri }] = json.Location
      t.equal(Uri, `/redfish/v1/RegistryStore/registries/en/${prefix}.json`)
      t.equal((await server.get(Uri)).json.RegistryPrefix, prefix)
    }
    const { json } = await server.get('/redfish/v1/Registries/')
    t.equal(json['Members@odata.count'], prefixes.length + 1, 'and that of the BIOS')
  })
})

// biome-ignore lint/suspicious/noExplicitAny: what a client parses
async function vendor(server: Server, uri: string): Promise<any> {
  return (await server.get(uri)).json.Oem.Vendor
}

/** The keys of the messages in a log, oldest first. */
async function logged(server: Server, log: string): Promise<string[]> {
  const { Members } = (await server.get(`${log}Entries/?$expand=.`)).json
  return Members.map(({ MessageId }: { MessageId: string }) => MessageId.split('.').at(-1))
}

/** Restarts the host, and waits until its system is as expected. */
async function restart(server: Server, expected: (vendor: Json) => boolean = () => true): Promise<void> {
  const log = `${system}LogServices/SystemLog/`
  const resets = async () => (await logged(server, log)).filter((key) => key === 'ServerReset').length
  const before = await resets()
  await server.post(`${system}Actions/ComputerSystem.Reset/`, { ResetType: 'ForceRestart' })
  await server.until(
    () => server.get(`${log}Entries/?$expand=.`),
    ({ json }) =>
      json.Members.filter(({ MessageId }: { MessageId: string }) => MessageId.endsWith('.ServerReset')).length > before
  )
  await server.until(
    () => server.get(system),
    ({ json }) => json.PowerState === 'On' && expected(json.Oem.Vendor)
  )
}

async function switchOff(server: Server): Promise<void> {
  await server.post(`${system}Actions/ComputerSystem.Reset/`, { ResetType: 'ForceOff' })
  await server.until(
    () => server.get(system),
    ({ json }) => json.PowerState === 'Off'
  )
}

async function ended(server: Server, task: string): Promise<void> {
  await server.until(
    () => server.get(task),
    ({ json }) => json.TaskState === 'Completed'
  )
}

/** Resets the controller, and waits until it serves again. */
async function resetController(server: Server): Promise<void> {
  const connection = await idle(server)
  await server.post(`${manager}Actions/Manager.Reset/`, { ResetType: 'ForceRestart' })
  await connection.closed
  await answers(server)
}

/** A connection that has carried a request, and waits for the next. */
async function idle(server: Server): Promise<Connection> {
  const connection = await server.connect()
  connection.socket.write('GET /redfish/ HTTP/1.1\r\nHost: bmc\r\n\r\n')
  await connection.response()
  return connection
}

async function answers(server: Server): Promise<void> {
  await server.until(
    () => server.get('/redfish/v1/'),
    ({ status }) => status === 200
  )
}

async function mayRecover(server: Server): Promise<void> {
  const Privileges = { SystemRecoveryConfigPriv: true }
  await server.patch(recoverer, { Oem: { Vendor: { Privileges } } }, basic('admin', password))
}

async function shownCertificate(server: Server): Promise<string> {
  const { socket } = await server.connect()
  const { fingerprint256 } = socket.getPeerCertificate()
  socket.destroy()
  return fingerprint256
}

/** A server of files. @returns its origin */
async function serve(t: Scope, { certificate, key }: Signer, file: (path: string) => string): Promise<string> {
  const server = createServer({ cert: certificate, key }, (request, response) => {
    response.end(Buffer.from(file(request.url ?? ''), 'latin1'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`
}
