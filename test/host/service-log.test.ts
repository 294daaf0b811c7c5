import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { onBothHosts } from './every-host.ts'
import { directory, type Server, start } from './server.ts'

const collect = '/redfish/v1/Managers/1/LogServices/EventLog/Actions/LogService.CollectDiagnosticData/'

/** The lines of a first start. */
const begun = ['the first administrator was created', 'listening']

async function serviceLog(server: Server): Promise<string[]> {
  const { headers } = await server.post(collect, { DiagnosticDataType: 'Manager' })
  const { ServiceLog } = (await server.get(`${headers.location}Attachment`)).json
  const messages: string[] = ServiceLog.map((line: string) => JSON.parse(line).message)
  // An emulated processor cannot.
  return messages.filter((message) => message !== 'the kernel does not filter system calls')
}

onBothHosts(async (t, host) => {
  t.test('the last lines of the log outlive a stop', async (t) => {
    const data = directory(t)
    const first = await start(t, host, { data })
    t.same(await serviceLog(first), begun)
    await first.stop()
    const second = await start(t, host, { data })
    t.same(await serviceLog(second), [...begun, 'stopping', 'listening'])
  })

  t.test('they outlive a process that is killed, up to the last time that they were written down', async (t) => {
    const data = directory(t)
    const configuration = { logSaveEvery: 0.1 }
    const first = await start(t, host, { data, configuration })
    const file = join(data, 'service.log')
    await first.until(
      () => first.get('/redfish/v1/'),
      () => readFileSync(file, 'utf8').includes('"listening"')
    )
    await first.kill()
    t.same(await serviceLog(await start(t, host, { data, configuration })), [...begun, 'listening'])
  })

  t.test('a reset to factory defaults removes them', async (t) => {
    const data = directory(t)
    const first = await start(t, host, { data })
    await first.stop()
    const second = await start(t, host, { data })
    const reset = '/redfish/v1/Managers/1/Actions/Oem/Vendor/VendorMgmt.ResetToFactoryDefaults/'
    const done = 'the work that waited for a reset of the controller is complete'
    t.equal((await second.post(reset, { ResetType: 'Default' })).status, 200)
    await second.until(
      () => second.get('/redfish/v1/'),
      () => second.process.stderr.some((line) => line.includes(done))
    )
    t.equal((await serviceLog(second))[0], done)
    t.notOk(existsSync(join(data, 'service.log')))
  })
})
