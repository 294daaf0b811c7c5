import { onBothHosts } from './every-host.ts'
import { messagesOf } from './messages-of.ts'
import { type Server, start } from './server.ts'

const storage = '/redfish/v1/Systems/1/Storage/slot3/'
const log = '/redfish/v1/Systems/1/LogServices/SystemLog/Entries/'

async function ended(server: Server, task: string) {
  const { json } = await server.until(
    () => server.get(task),
    ({ json }) => json.TaskState === 'Completed'
  )
  return json
}

onBothHosts(async (t, host) => {
  t.test('a drive is erased alone, which continues after the service is killed during it', async (t) => {
    const before = await start(t, host, { configuration: { eraseTime: 0.3 } })
    const erase = (drive: number) =>
      before.post(`${storage}Drives/${drive}/Actions/Drive.SecureErase/`, { SanitizationType: 'CryptographicErase' })
    const used = await erase(1)
    t.same([used.status, messagesOf(used)], [409, ['Base.ResourceInUse()']])
    const { status, headers } = await erase(6)
    t.equal(status, 202)
    const task = String(headers.location)
    const { json } = await before.until(
      () => before.get(task),
      ({ json }) => json.PercentComplete > 0
    )
    t.equal(json.PercentComplete % 25, 0)
    t.equal((await before.delete(`${storage}Volumes/1/`)).status, 409, 'the task owns the storage')
    await before.kill()
    const after = await start(t, host, { data: before.data, configuration: { eraseTime: 0.05 } })
    t.match(await ended(after, task), { PercentComplete: 100, TaskStatus: 'OK' })
    const entries = (await after.get(log)).json.Members as { MessageId: string; MessageArgs: string[] }[]
    t.same(entries.find(({ MessageId }) => MessageId.endsWith('.DriveErased'))?.MessageArgs, ['6', 'slot3'])
    t.equal((await after.delete(`${storage}Volumes/1/`)).status, 200, 'the storage is free')
  })

  t.test('a drive is reset, but not while its storage is rebuilt, checked or erased', async (t) => {
    const server = await start(t, host, { configuration: { eraseTime: 0.3 } })
    const drive = `${storage}Drives/1/`
    const reset = () => server.post(`${drive}Actions/Drive.Reset/`, { ResetType: 'PowerCycle' })
    const check = await server.post(`${storage}Volumes/2/Actions/Volume.CheckConsistency/`, {})
    const early = await reset()
    t.equal(early.status, 409)
    t.match(messagesOf(early).join(), 'Consistency check of volume 2', 'the task is named')
    await ended(server, String(check.headers.location))
    const { status, headers } = await reset()
    t.equal(status, 202)
    t.match((await server.get(drive)).json.Status, { State: 'Starting' })
    t.match(await ended(server, String(headers.location)), { TaskStatus: 'OK' })
    t.match((await server.get(drive)).json.Status, { State: 'Enabled', Health: 'OK' })
    const entries = (await server.get(log)).json.Members as { MessageId: string; MessageArgs: string[] }[]
    t.same(entries.find(({ MessageId }) => MessageId.endsWith('.DriveReset'))?.MessageArgs, ['1', 'slot3'])
  })

  t.test('a volume is checked while the host runs, and initialized while it is off', async (t) => {
    const server = await start(t, host, { configuration: { eraseTime: 0.05 } })
    const check = await server.post(`${storage}Volumes/2/Actions/Volume.CheckConsistency/`, {})
    await ended(server, String(check.headers.location))
    const initialize = () => server.post(`${storage}Volumes/2/Actions/Volume.Initialize/`, { InitializeType: 'Slow' })
    const early = await initialize()
    t.same([early.status, messagesOf(early)], [409, ['Mgmt.SystemPowerOffRequired()']])
    await server.post('/redfish/v1/Systems/1/Actions/ComputerSystem.Reset/', { ResetType: 'ForceOff' })
    await server.until(
      () => server.get('/redfish/v1/Systems/1/'),
      ({ json }) => json.PowerState === 'Off'
    )
    await ended(server, String((await initialize()).headers.location))
    t.equal((await server.get(`${storage}Volumes/2/`)).json.Name, 'Data', 'the volume is still there')
  })
})
