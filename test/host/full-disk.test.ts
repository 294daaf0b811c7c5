import { spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { needing, onBothHosts } from './every-host.ts'
import type { Host } from './hosts.ts'
import { messagesOf } from './messages-of.ts'
import { admin, basic, directory, type Headers, type Json, password, type Server, start } from './server.ts'

const system = '/redfish/v1/Systems/1/'
const accounts = '/redfish/v1/AccountService/Accounts'
const account = `${accounts}/admin/`
const resetToDefaults = '/redfish/v1/Managers/1/Actions/Manager.ResetToDefaults/'
const subscriptions = '/redfish/v1/EventService/Subscriptions/'

const mayMount = spawnSync('unshare', ['--mount', 'true'], { stdio: 'ignore' }).status === 0
const missing = mayMount ? undefined : 'run as root: a small file system is mounted in a name space of its own'

/** A file system of 2 MiB, in a name space of mounts of its own, and a host whose programs run in there. */
class SmallDisk {
  readonly host: Host
  /** As programs in the name space see it. */
  readonly path: string
  /** As this process sees it. */
  readonly #outside: string
  readonly #within: readonly [string, ...string[]]

  private constructor(host: Host, path: string, pid: number) {
    const [program, ...args] = host.command
    this.#within = ['nsenter', '--target', String(pid), '--mount', `--wd=${process.cwd()}`, '--']
    this.host = { ...host, command: [...this.#within, program, ...args] }
    this.path = path
    this.#outside = `/proc/${pid}/root${path}`
  }

  static async mount(t: Test, host: Host): Promise<SmallDisk> {
    const path = directory(t)
    const script = `mount -t tmpfs -o size=2m none ${path} && echo mounted && exec sleep infinity`
    const holder = spawn('unshare', ['--mount', '--propagation', 'private', 'sh', '-c', script])
    t.teardown(() => holder.kill('SIGKILL'))
    await once(holder.stdout, 'data')
    return new SmallDisk(host, path, holder.pid ?? 0)
  }

  /** Fills it to the last byte. */
  fill(): void {
    for (let size = 65_536, count = 0; size >= 1; count++) {
      const file = join(this.#outside, `ballast-${size}-${count}`)
      try {
        writeFileSync(file, Buffer.alloc(size, 1))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
        unlinkSync(file)
        size = size === 1 ? 0 : Math.ceil(size / 16)
      }
    }
  }

  /** Lets programs write to it, or not; none may have a file open for that. */
  remount(mode: 'rw' | 'ro'): void {
    const [program, ...args] = this.#within
    spawnSync(program, [...args, 'mount', '-o', `remount,${mode}`, this.path])
  }

  /** Frees what `fill` took. */
  free(): void {
    for (const name of readdirSync(this.#outside)) if (name.startsWith('ballast')) unlinkSync(join(this.#outside, name))
  }
}

const tagOf = async (server: Server, headers: Headers = admin) => (await server.get(system, headers)).json.AssetTag

/** Writes until the disk refuses. @returns what was acknowledged last */
async function patchUntilFull(t: Test, server: Server): Promise<string> {
  let acknowledged = await tagOf(server)
  for (let count = 1; count < 2000; count++) {
    const tag = `${count} ${'x'.repeat(20)}`
    const answer = await server.patch(system, { AssetTag: tag })
    if (answer.status !== 200) {
      t.equal(answer.status, 507, answer.text)
      t.same(messagesOf(answer), ['Base.InsufficientStorage()'])
      return acknowledged
    }
    acknowledged = tag
  }
  throw new Error('the disk is never full')
}

onBothHosts(async (t, host) => {
  if (missing !== undefined) return needing('a full disk', missing, async () => {})

  t.test('a write that is acknowledged after a full disk survives a restart', async (t) => {
    const disk = await SmallDisk.mount(t, host)
    const server = await start(t, disk.host, { data: disk.path })
    t.equal((await server.patch(system, { AssetTag: 'before' })).status, 200)
    const ann = { UserName: 'ann', Password: 'Oak-Table-6', RoleId: 'ReadOnly' }
    t.equal((await server.post('/redfish/v1/AccountService/Accounts', ann)).status, 201)
    disk.fill()
    const last = await patchUntilFull(t, server)
    t.equal(await tagOf(server), last, 'what was refused is not shown')
    const { token, location } = await server.login()
    t.equal((await server.get(system, token)).status, 200, 'logins work')
    t.equal((await server.patch(account, { Password: 'Iron-Bridge-5' })).status, 507)
    t.equal((await server.get(system)).status, 200, 'the old password is the right one')
    t.equal((await server.delete(location, token)).status, 200, 'and so do logouts')

    for (let count = 0; count < 5; count++) {
      t.equal((await server.get(system, basic('ann', 'wrong'))).status, 401)
    }
    t.equal((await server.get(system, basic('ann', 'Oak-Table-6'))).status, 401, 'guessing is locked out')

    disk.free()
    t.equal((await server.patch(system, { AssetTag: 'after' })).status, 200)
    t.equal((await server.patch(account, { Password: 'Green-Door-4' })).status, 200)
    t.equal(await server.stop(), 0)
    const again = await start(t, disk.host, { data: disk.path })
    t.equal(await tagOf(again, basic('admin', 'Green-Door-4')), 'after')
    t.equal((await again.get(system, basic('admin', password))).status, 401, 'the old password is not')
  })

  t.test('deletions free a disk that the service itself has filled', async (t) => {
    const disk = await SmallDisk.mount(t, host)
    const configuration = { limits: { subscriptionHeaders: 65_536 } }
    const server = await start(t, disk.host, { data: disk.path, configuration })
    const made: string[] = []
    const subscribe = async () => {
      const HttpHeaders = [{ 'X-Fill': randomBytes(30_000).toString('base64') }]
      const answer = await server.post(subscriptions, { Destination: 'https://127.0.0.1/', HttpHeaders })
      if (answer.status === 201) made.push(String(answer.headers.location))
      return answer.status
    }
    let status = await subscribe()
    while (status === 201) status = await subscribe()
    t.equal(status, 507)
    t.equal((await server.patch(system, { AssetTag: 'refused' })).status, 507)
    let patched = 507
    while (patched === 507 && made.length > 0) {
      t.equal((await server.delete(made.pop() ?? '')).status, 200)
      patched = (await server.patch(system, { AssetTag: 'after' })).status
    }
    t.equal(patched, 200)
    t.ok(made.length > 0, 'before all of it is removed')
    t.equal(await subscribe(), 201)
    await server.kill()
    const again = await start(t, disk.host, { data: disk.path, configuration })
    t.equal(await tagOf(again), 'after')
    const { Members } = (await again.get(subscriptions)).json
    t.same(Members.map((each: Json) => each['@odata.id']).sort(), made.sort())
  })

  t.test('a deletion on a full disk is durable, and only deletions use the reserve', async (t) => {
    const disk = await SmallDisk.mount(t, host)
    const server = await start(t, disk.host, { data: disk.path })
    const uris: string[] = []
    for (const UserName of ['ann', 'bob']) {
      const { headers } = await server.post(accounts, { UserName, Password: 'Oak-Table-6', RoleId: 'ReadOnly' })
      uris.push(String(headers.location))
    }
    const [ann = '', bob = ''] = uris
    disk.fill()
    await patchUntilFull(t, server)
    t.equal((await server.delete(ann)).status, 200)
    t.equal((await server.get(ann)).status, 404)
    disk.fill()
    // LevelDB may remove a file that it has merged a moment after the disk was filled again.
    const last = await patchUntilFull(t, server)
    t.equal(await tagOf(server), last)
    await server.kill()
    const again = await start(t, disk.host, { data: disk.path })
    t.equal((await again.get(ann)).status, 404)
    t.equal((await again.get(bob)).status, 200)
    t.equal(await tagOf(again), last)
  })

  t.test('a full disk takes a reset to factory defaults', async (t) => {
    const disk = await SmallDisk.mount(t, host)
    const server = await start(t, disk.host, { data: disk.path })
    await server.post(accounts, { UserName: 'ann', Password: 'Oak-Table-6', RoleId: 'ReadOnly' })
    disk.fill()
    await patchUntilFull(t, server)
    t.equal((await server.post(resetToDefaults, { ResetType: 'ResetAll' })).status, 200)
    await server.until(
      () => server.get('/redfish/v1/AccountService/Accounts/'),
      ({ json }) => json.Members.length === 1
    )
  })

  t.test('without a reserve a full disk refuses deletions as well', async (t) => {
    const disk = await SmallDisk.mount(t, host)
    const server = await start(t, disk.host, { data: disk.path, configuration: { store: { reserve: 0 } } })
    const { headers } = await server.post(accounts, { UserName: 'ann', Password: 'Oak-Table-6', RoleId: 'ReadOnly' })
    disk.fill()
    await patchUntilFull(t, server)
    t.equal((await server.delete(String(headers.location))).status, 507)
  })

  t.test('a start on a full disk serves', async (t) => {
    const disk = await SmallDisk.mount(t, host)
    const first = await start(t, disk.host, { data: disk.path })
    t.equal((await first.patch(system, { AssetTag: 'before' })).status, 200)
    disk.fill()
    const last = await patchUntilFull(t, first)
    await first.kill()
    disk.fill()

    const second = await start(t, disk.host, { data: disk.path })
    t.equal(await tagOf(second), last)
    const { token } = await second.login()
    t.equal((await second.patch(system, { AssetTag: 'refused' }, token)).status, 507)
    const log = await second.get('/redfish/v1/Managers/1/LogServices/EventLog/Entries/?$expand=.')
    t.match(log.text, /StorageNotWritable/, 'an event says so')
    disk.fill()
    await second.stop()
    disk.fill()

    const third = await start(t, disk.host, { data: disk.path })
    t.equal(await tagOf(third), last)
    disk.free()
    const patched = await third.patch(system, { AssetTag: 'after' })
    t.equal(patched.status, 200, patched.text)
    await third.kill()
    const fourth = await start(t, disk.host, { data: disk.path })
    t.equal(await tagOf(fourth), 'after')
  })

  t.test('a start on a disk that is read-only serves', async (t) => {
    const disk = await SmallDisk.mount(t, host)
    const first = await start(t, disk.host, { data: disk.path })
    t.equal((await first.patch(system, { AssetTag: 'before' })).status, 200)
    await first.stop()
    disk.remount('ro')

    const second = await start(t, disk.host, { data: disk.path })
    t.equal(await tagOf(second), 'before')
    const { token } = await second.login()
    const refused = await second.patch(system, { AssetTag: 'refused' }, token)
    t.equal(refused.status, 503)
    t.match(messagesOf(refused), ['Base.ServiceTemporarilyUnavailable(30)', 'Mgmt.StorageNotWritable()'])
    disk.remount('rw')
    t.equal((await second.patch(system, { AssetTag: 'after' }, token)).status, 200)
    t.equal(await second.stop(), 0)
    const third = await start(t, disk.host, { data: disk.path })
    t.equal(await tagOf(third, token), 'after', 'the session was stored too')
  })
})
