import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { Client } from 'undici'
import { memory, points, random, seed } from '#test/campaign.ts'
import { password as fresh, openFixture } from '#test/runtime/service.ts'
import { Disk, type Model, type Random } from './disk.ts'
import { needing, onBothHosts } from './every-host.ts'
import type { Host } from './hosts.ts'
import { type Recorded, Recorder } from './recording.ts'
import { basic, directory, type Json, password, type Server, start } from './server.ts'

const system = '/redfish/v1/Systems/1/'
const accounts = '/redfish/v1/AccountService/Accounts'
const subscriptions = '/redfish/v1/EventService/Subscriptions'

/** The state of a service as a client knows it. */
interface Known {
  readonly password: string
  readonly tag: string
  readonly users: readonly string[]
  readonly subscriptions: readonly string[]
}

/** The first administrator's passwords, one after the other. */
const passwords = [password, 'Iron-Bridge-5', 'Green-Door-4'] as const
/** Large ones fill LevelDB's buffer, so that it begins a new log and writes tables. */
const limits = { accounts: 100, subscriptions: 100, subscriptionHeaders: 65_536 }
const configuration = { limits, store: { writeBuffer: 65_536, reserve: 65_536, checkpointEvery: 0 } }

/** Changes, one after the other. @returns the state after each */
class Changes {
  readonly states: Known[] = [{ password, tag: '', users: ['admin'], subscriptions: [] }]
  readonly #recorder: Recorder
  #client!: Client

  constructor(recorder: Recorder) {
    this.#recorder = recorder
  }

  get known(): Known {
    return this.states.at(-1)!
  }

  /** All requests use one connection. */
  async begin(server: Server): Promise<void> {
    this.#client = new Client(`https://127.0.0.1:${server.port}`, { connect: { rejectUnauthorized: false } })
    await this.#ask('GET', system)
  }

  end(): Promise<void> {
    return this.#client.destroy()
  }

  async setPassword(Password: string): Promise<void> {
    await this.#change('PATCH', `${accounts}/admin/`, { Password }, { password: Password })
  }

  async setTag(tag: string): Promise<void> {
    await this.#change('PATCH', system, { AssetTag: tag }, { tag })
  }

  async createUser(name: string): Promise<void> {
    const body = { UserName: name, Password: 'Oak-Table-6', RoleId: 'ReadOnly' }
    await this.#change('POST', accounts, body, { users: [...this.known.users, name].sort() })
  }

  async deleteUser(name: string): Promise<void> {
    const users = this.known.users.filter((each) => each !== name)
    await this.#change('DELETE', `${accounts}/${name}/`, undefined, { users })
  }

  async subscribe(context: string, size: number): Promise<void> {
    const HttpHeaders = [{ 'X-Fill': 'f'.repeat(size) }]
    const body = {
      Destination: 'https://192.0.2.1/',
      RegistryPrefixes: ['StorageDevice'],
      Context: context,
      HttpHeaders
    }
    await this.#change('POST', subscriptions, body, { subscriptions: [...this.known.subscriptions, context].sort() })
  }

  async #change(method: string, path: string, body: unknown, change: Partial<Known>): Promise<void> {
    this.#recorder.asks()
    await this.#ask(method, path, body)
    this.states.push({ ...this.known, ...change })
  }

  async #ask(method: string, path: string, body?: unknown): Promise<void> {
    const headers = { ...basic('admin', this.known.password), 'content-type': 'application/json' }
    const text = body === undefined ? null : JSON.stringify(body)
    const answer = await this.#client.request({ method: method as 'GET', path, headers, body: text })
    const said = await answer.body.text()
    if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${answer.statusCode} ${said}`)
  }
}

/** A service that is stopped, killed and started again, with what it was asked. @returns its calls, and the states */
async function recordedOn(t: Test, host: Host, root: string): Promise<[calls: Recorded[], states: readonly Known[]]> {
  const recorder = new Recorder(host, directory(t))
  const changes = new Changes(recorder)
  const run = async (work: () => Promise<void>, end: (server: Server) => Promise<unknown>) => {
    const server = await start(t, recorder.next(), { data: join(root, 'data'), configuration })
    await changes.begin(server)
    await work()
    await end(server)
    await changes.end()
  }
  await run(
    async () => {
      await changes.setPassword(passwords[1])
      await changes.setTag('first')
      await changes.createUser('ann')
      for (let count = 0; count < 8; count++) {
        await changes.subscribe(`first ${count}`, count % 3 === 0 ? 30_000 : 9000)
        await changes.setTag(`rack ${count}`)
      }
    },
    (server) => server.stop()
  )
  await run(
    async () => {
      await changes.setPassword(passwords[2])
      await changes.deleteUser('ann')
      for (let count = 0; count < 5; count++) {
        await changes.createUser(`ben-${count}`)
        await changes.subscribe(`second ${count}`, 20_000)
      }
    },
    (server) => server.kill()
  )
  await run(
    async () => {
      await changes.setTag('third')
      await changes.subscribe('third', 30_000)
      await changes.createUser('cleo')
    },
    (server) => server.kill()
  )
  return [[...recorder.recorded()], changes.states]
}

/** The moment before which nothing is known, and after which something was changed. */
interface Cut {
  /** How many changes were acknowledged, and how many were asked for. */
  readonly acknowledged: number
  readonly asked: number
  /** The calls before it. */
  readonly after: number
  readonly model: Model
}

/** Puts what may be on the disk into an empty folder, at so many moments of a recording, in both models in turn. */
async function cut(
  calls: readonly Recorded[],
  root: string,
  count: number,
  next: Random,
  examine: (folder: string, cut: Cut) => Promise<void>
): Promise<void> {
  const moments = momentsOf(calls, root)
  const chosen = Array.from({ length: count }, (_, index) => Math.floor(((index + next()) / count) * moments.length))
  const disk = new Disk(root)
  let [acknowledged, asked, done] = [0, 0, 0]
  for (const [index, choice] of chosen.entries()) {
    for (const after = moments[choice]!; done < after; done++) {
      const each = calls[done]!
      if (each.call === 'answered') acknowledged += 1
      else if (each.call === 'asked') asked += 1
      else disk.apply(each)
    }
    const model = index % 2 === 0 ? 'ordered' : 'strict'
    const folder = mkdtempSync(join(memory, 'minnow-cut-'))
    for (const [path, content] of disk.after(model, next)) {
      const whole = join(folder, path)
      if (path.endsWith('/')) mkdirSync(whole, { recursive: true, mode: 0o700 })
      else writeFileSync(whole, content, { mode: 0o600 })
    }
    await examine(folder, { acknowledged, asked, after: done, model })
    rmSync(folder, { recursive: true, force: true })
  }
}

/** How many calls are before each moment at which the power may fail with another outcome. */
function momentsOf(calls: readonly Recorded[], root: string): number[] {
  const disk = new Disk(root)
  return calls.flatMap((each, index) =>
    each.call === 'answered' || (each.call !== 'asked' && disk.apply(each)) ? [index + 1] : []
  )
}

/** The state that a service in this process shows for a folder. */
async function shownHere(folder: string): Promise<Known> {
  const data = join(folder, 'data')
  mkdirSync(data, { recursive: true })
  const fixture = await openFixture((settings) => Object.assign(settings.limits, limits), data)
  try {
    return await shown((path, secret) => fixture.ask('GET', path, undefined, basic('admin', secret)))
  } finally {
    await fixture.service.close()
  }
}

/** The state that a host's own program shows for a folder. */
async function shownBy(t: Test, host: Host, folder: string): Promise<Known> {
  const server = await start(t, host, { data: join(folder, 'data'), configuration })
  try {
    return await shown((path, secret) => server.get(path, basic('admin', secret)))
  } finally {
    await server.kill()
  }
}

/** The state that a service shows. @throws Error if it reports a loss, or if no password works */
async function shown(get: (path: string, secret: string) => Promise<{ status: number; json: Json }>): Promise<Known> {
  const works: string[] = []
  for (const each of [...passwords, fresh]) if ((await get(system, each)).status === 200) works.push(each)
  const [secret = ''] = works
  if (works.length !== 1) throw new Error(`these passwords work: ${works.join()}`)
  const { StateRecoveries } = (await get('/redfish/v1/Managers/1/', secret)).json.Oem.Vendor
  if (StateRecoveries.length > 0) throw new Error(`it says that ${JSON.stringify(StateRecoveries)}`)
  const all = async (path: string, member: string) =>
    (await get(`${path}/?$expand=.`, secret)).json.Members.map((each: Json) => each[member]).sort()
  return {
    // Where there was no account yet, the service in this process made one with a password of its own.
    password: secret === fresh ? password : secret,
    tag: (await get(system, secret)).json.AssetTag,
    users: await all(accounts, 'UserName'),
    subscriptions: await all(subscriptions, 'Context')
  }
}

/** How a state found after a cut differs from the one acknowledged last; undefined if the cut allows it. */
function fault(states: readonly Known[], { acknowledged, asked }: Cut, found: Known): string | undefined {
  const may = states.slice(acknowledged, asked + 1)
  if (may.some((each) => JSON.stringify(each) === JSON.stringify(found))) return undefined
  const members = Object.keys(found) as (keyof Known)[]
  const differ = members.filter((each) => JSON.stringify(found[each]) !== JSON.stringify(may[0]?.[each]))
  return `it has ${differ.map((each) => `${each} ${found[each]}, not ${may[0]?.[each]}`).join('; ')}`
}

const mayTrace = spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0

/** Moments on each host; at every so many of them its own program is started. */
const count = points(300)
const startedEvery = Math.ceil(count / 5)
/** Failures that are told one by one. */
const toldMost = 10

onBothHosts(async (t, host) => {
  // Under an emulator it is the same program as that of this machine.
  if (host.slowness > 1) return
  if (!mayTrace) return needing('a power cut', 'install strace', async () => {})
  t.test(`the power fails at ${count} moments: what was acknowledged is there (seed ${seed})`, async (t) => {
    const root = directory(t)
    const [calls, states] = await recordedOn(t, host, root)
    t.equal(calls.filter(({ call }) => call === 'answered').length, states.length - 1, 'each answer is in the trace')
    let tried = 0
    const wrong: string[] = []
    await cut(calls, root, count, random(seed), async (folder, cut) => {
      tried += 1
      const words = await (tried % startedEvery === 0 ? shownBy(t, host, folder) : shownHere(folder)).then(
        (found) => fault(states, cut, found),
        (error: Error) => error.message
      )
      if (words !== undefined) wrong.push(`${words} ${JSON.stringify(cut)}`)
    })
    for (const words of wrong.slice(0, toldMost)) t.fail(words)
    t.equal(wrong.length, 0, `${tried} cuts among ${calls.length} calls`)
  })
})

// A campaign has thousands of cuts.
t.setTimeout(1_200_000 + count * 200)
