import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { TestBus } from '#test/hal/dbus/buses.ts'
import { openbmcBoard, policy } from '#test/openbmc/board.ts'
import { OpenbmcSimulator } from '#test/openbmc/simulator.ts'
import { EventSource } from './event-source.ts'
import { onBothHosts } from './every-host.ts'
import type { Host } from './hosts.ts'
import { messagesOf } from './messages-of.ts'
import { anonymous, directory, type Json, start } from './server.ts'

const ofManager = '/redfish/v1/Managers/1/LogServices/Dump/'
const ofSystem = '/redfish/v1/Systems/1/LogServices/Dump/'
const collect = (log: string) => `${log}Actions/LogService.CollectDiagnosticData/`
const root = '/xyz/openbmc_project/dump'

async function started(t: Test, host: Host, options: Parameters<typeof OpenbmcSimulator.start>[2] = {}) {
  const bus = await TestBus.start(t, 'dbus-daemon', policy())
  const daemons = await OpenbmcSimulator.start(t, bus, options)
  const board = join(directory(t), 'board.json')
  writeFileSync(board, JSON.stringify(openbmcBoard(bus.socket)))
  const server = await start(t, host, { args: ['--board', board] })
  const until = (path: string, expected: (answer: { status: number; json: Json }) => boolean) =>
    server.until(() => server.get(path), expected)
  /** Waits for the end of a task. */
  const ended = async ({ headers }: { headers: Record<string, unknown> }) => {
    const task = new URL(String(headers.location), 'https://bmc').pathname.replace('TaskMonitors', 'Tasks')
    await until(task, ({ json }) => json.EndTime !== undefined)
    return (await server.get(task)).json
  }
  const ids = async (log: string) => (await server.get(`${log}Entries/`)).json.Members.map(({ Id }: Json) => Id)
  return { bus, daemons, server, until, ended, ids }
}

onBothHosts(async (t, host) => {
  await t.test('a client collects dumps of controller and host, reads and removes them', async (t) => {
    const { daemons, server, until, ended, ids } = await started(t, host)
    await until(ofManager, ({ json }) => json.Status?.State === 'Enabled')
    const events = await EventSource.open(t, server)
    const offer = async (log: string) => (await server.get(log)).json.Actions['#LogService.CollectDiagnosticData']
    t.match(await offer(ofManager), {
      target: collect(ofManager),
      'DiagnosticDataType@Redfish.AllowableValues': ['Manager']
    })
    t.match(await offer(ofSystem), {
      'DiagnosticDataType@Redfish.AllowableValues': ['OEM'],
      'OEMDiagnosticDataType@Redfish.AllowableValues': ['System']
    })
    const begun = await server.post(collect(ofManager), { DiagnosticDataType: 'Manager' })
    t.equal(begun.status, 202)
    t.match(await ended(begun), { TaskState: 'Completed', Name: 'Dump of manager 1: 1' })
    for (;;) {
      const { MessageId, OriginOfCondition } = (await events.next())?.data.Events[0] ?? {}
      if (/ResourceCreated$/.test(MessageId) && OriginOfCondition['@odata.id'] === `${ofManager}Entries/1/`) break
    }
    const { json } = await server.get(`${ofManager}Entries/1/`)
    t.match(json, { DiagnosticDataType: 'Manager', EntryType: 'Event', Severity: 'OK' })
    t.equal(json.AdditionalDataURI, `${ofManager}Entries/1/Dump`)
    const content = `dump ${root}/bmc/entry/1\n`.repeat(100)
    const { text, headers } = await server.get(json.AdditionalDataURI)
    t.same([text.length, text === content], [json.AdditionalDataSizeBytes, true])
    t.equal(headers['content-type'], 'application/octet-stream')
    t.equal((await server.get(json.AdditionalDataURI, anonymous)).status, 401)
    t.equal((await server.get(`${ofManager}Entries/9/Dump`)).status, 404)

    const system = { DiagnosticDataType: 'OEM', OEMDiagnosticDataType: 'System' }
    t.match(await ended(await server.post(collect(ofSystem), system)), { TaskState: 'Completed' })
    const [id] = await ids(ofSystem)
    t.match((await server.get(`${ofSystem}Entries/${id}/`)).json, system)
    for (const [log, wish, refusal] of [
      [ofManager, system, 'ActionParameterValueNotInList'],
      [ofSystem, { DiagnosticDataType: 'Manager' }, 'ActionParameterValueNotInList'],
      [ofSystem, { DiagnosticDataType: 'OEM' }, 'ActionParameterMissing'],
      [ofManager, { ...system, DiagnosticDataType: 'Manager' }, 'ActionParameterNotSupported']
    ] as const) {
      const refused = await server.post(collect(log), wish)
      t.equal(refused.status, 400)
      t.match(messagesOf(refused)[0], refusal)
    }

    t.match(await ended(await server.post(collect(ofManager), { DiagnosticDataType: 'Manager' })), {
      TaskState: 'Completed'
    })
    t.equal((await server.patch(`${ofManager}Entries/1/`, { Resolved: true })).status, 405)
    t.equal((await server.delete(`${ofManager}Entries/1/`)).status, 200)
    t.same((await ids(ofManager)).length, 1)
    t.equal((await server.post(`${ofManager}Actions/LogService.ClearLog/`, {})).status, 200)
    t.same(await ids(ofManager), [])
    t.same(await ids(ofSystem), [id], 'the other dumps stay')
    await t.rejects(daemons.get(`${root}/bmc/entry/1`, 'Dump.Entry', 'Size'))
  })

  await t.test('a dump that fails is a failed task, and without the daemon nothing is changed', async (t) => {
    const { daemons, server, until, ended, ids } = await started(t, host, { without: ['Dump.Manager'] })
    t.equal((await server.get(`${ofManager}Entries/`)).status, 503)
    const wish = { DiagnosticDataType: 'Manager' }
    t.match(await ended(await server.post(collect(ofManager), wish)), { TaskState: 'Exception' })
    await daemons.start('Dump.Manager')
    await until(ofManager, ({ json }) => json.Status?.State === 'Enabled')
    await daemons.fail(`${root}/bmc`, 'Dump.Create', 'CreateDump', 'Dump.Create.Error.QuotaExceeded')
    t.match(await ended(await server.post(collect(ofManager), wish)), { TaskState: 'Exception' })
    await daemons.fail(`${root}/bmc`, 'Dump.Create', 'CreateDump', null)
    t.match(await ended(await server.post(collect(ofManager), wish)), { TaskState: 'Completed' })
    const [id] = await ids(ofManager)
    await daemons.add('Dump.Manager', `${root}/bmc/entry/77`, {
      'Dump.Entry': {},
      'Common.Progress': { Status: 'Failed' }
    })
    await until(`${ofManager}Entries/77/`, ({ status, json }) => status === 200 && json.Severity === 'Warning')
    t.notOk('AdditionalDataURI' in (await server.get(`${ofManager}Entries/77/`)).json)
    t.equal((await server.get(`${ofManager}Entries/77/Dump`)).status, 404)
    await daemons.kill('Dump.Manager')
    await until(ofManager, ({ json }) => json.Status?.State === 'UnavailableOffline')
    t.same(await ids(ofManager), [id, '77'])
    t.equal((await server.delete(`${ofManager}Entries/${id}/`)).status, 503)
    t.equal((await server.get(`${ofManager}Entries/${id}/Dump`)).status, 503)
  })
})
