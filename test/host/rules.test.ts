import { onBothHosts } from './every-host.ts'
import { messagesOf } from './messages-of.ts'
import { password, start } from './server.ts'

onBothHosts(async (t, host) => {
  const server = await start(t, host)

  t.test('properties are accepted in any order', async (t) => {
    const sessions = '/redfish/v1/SessionService/Sessions'
    for (const body of [
      { UserName: 'admin', Password: password },
      { Password: password, UserName: 'admin' }
    ]) {
      t.equal((await server.post(sessions, JSON.stringify(body), {})).status, 201)
    }
  })

  t.test('a method that Allow does not name is 405, and changes nothing', async (t) => {
    for (const path of [
      '/redfish/v1/',
      '/redfish/v1/Chassis/',
      '/redfish/v1/Chassis/1/',
      '/redfish/v1/Systems/1/Bios/'
    ]) {
      const { headers, text } = await server.get(path)
      const allowed = String(headers.allow).split(', ')
      t.ok(allowed.includes('GET') && allowed.includes('HEAD'), path)
      for (const method of ['POST', 'PUT', 'DELETE'].filter((each) => !allowed.includes(each))) {
        const answer = await server.request(method, path, undefined, {})
        t.same(
          [answer.status, messagesOf(answer), answer.headers.allow],
          [405, ['Base.OperationNotAllowed()'], headers.allow]
        )
      }
      if (path !== '/redfish/v1/') t.equal((await server.get(path)).text, text)
    }
  })

  t.test('the standby supply is interrupted at once when the server is off, and the controller with it', async (t) => {
    const own = await start(t, host)
    const system = () => own.get('/redfish/v1/Systems/1/')
    const actions = '/redfish/v1/Systems/1/Actions/'
    t.equal((await own.post(`${actions}ComputerSystem.Reset/`, { ResetType: 'ForceOff' })).status, 200)
    await own.until(system, ({ json }) => json.PowerState === 'Off')
    const connection = await own.connect()
    const reset = `${actions}Oem/Vendor/VendorComputerSystemExt.SystemReset/`
    const answer = await own.post(reset, { ResetType: 'AuxCycle' })
    t.same([answer.status, messagesOf(answer)], [200, ['Mgmt.ResetInProgress()']])
    await connection.closed
    await own.until(system, ({ status }) => status === 200)
    t.equal(await own.stop(), 0)
  })

  t.test('a volume is deleted, and its drives are free', async (t) => {
    const storage = '/redfish/v1/Systems/1/Storage/slot3/'
    const { Members } = (await server.get(`${storage}Volumes/`)).json
    const path = Members[0]['@odata.id']
    const drives = (await server.get(path)).json.Links.Drives.map((each: { '@odata.id': string }) => each['@odata.id'])
    t.ok(drives.length > 0)
    t.equal((await server.delete(path)).status, 200)
    t.equal((await server.get(path)).status, 404)
    for (const drive of drives) {
      const { Volumes } = (await server.get(drive)).json.Links
      t.notOk(
        Volumes.some((each: { '@odata.id': string }) => each['@odata.id'] === path),
        drive
      )
    }
  })
})
