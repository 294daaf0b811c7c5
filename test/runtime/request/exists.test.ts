import t from 'tap'
import { withoutVariables } from '#test/data/board/without-variables.ts'
import { type Fixture, keys, openFixture } from '#test/runtime/service.ts'

const system = '/redfish/v1/Systems/1/'
const manager = '/redfish/v1/Managers/1/'
const clear = `${manager}Actions/Oem/Vendor/VendorMgmt.ClearNVRAM/`
const restore = `${system}Actions/Oem/Vendor/VendorComputerSystemExt.RestoreSystemDefaults/`

/** The paths that depend on the variables of a system, each with its methods. */
const absent = {
  [`${system}Bios/`]: ['GET', 'PATCH'],
  [`${system}Bios/Settings/`]: ['GET', 'PATCH', 'POST', 'PUT'],
  [`${system}Bios/Actions/Bios.ChangePassword/`]: ['POST'],
  [`${system}Bios/Actions/Bios.ResetBios/`]: ['POST'],
  [`${system}Bios/Oem/Vendor/BaseConfigs/`]: ['GET'],
  [`${system}Bios/Oem/Vendor/BaseConfigs/default.user/`]: ['GET', 'PATCH'],
  [`${system}Bios/Oem/Vendor/Boot/`]: ['GET', 'PATCH'],
  [`${system}Bios/Oem/Vendor/Boot/Settings/`]: ['GET', 'PATCH'],
  [`${system}Bios/Oem/Vendor/Mappings/`]: ['GET'],
  [`${system}Boot/Certificates/`]: ['GET', 'POST'],
  [`${system}Boot/Certificates/1/`]: ['GET', 'DELETE'],
  [`${system}BootOptions/`]: ['GET'],
  [`${system}BootOptions/Boot0001/`]: ['GET'],
  [`${system}SecureBoot/`]: ['GET', 'PATCH'],
  [`${system}SecureBoot/Actions/SecureBoot.ResetKeys/`]: ['POST'],
  [`${system}SecureBoot/SecureBootDatabases/`]: ['GET'],
  [`${system}SecureBoot/SecureBootDatabases/db/`]: ['GET'],
  [`${system}SecureBoot/SecureBootDatabases/db/Actions/SecureBootDatabase.ResetKeys/`]: ['POST'],
  [`${system}SecureBoot/SecureBootDatabases/db/Certificates/`]: ['GET', 'POST'],
  [`${system}SecureBoot/SecureBootDatabases/db/Certificates/1/`]: ['GET', 'DELETE'],
  [`${system}SecureBoot/SecureBootDatabases/db/Signatures/`]: ['GET', 'POST'],
  [`${system}SecureBoot/SecureBootDatabases/db/Signatures/1/`]: ['GET', 'DELETE'],
  [clear]: ['POST'],
  [restore]: ['POST']
}

const open = (alter = withoutVariables) => openFixture(undefined, undefined, alter)

t.test('a system without variables has nothing of what is in them: no resource, and no action', async (t) => {
  const { ask, close } = await open()
  t.teardown(close)
  for (const [path, methods] of Object.entries(absent)) {
    for (const method of methods) {
      for (const body of method === 'GET' || method === 'DELETE' ? [undefined] : [{}, { Attributes: {} }, 'no JSON']) {
        const answer = await ask(method, path, body)
        t.equal(answer.status, 404, `${method} ${path} ${JSON.stringify(body)}`)
        t.same(keys(answer), ['Base.ResourceMissingAtURI'])
      }
    }
  }
})

t.test('one with variables has all of it', async (t) => {
  const { ask, close } = await open((board) => board)
  t.teardown(close)
  for (const [path, [method = '']] of Object.entries(absent)) {
    if (/\/1\/$/.test(path)) continue
    const { status } = await ask(method, path, method === 'GET' ? undefined : { NoSuchParameter: 1 })
    t.equal(status, method === 'GET' ? 200 : 400, path)
  }
})

t.test('nothing leads there: every link and every target of an action leads to something', async (t) => {
  const { ask, close } = await open()
  t.teardown(close)
  const found = await walked(ask)
  t.ok(found.size > 150, `${found.size} resources`)
  for (const path of Object.keys(absent)) t.notOk(found.has(path), path)
  const directory = (await ask('GET', '/redfish/v1/ResourceDirectory/')).text
  const expanded = (await ask('GET', '/redfish/v1/Systems/?$expand=*($levels=3)')).text
  t.notMatch((await ask('GET', '/redfish/v1/Registries/')).text, /Attribute/)
  t.notMatch(directory + expanded, /SecureBoot|BootOptions|\/Bios\/|ClearNVRAM|RestoreSystemDefaults/)
})

t.test('a resource that comes and goes is linked while it is there, also in answers that were cached', async (t) => {
  const { ask, close, service } = await openFixture()
  t.teardown(close)
  const present = async () => {
    const { json, headers } = await ask('GET', system)
    return { isLinked: 'Bios' in json, status: (await ask('GET', `${system}Bios/Settings/`)).status, tag: headers.etag }
  }
  const first = await present()
  t.match(first, { isLinked: true, status: 200 })
  const settings = service.store.get('biosCurrent', '1')!
  await service.store.commit({ biosCurrent: { 1: null } })
  const second = await present()
  t.match(second, { isLinked: false, status: 404 })
  t.not(second.tag, first.tag)
  await service.store.commit({ biosCurrent: { 1: settings } })
  t.match(await present(), { isLinked: true, status: 200 })
})

t.test('properties that are in the variables are absent, and unknown to a PATCH', async (t) => {
  const { ask, close } = await open()
  t.teardown(close)
  const { json } = await ask('GET', system)
  t.same(
    Object.keys(json.Boot)
      .filter((name) => /^[A-Z]/.test(name))
      .sort(),
    [
      'AutomaticRetryAttempts',
      'AutomaticRetryConfig',
      'AutomaticRetryConfig@Redfish.AllowableValues',
      'RemainingAutomaticRetryAttempts',
      'StopBootOnFault'
    ]
  )
  t.same(json.Boot['@Redfish.WriteableProperties'], [
    'AutomaticRetryAttempts',
    'AutomaticRetryConfig',
    'StopBootOnFault'
  ])
  for (const name of ['PowerMode', 'SecureBoot', 'Bios']) t.notOk(name in json, name)
  t.notOk('PendingNvramClear' in json.Oem.Vendor)
  for (const Boot of [
    { BootOrder: ['Boot0001'] },
    { BootSourceOverrideEnabled: 'Once' },
    { BootSourceOverrideMode: 'UEFI' },
    { BootSourceOverrideTarget: 'Pxe' },
    { HttpBootUri: null },
    { UefiTargetBootSourceOverride: null }
  ]) {
    const answer = await ask('PATCH', system, { Boot })
    t.same([answer.status, keys(answer)], [400, ['Base.PropertyUnknown']], JSON.stringify(Boot))
  }
  t.equal((await ask('PATCH', system, { Boot: { StopBootOnFault: 'AnyFault' } })).status, 200)
  const drive = `${manager}VirtualMedia/1/`
  t.notOk('BootOnNextServerReset' in (await ask('GET', drive)).json.Oem.Vendor)
  const next = await ask('PATCH', drive, { Oem: { Vendor: { BootOnNextServerReset: true } } })
  t.same([next.status, keys(next)], [400, ['Base.PropertyUnknown']])
})

t.test('the rest of the machine works, and boots', async (t) => {
  const fixture = await open()
  const { ask, close } = fixture
  t.teardown(close)
  t.equal((await ask('POST', `${system}Actions/Oem/Vendor/VendorComputerSystemExt.ServerSafeMode/`, {})).status, 200)
  t.equal((await ask('POST', `${system}Actions/ComputerSystem.Reset/`, { ResetType: 'ForceRestart' })).status, 200)
  await becomes(fixture, ({ BootMode, PendingBootMode }) => BootMode === 'SafeMode' && PendingBootMode === 'Normal')
  await ask('PATCH', system, { AssetTag: 'R7' })
  const defaults = `${system}Actions/Oem/Vendor/VendorComputerSystemExt.RestoreManufacturingDefaults/`
  const Privileges = { SystemRecoveryConfigPriv: true }
  await ask('PATCH', '/redfish/v1/AccountService/Accounts/admin/', {
    RoleId: 'Administrator',
    Oem: { Vendor: { Privileges } }
  })
  t.equal((await ask('POST', defaults, {})).status, 200)
  t.equal((await ask('GET', system)).json.AssetTag, '')
  await fixture.restart()
  t.equal((await ask('GET', system)).status, 200)
  t.same(fixture.service.store.keys('biosCurrent'), [])
  t.same(fixture.service.store.keys('biosPending'), [])
  t.same(fixture.service.store.keys('variable'), [])
})

/** Waits until the vendor's properties of the system are so. */
async function becomes({ ask }: Fixture, isSo: (vendor: Record<string, unknown>) => boolean): Promise<void> {
  for (let tries = 0; !isSo((await ask('GET', system)).json.Oem.Vendor); tries += 1) {
    if (tries === 2000) throw new Error('the system does not become so')
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** The paths of all that the service root leads to, each of which is there. */
async function walked(ask: Fixture['ask']): Promise<ReadonlySet<string>> {
  const found = new Set(['/redfish/v1/'])
  for (const uri of found) {
    const { status, text, headers } = await ask('GET', uri)
    t.equal(status, 200, uri)
    if (!headers['content-type']?.startsWith('application/json')) continue
    for (const [, link] of text.matchAll(/"@odata\.id":"([^"#]+\/)"/g)) found.add(link!)
    for (const [, target] of text.matchAll(/"target":"([^"]+)"/g)) {
      t.equal((await ask('GET', target!)).status, 405, target!)
    }
  }
  return found
}
