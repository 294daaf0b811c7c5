import { onBothHosts } from './every-host.ts'
import { messagesOf } from './messages-of.ts'
import { admin, anonymous, password, start } from './server.ts'

const root = '/redfish/v1'

onBothHosts(async (t, host) => {
  const server = await start(t, host)

  t.test('an account has a number, and a name for people', async (t) => {
    const accounts = `${root}/AccountService/Accounts/`
    const made = { Password: 'Green-Door-4', RoleId: 'ReadOnly' }
    const Oem = { Vendor: { LoginName: 'Ann of the night shift' } }
    t.equal((await server.post(accounts, { ...made, UserName: 'ann', Oem })).status, 201)
    t.equal((await server.post(accounts, { ...made, UserName: 'bob' })).status, 201)
    const shown = async (name: string) => (await server.get(`${accounts}${name}/`)).json.Oem.Vendor
    t.match(await shown('admin'), { Id: 1, LoginName: 'admin' })
    t.match(await shown('ann'), { Id: 2, LoginName: 'Ann of the night shift' })
    t.match(await shown('bob'), { Id: 3, LoginName: 'bob' })
    t.equal((await server.patch(`${accounts}bob/`, { Oem: { Vendor: { LoginName: 'Bob' } } })).status, 200)
    t.match(await shown('bob'), { Id: 3, LoginName: 'Bob' })
    t.equal((await server.delete(`${accounts}ann/`)).status, 200)
    t.match(await shown('bob'), { Id: 3 })
    const refused = await server.patch(`${accounts}bob/`, { Oem: { Vendor: { Id: 7 } } })
    t.same(messagesOf(refused), ['Base.PropertyNotWritable(Id)'])
  })

  t.test('the boot order is found with its current and its pending settings, which take a new order', async (t) => {
    const { Boot } = (await server.get(`${root}/Systems/1/Bios/`)).json.Links.Oem.Vendor
    const current = (await server.get(Boot['@odata.id'])).json
    t.match(current, { Name: 'Boot Order Current Settings', BootSources: [{ UEFIDevicePath: String }] })
    const settings = current['@Redfish.Settings'].SettingsObject['@odata.id']
    t.equal(settings, `${Boot['@odata.id']}Settings/`)
    const pending = await server.get(settings)
    t.equal(pending.json.Name, 'Boot Order Pending Settings')
    const order = pending.json.PersistentBootConfigOrder.toReversed()
    const match = { 'if-match': String(pending.headers.etag) }
    const patched = await server.patch(settings, { PersistentBootConfigOrder: order }, { ...admin, ...match })
    t.equal(patched.status, 200)
    for (const path of [settings, Boot['@odata.id']])
      t.same((await server.get(path)).json.PersistentBootConfigOrder, order)
    t.equal((await server.patch(settings, { PersistentBootConfigOrder: ['HD.Emb.9.9'] })).status, 400)
  })

  t.test('a system shows the progress of its firmware', async (t) => {
    const state = async () => (await server.get(`${root}/Systems/1/`)).json.Oem.Vendor.PostState
    const reset = (ResetType: string) => server.post(`${root}/Systems/1/Actions/ComputerSystem.Reset`, { ResetType })
    const power = (wanted: string) =>
      server.until(
        () => server.get(`${root}/Systems/1/`),
        ({ json }) => json.PowerState === wanted
      )
    t.equal(await state(), 'FinishedPost')
    await reset('ForceOff')
    await power('Off')
    t.equal(await state(), 'PowerOff')
    await reset('On')
    await power('On')
    t.equal(await state(), 'FinishedPost')
  })

  t.test('the event log is found under the vendor’s name as well', async (t) => {
    const { Members, Oem } = (await server.get(`${root}/Managers/1/LogServices/`)).json
    const own = Oem.Vendor.Links.EventLog['@odata.id']
    t.equal(own, `${root}/Managers/1/LogServices/MgmtEventLog/`)
    const ids = async (log: string) =>
      (await server.get(`${log}Entries/`)).json.Members.map(({ Id }: { Id: string }) => Id)
    t.same(await ids(own), await ids(Members[0]['@odata.id']))
    const { Name, Actions } = (await server.get(own)).json
    t.equal(Name, 'Mgmt Event Log')
    t.equal((await server.post(Actions['#LogService.ClearLog'].target, {})).status, 200)
    t.match(await ids(Members[0]['@odata.id']), { length: 1 })
    t.equal((await server.get(`${root}/Systems/1/LogServices/MgmtEventLog/`)).status, 404)
  })

  t.test('sessions are found at the root as well, and are the same', async (t) => {
    t.equal((await server.get(`${root}/Sessions`)).headers.location, `${root}/Sessions/`)
    t.equal((await server.get(`${root}/Sessions/`, anonymous)).status, 401)
    const login = await server.post(`${root}/Sessions/`, { UserName: 'admin', Password: password }, anonymous)
    t.equal(login.status, 201)
    const location = String(login.headers.location)
    t.match(location, /^\/redfish\/v1\/SessionService\/Sessions\/admin-\w+\/$/)
    const [collection, alias] = await Promise.all(
      [`${root}/SessionService/Sessions/`, `${root}/Sessions/`].map((path) => server.get(path))
    )
    t.equal(alias?.text, collection?.text)
    const session = location.replace('/SessionService', '')
    t.equal((await server.get(session)).json['@odata.id'], location)
    t.equal((await server.delete(session)).status, 200)
    t.equal((await server.get(location)).status, 404)
  })

  t.test('a caller with HTTP Basic finds the own session', async (t) => {
    const { Members, Oem } = (await server.get(`${root}/SessionService/Sessions/`)).json
    t.same(Members, [])
    const { json } = await server.get(Oem.Vendor.Links.MySession['@odata.id'])
    t.match(json, { UserName: 'admin', Oem: { Vendor: { MySession: true, Privileges: { UserConfigPriv: true } } } })
    const other = { authorization: `Basic ${btoa('bob:Green-Door-4')}` }
    t.equal((await server.get(json['@odata.id'], other)).status, 404)
    const { token } = await server.login()
    t.equal((await server.get(json['@odata.id'], token)).status, 404)
  })
})
