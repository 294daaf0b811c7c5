import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import t from 'tap'
import { needing } from './every-host.ts'
import { hosts } from './hosts.ts'
import { head } from './raw.ts'
import { admin, type Json, password, type Server, start } from './server.ts'

/** How many requests are compared; `npm run compare` takes a million. */
const wanted = Number(process.env.MINNOW_COMPARISONS ?? 20_000)
const clients = 4

const { buildBinary } = await import(pathToFileURL('runtime/build/binary.mjs').href)
const binary = hosts.find(({ name }) => name === 'x86-64')

/** Numbers that look random and are the same each time (Park and Miller). */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 48271) % 2147483647
    return state % below
  }
}

/** The resources that links lead to, schemas and registries left out. */
async function resources(server: Server): Promise<string[]> {
  const found = new Set(['/redfish/v1/'])
  for (const uri of found) {
    const { status, text } = await server.get(uri)
    if (status !== 200 || !text.startsWith('{')) continue
    JSON.parse(text, (name, value: Json) => {
      const leads = name === '@odata.id' && /^\/redfish\/v1\/(?!JsonSchemas|Registries)/.test(value)
      if (leads && !value.includes('#') && found.size < 400) found.add(value)
      return value
    })
  }
  return [...found]
}

const queries = ['$select=Id', '$select=Id', '$expand=.', '$expand=*', 'only', '$top=1', 'x=1']

/** Changes things for as long as others read: records, the host's power, accounts and sessions. */
async function change(
  server: Server,
  random: (below: number) => number,
  done: () => boolean,
  requests: () => number
): Promise<number> {
  const reset = '/redfish/v1/Systems/1/Actions/ComputerSystem.Reset'
  const accounts = '/redfish/v1/AccountService/Accounts'
  let changes = 0
  for (; !done(); changes++) {
    const kind = random(5)
    if (kind === 0) await server.patch('/redfish/v1/Systems/1/', { AssetTag: `tag ${changes}` })
    else if (kind === 1) await server.post(reset, { ResetType: random(2) ? 'On' : 'ForceOff' })
    else if (kind === 2) {
      await server.post(accounts, { UserName: 'guest', Password: password, RoleId: 'ReadOnly' })
      await server.patch(`${accounts}/guest/`, { RoleId: random(2) ? 'Operator' : 'ReadOnly' })
    } else if (kind === 3) await server.delete(`${accounts}/guest/`)
    else await server.delete((await server.login()).location)
    // Some answers are to be given again before the next change, however fast this machine is.
    const next = requests() + random(200)
    while (!done() && requests() < next) await new Promise((resolve) => setTimeout(resolve, 1))
  }
  return changes
}

needing('an answer that is given again is the one that the service would make now', binary?.missing, async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'minnow-compare-'))
  t.teardown(() => rmSync(directory, { recursive: true }))
  const program = resolve(directory, 'minnow')
  buildBinary({
    bundle: 'dist/generated/embedded-fleet.mjs',
    documents: 'dist/documents.bin',
    out: program,
    compare: true
  })
  const options = { configuration: { sensors: { interval: 1 } } }
  const server = await start(t, { name: 'compares', slowness: 1, command: [program] }, options)
  const uris = await resources(server)
  t.ok(uris.length > 60, `${uris.length} resources`)
  uris.push('/redfish/v1/Nowhere/')
  const [{ token }, { token: another }] = [await server.login(), await server.login()]
  const guest = { authorization: `Basic ${Buffer.from(`guest:${password}`).toString('base64')}` }
  const seed = Date.now() % 1_000_000
  t.comment(`seed ${seed}`)
  let requests = 0
  let failed = false

  async function read(random: (below: number) => number): Promise<void> {
    const tags = new Map<string, string>()
    let connection = await server.connect()
    while (requests < wanted && !failed) {
      const path = uris[random(random(2) ? 5 : uris.length)]!
      const uri = random(4) ? path : `${path}?${queries[random(queries.length)]}`
      const who = [admin, admin, token, another, guest, {}][random(6)]!
      const known = tags.get(uri)
      const more = [{}, {}, { accept: '*/*' }, known ? { 'if-none-match': known } : {}][random(4)]!
      const agent = [{}, { 'user-agent': `reader/${random(50)}` }, { 'X-Request-ID': `${requests}` }][random(3)]!
      const fields = Object.entries({ ...who, ...agent, ...more }).map(([name, value]) => `${name}: ${value}\r\n`)
      connection.write(head('GET', uri, fields.join('')))
      const answer = await connection.response()
      requests++
      if (answer?.headers.etag) tags.set(uri, answer.headers.etag)
      if (answer !== undefined && answer.headers.connection !== 'close' && random(500) !== 0) continue
      connection.close()
      connection = await server.connect()
    }
    connection.close()
  }

  const reading = Promise.all(Array.from({ length: clients }, (_, n) => read(randomNumbers(seed + n + 1))))
  let done = false
  const changing = change(
    server,
    randomNumbers(seed + clients + 1),
    () => done,
    () => requests
  )
  await reading.finally(() => {
    failed = done = true
  })
  t.ok((await changing) > 20)
  await server.stop()
  const { status, stderr } = await server.process.ended
  t.equal(status, 0, stderr.join('\n').slice(0, 4000))
  const compared = Number(/^(\d+) answers compared$/m.exec(stderr.join('\n'))?.[1] ?? 0)
  t.comment(`${compared} of ${requests} answers compared`)
  t.ok(compared > requests / 10, `${compared} of ${requests}`)
})

t.setTimeout(600_000 + wanted * 20)
