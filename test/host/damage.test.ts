import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onBothHosts } from './every-host.ts'
import { basic, directory, start } from './server.ts'

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

type Source = 'Rest' | 'Copy' | 'New'

/** Each damage, the part of the state that it hits, and the source that the service goes on with. */
const damages: Readonly<Record<string, [part: string, source: Source, damage: (data: string) => void]>> = {
  'a bit of a table': ['Store', 'Copy', (data) => flip(inStore(data, /\.ldb$/))],
  'a bit of CURRENT': ['Store', 'Rest', (data) => flip(inStore(data, /^CURRENT$/))],
  'a bit of a manifest': ['Store', 'Copy', (data) => flip(inStore(data, /^MANIFEST/))],
  'a manifest of garbage': ['Store', 'Copy', (data) => writeFileSync(inStore(data, /^MANIFEST/), randomBytes(4096))],
  'a log that is gone': ['Store', 'Copy', (data) => rmSync(inStore(data, /\.log$/))],
  'all of the store': ['Store', 'Copy', (data) => rmSync(join(data, 'store'), { recursive: true })],
  'the key of sealed secrets': ['SecretsKey', 'Copy', (data) => flip(join(data, 'keys/secrets.key'))],
  'all keys of sealed secrets': ['SecretsKey', 'New', (data) => rmSync(join(data, 'keys'), { recursive: true })],
  'a bit of the key of the server': ['ServerKey', 'New', (data) => flip(join(data, 'tls/server.pem'))],
  'an invalid key of the server': ['ServerKey', 'New', (data) => writeFileSync(join(data, 'tls/server.pem'), 'rust')],
  'a key of the server that is gone': ['ServerKey', 'New', (data) => rmSync(join(data, 'tls/server.pem'))]
}

onBothHosts(async (t, host) => {
  t.test('with any damaged file, the service starts and reports its losses', async (t) => {
    const data = directory(t)
    let server = await start(t, host, { data })
    t.equal((await server.patch(system, { AssetTag: 'rack' })).status, 200)
    await server.stop()
    // The second start puts what is in the log into a table.
    server = await start(t, host, { data })
    let tag = 'rack'
    for (const [name, [part, source, damage]] of Object.entries(damages)) {
      await server.stop()
      damage(data)
      server = await start(t, host, { data })
      t.equal((await server.get(system)).json.AssetTag, tag, name)
      const recoveries = (await server.get(manager)).json.Oem.Vendor.StateRecoveries
      const [said] = recoveries.filter(({ Part }: { Part: string }) => Part === part)
      t.match(said, { Part: part, Source: source, RecoveredAt: /^\d{4}-/ }, name)
      t.notMatch(said?.Cause, data, 'the cause names no directory')
      if (part === 'Store') t.match(said?.AsOf, /^\d{4}-/, 'and how old the state is')
      const log = await server.get(`${manager}LogServices/EventLog/Entries/?$expand=.`)
      t.match(log.text, /StateRecovered/, 'an event says so')
      const lines = server.process.stderr.filter((line) => line.includes('stored state was damaged'))
      t.equal(lines.length, 1, 'and one line: the damage before is mended')
      tag = name.slice(0, 32)
      t.equal((await server.patch(system, { AssetTag: tag })).status, 200)
    }
    t.equal(await server.stop(), 0)
    t.ok(existsSync(join(data, 'store.damaged')), 'the damaged store was set aside')
    t.ok(existsSync(join(data, 'tls/damaged.pem')))
  })

  t.test('after its file system was erased it starts empty, and reports it once', async (t) => {
    const data = directory(t)
    // As the init process of a controller leaves it.
    const loss = { cause: 'the data partition is damaged', source: 'New' }
    writeFileSync(join(data, 'store.loss'), `${JSON.stringify(loss)}\n`)
    const server = await start(t, host, { data })
    const { StateRecoveries } = (await server.get(manager)).json.Oem.Vendor
    t.match(StateRecoveries, [{ Part: 'Store', Source: 'New', Cause: 'the data partition is damaged', AsOf: null }])
    t.match((await server.get(`${manager}LogServices/EventLog/Entries/?$expand=.`)).text, /StateRecovered/)
    await server.stop()
    const again = await start(t, host, { data })
    await again.stop()
    const lines = [server, again].flatMap(({ process }) => process.stderr.filter((line) => /was damaged/.test(line)))
    t.equal(lines.length, 1)
  })

  t.test('a log that lost its content is detected', async (t) => {
    const data = directory(t)
    const first = await start(t, host, { data })
    t.equal((await first.patch(system, { AssetTag: 'first' })).status, 200)
    await first.stop()
    const second = await start(t, host, { data })
    t.equal((await second.patch(system, { AssetTag: 'second' })).status, 200)
    await second.kill()
    truncateSync(inStore(data, /\.log$/))
    const third = await start(t, host, { data })
    t.equal((await third.get(system)).json.AssetTag, 'first')
    const { StateRecoveries } = (await third.get(manager)).json.Oem.Vendor
    t.match(StateRecoveries, [{ Part: 'Store', Source: 'Rest', Cause: /^store lacks its \d+ newest changes$/ }])
  })

  t.test('the given password of the first administrator changes no account', async (t) => {
    const first = await start(t, host)
    await first.stop()
    const again = await start(t, host, { data: first.data, env: { MINNOW_ADMIN_PASSWORD: 'Iron-Bridge-5' } })
    t.equal((await again.get(manager, basic('admin', 'Iron-Bridge-5'))).status, 401)
    t.equal((await again.get(manager)).status, 200)
  })

  t.test('after a loss of all accounts the configured password is ignored until proof of presence', async (t) => {
    const options = { data: directory(t), configuration: { presenceAfterLoss: true } }
    const first = await start(t, host, options)
    t.equal((await first.get(manager)).status, 200, 'at a first start it counts')
    await first.stop()
    flip(inStore(options.data, /^MANIFEST/))
    flip(join(options.data, 'store.checkpoint'))
    const second = await start(t, host, options)
    t.equal((await second.get(manager)).status, 401)
    const shown = second.process.stderr.map((line) => /^minnow: the password of admin is (\w+)$/.exec(line)?.[1])
    const generated = basic('admin', shown.find((each) => each !== undefined) ?? '')
    t.equal((await second.get('/redfish/v1/AccountService/Accounts/admin/', generated)).status, 200)
    await second.stop()
    const third = await start(t, host, options)
    t.equal((await third.get(manager)).status, 401, 'a restart is no proof')
    await third.stop()
    // As the init process of a controller leaves it for its reset line.
    writeFileSync(join(options.data, 'factory-reset'), 'the reset line is set\n')
    const last = await start(t, host, options)
    t.equal((await last.get(manager)).status, 200)
  })
})
