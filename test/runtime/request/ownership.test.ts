import t, { type Test } from 'tap'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { updateFile } from '#runtime/build/update-file.mjs'
import { watch } from '#test/hal/contracts/power.ts'
import { type Answer, as, type Fixture, openFixture, password } from '#test/runtime/service.ts'

const system = '/redfish/v1/Systems/1'
const manager = '/redfish/v1/Managers/1'
const storage = `${system}/Storage/slot3`
const vendor = `${system}/Actions/Oem/Vendor/VendorComputerSystemExt`
const update = '/redfish/v1/UpdateService/update/'
const drives = { Links: { Drives: [{ '@odata.id': `${storage}/Drives/6/` }] } }
const digest = {
  SignatureString: 'ab'.repeat(32),
  SignatureType: 'EFI_CERT_SHA256_GUID',
  SignatureTypeRegistry: 'UEFI'
}

/** A service whose tasks take for ever, over a host that is off. */
async function opened(t: Test): Promise<Fixture> {
  const fixture = await openFixture((configuration) => {
    configuration.eraseTime = 3600
  })
  t.teardown(() => fixture.close())
  const off = watch(fixture.power).next('Off')
  await fixture.power.perform('forceOff')
  await off
  const role = { RoleId: 'Administrator', Oem: { Vendor: { Privileges: { SystemRecoveryConfigPriv: true } } } }
  await fixture.ask('PATCH', '/redfish/v1/AccountService/Accounts/admin/', role)
  return fixture
}

/** Asks for something that a task is in the way of. */
async function refused(
  t: Test,
  fixture: Fixture,
  method: string,
  path: string,
  body: unknown,
  task: string,
  name: string
) {
  const { status, json } = await fixture.ask(method, `${path}/`, body)
  const what = `${method} ${path} ${JSON.stringify(body)}`
  t.equal(status, 409, what)
  const [message] = json.error?.['@Message.ExtendedInfo'] ?? []
  t.match(message, { MessageId: /\.InUseByTask$/, MessageArgs: [task, name] }, what)
}

const powerOn: readonly [string, string, unknown][] = [
  ['POST', `${system}/Actions/ComputerSystem.Reset`, { ResetType: 'On' }],
  ['POST', `${system}/Actions/ComputerSystem.Reset`, { ResetType: 'PushPowerButton' }],
  ['POST', `${vendor}.PowerButton`, { PushType: 'Press' }],
  ['POST', `${vendor}.SystemReset`, { ResetType: 'AuxCycle' }]
]

const volumes: readonly [string, string, unknown][] = [
  ['POST', `${storage}/Volumes`, { RAIDType: 'RAID0', ...drives }],
  ['DELETE', `${storage}/Volumes/1`, undefined],
  ['POST', `${storage}/Actions/Storage.ResetToDefaults`, { ResetType: 'ResetAll' }]
]

const firmware: readonly [string, string, unknown][] = [
  ['PATCH', system, { AssetTag: 'A-7' }],
  ['PATCH', system, { Boot: { BootSourceOverrideTarget: 'Pxe', BootSourceOverrideEnabled: 'Once' } }],
  ['PATCH', `${system}/Bios`, { Attributes: { QuietBoot: false } }],
  ['PATCH', `${system}/Bios/Settings`, { Attributes: { QuietBoot: false } }],
  ['POST', `${system}/Bios/Settings`, { Attributes: { QuietBoot: false } }],
  ['PUT', `${system}/Bios/Settings`, { Attributes: { QuietBoot: false } }],
  ['POST', `${system}/Bios/Actions/Bios.ResetBios`, {}],
  ['POST', `${system}/SecureBoot/Actions/SecureBoot.ResetKeys`, { ResetKeysType: 'ResetAllKeysToDefault' }],
  ['POST', `${system}/SecureBoot/SecureBootDatabases/db/Signatures`, digest],
  ['POST', `${vendor}.RestoreManufacturingDefaults`, {}],
  ['POST', `${vendor}.RestoreSystemDefaults`, {}],
  ['POST', `${vendor}.ServerSafeMode`, {}],
  ['POST', `${vendor}.ServerIntelligentDiagnosticsMode`, {}],
  ['POST', `${manager}/Actions/Oem/Vendor/VendorMgmt.ClearNVRAM`, {}]
]

const restarts: readonly [string, string, unknown][] = [
  ['POST', `${manager}/Actions/Manager.Reset`, { ResetType: 'ForceRestart' }],
  ['POST', `${manager}/Actions/Oem/Vendor/VendorMgmt.ResetToFactoryDefaults`, { ResetType: 'Default' }]
]

t.test('while a system is erased nothing else changes it, and answers name the task', async (t) => {
  const fixture = await opened(t)
  const { status, headers } = await fixture.ask('POST', `${vendor}.SecureSystemErase/`, {})
  t.equal(status, 202)
  const task = headers.location as string
  const again = ['POST', `${vendor}.SecureSystemErase`, {}] as const
  for (const [method, path, body] of [...powerOn, ...volumes, ...firmware, ...restarts, again]) {
    await refused(t, fixture, method, path, body, task, 'Secure erase of system 1')
  }
  for (const [path, body] of [
    ['/redfish/v1/Chassis/1/', { LocationIndicatorActive: true }],
    ['/redfish/v1/EventService/', { ServiceEnabled: true }]
  ] as const) {
    t.equal((await fixture.ask('PATCH', path, body)).status, 200, path)
  }
  t.equal(fixture.power.state, 'Off')
})

t.test('an erasure of user data leaves the settings and the controller to others', async (t) => {
  const fixture = await opened(t)
  const { headers } = await fixture.ask('POST', `${vendor}.SecureSystemErase/`, { SystemROMAndMgmtErase: false })
  for (const [method, path, body] of [...powerOn, ...volumes]) {
    await refused(t, fixture, method, path, body, headers.location as string, 'Secure erase of system 1')
  }
  t.equal((await fixture.ask('PATCH', `${system}/Bios/Settings/`, { Attributes: { QuietBoot: false } })).status, 200)
})

t.test('work on a drive owns its storage, and the power of a host that would use it', async (t) => {
  const fixture = await opened(t)
  const erase = (storage: string, drive: string) =>
    fixture.ask('POST', `${system}/Storage/${storage}/Drives/${drive}/Actions/Drive.SecureErase/`, {})
  const { headers } = await erase('slot3', '6')
  const task = headers.location as string
  for (const [method, path, body] of [
    ...volumes,
    ['POST', `${storage}/Drives/6/Actions/Drive.SecureErase`, {}],
    ['POST', `${storage}/Drives/1/Actions/Drive.Reset`, {}],
    ['POST', `${storage}/Volumes/1/Actions/Volume.CheckConsistency`, {}]
  ] as const)
    await refused(t, fixture, method, path, body, task, 'Secure erase of drive 6 of storage slot3')
  const other = await erase('nvme', '1')
  t.equal(other.status, 202, 'another storage is free')
  for (const [method, path, body] of powerOn)
    await refused(
      t,
      fixture,
      method,
      path,
      body,
      other.headers.location as string,
      'Secure erase of drive 1 of storage nvme'
    )
})

t.test('a host may be switched on while a drive that it does not see is erased', async (t) => {
  const fixture = await opened(t)
  t.equal((await fixture.ask('POST', `${storage}/Drives/6/Actions/Drive.SecureErase/`, {})).status, 202)
  const on = watch(fixture.power).next('On')
  t.equal((await fixture.ask('POST', `${system}/Actions/ComputerSystem.Reset/`, { ResetType: 'On' })).status, 200)
  await on
})

const image = (component: 'bios' | 'controller') =>
  updateFile(
    sim.updateKey,
    { board: 'sim', component, version: '9.1' },
    { kernel: new Uint8Array(200_000), rofs: new Uint8Array(100) }
  )

/** An update whose image is written until the test ends. */
async function written(t: Test, fixture: Fixture, kind: 'bios' | 'controller') {
  const component = fixture.firmware[kind === 'bios' ? 'BIOS-1' : 'Manager-1']!
  const write = component.write.bind(component)
  const ended = new Promise<void>((resolve) => t.teardown(() => resolve()))
  const begun = new Promise<void>((resolve) => {
    component.write = async (manifest) => {
      resolve()
      await ended
      return write(manifest)
    }
  })
  const headers = { 'content-type': 'application/octet-stream', ...as('admin', password) }
  const pushed = await fixture.send('POST', update, image(kind), headers)
  await begun
  return { task: pushed.headers.location as string, name: pushed.json.Name as string, headers }
}

t.test('while a BIOS is written its host stays off, is not erased, and has no other update', async (t) => {
  const fixture = await opened(t)
  const { task, name, headers } = await written(t, fixture, 'bios')
  for (const [method, path, body] of [...powerOn, ['POST', `${vendor}.SecureSystemErase`, {}] as const]) {
    await refused(t, fixture, method, path, body, task, name)
  }
  const second = await fixture.send('POST', update, image('bios'), headers)
  t.match(second.json.error['@Message.ExtendedInfo'], [{ MessageId: /InUseByTask$/, MessageArgs: [task, name] }])
  t.equal((await fixture.ask('POST', `${storage}/Volumes/`, { RAIDType: 'RAID0', ...drives })).status, 201)
})

t.test('while the image of a controller is written it may be reset, and has no other update', async (t) => {
  const fixture = await opened(t)
  const { task, name, headers } = await written(t, fixture, 'controller')
  const second = await fixture.send('POST', update, image('controller'), headers)
  t.match(second.json.error['@Message.ExtendedInfo'], [{ MessageId: /InUseByTask$/, MessageArgs: [task, name] }])
  const reset = await fixture.ask('POST', '/redfish/v1/Managers/1/Actions/Manager.Reset/', {
    ResetType: 'ForceRestart'
  })
  t.equal(reset.status, 200)
  t.equal((await fixture.ask('POST', `${system}/Actions/ComputerSystem.Reset/`, { ResetType: 'On' })).status, 200)
})

t.test('an update that would restart the controller waits until nothing is erased', async (t) => {
  const fixture = await opened(t)
  const { store } = fixture.service
  const stage = async (id: string, wanted: string) => {
    const isThere = () => store.get('update', id)?.stage === wanted
    while (!isThere()) await new Promise<void>((resolve) => store.on('update', () => resolve()))
  }
  const wait = { '@Redfish.OperationApplyTime': 'OnStartUpdateRequest' }
  const head = (name: string) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n`
  const parameters = Buffer.from(`${head('UpdateParameters')}${JSON.stringify(wait)}\r\n${head('UpdateFile')}`)
  const form = Buffer.concat([parameters, image('controller'), Buffer.from('\r\n--b--\r\n')])
  const headers = { 'content-type': 'multipart/form-data; boundary=b', ...as('admin', password) }
  const pushed = await fixture.send('POST', '/redfish/v1/UpdateService/update-multipart/', form, headers)
  const id = idOf(pushed)
  await stage(id, 'Written')
  const erasure = idOf(await fixture.ask('POST', `${vendor}.SecureSystemErase/`, {}))
  const started = await fixture.ask('POST', '/redfish/v1/UpdateService/Actions/UpdateService.StartUpdate/', {})
  t.equal(started.status, 200)
  const { next, running } = fixture.firmware['Manager-1']!.state
  t.equal(next, running, 'it is not to start from the image yet')
  await store.commit({ task: { [erasure]: { state: 'Completed', endedAt: new Date().toISOString() } } })
  await stage(id, 'Resetting')
})

const idOf = ({ headers }: Answer) => String(headers.location).split('/').at(-2) as string
