import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onEveryHost } from './every-host.ts'
import { directory, start } from './server.ts'

const system = '/redfish/v1/Systems/1/'
const manager = '/redfish/v1/Managers/1/'

/** Turns a bit in the middle of a file over. */
function flip(file: string): void {
  const bytes = readFileSync(file)
  bytes[bytes.length >> 1]! ^= 1
  writeFileSync(file, bytes)
}

/** A file of the store by the beginning or the end of its name. */
function inStore(data: string, pattern: RegExp): string {
  const name = readdirSync(join(data, 'store')).find((each) => pattern.test(each))
  if (name === undefined) throw new Error(`no ${pattern} in the store`)
  return join(data, 'store', name)
}

const damages: Readonly<Record<string, { part: string; file: (data: string) => string; source: string }>> = {
  CURRENT: { part: 'Store', file: (data) => inStore(data, /^CURRENT$/), source: 'Rest' },
  'a manifest': { part: 'Store', file: (data) => inStore(data, /^MANIFEST/), source: 'Copy' },
  'a table': { part: 'Store', file: (data) => inStore(data, /\.ldb$/), source: 'Copy' },
  'the key of sealed secrets': { part: 'SecretsKey', file: (data) => join(data, 'keys/secrets.key'), source: 'Copy' },
  'the key of the server': { part: 'ServerKey', file: (data) => join(data, 'tls/server.pem'), source: 'New' }
}

onEveryHost(async (t, host) => {
  t.test('whatever file is damaged, the service serves, and says what it lost', async (t) => {
    const data = directory(t)
    let server = await start(t, host, { data })
    t.equal((await server.patch(system, { AssetTag: 'rack 7' })).status, 200)
    await server.stop()
    // The second start puts what is in the log into a table.
    server = await start(t, host, { data })
    await server.stop()
    for (const [name, { part, file, source }] of Object.entries(damages)) {
      const damaged = file(data)
      if (name === 'the key of the server') writeFileSync(damaged, readFileSync(damaged, 'utf8').slice(40))
      else flip(damaged)
      server = await start(t, host, { data })
      t.equal((await server.get(system)).json.AssetTag, 'rack 7', name)
      const recoveries = (await server.get(manager)).json.Oem.Vendor.StateRecoveries
      const [said] = recoveries.filter(({ Part }: { Part: string }) => Part === part)
      t.match(said, { Part: part, Source: source, RecoveredAt: /^\d{4}-/ }, name)
      t.notMatch(said?.Cause, data, 'the cause names no directory')
      if (part === 'Store') t.match(said?.AsOf, /^\d{4}-/, 'and how old the state is')
      const log = await server.get(`${manager}LogServices/EventLog/Entries/?$expand=.`)
      t.match(log.text, /StateRecovered/, 'an event says so')
      t.equal(server.process.stderr.filter((line) => line.includes('stored state was damaged')).length, 1, 'and a line')
      t.equal((await server.patch(system, { AssetTag: 'rack 7' })).status, 200)
      t.equal(await server.stop(), 0)

      server = await start(t, host, { data })
      t.same(
        server.process.stderr.filter((line) => line.includes('damaged')),
        [],
        `${name}: the next start is well`
      )
      await server.stop()
    }
    t.ok(existsSync(join(data, 'store.damaged')), 'the damaged store was set aside')
    t.ok(existsSync(join(data, 'tls/damaged.pem')))
  })
}, 90)
