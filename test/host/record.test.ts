import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer as createPlainServer } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { readEvents } from '#runtime/fleet/replay.ts'
import { selfSigned } from '#runtime/service/certificates/self-signed.ts'
import { makers } from '#test/runtime/recording/makers.ts'
import { mockups, writeMockup, writeResources } from '#test/runtime/recording/mockups.ts'
import { needing } from './every-host.ts'
import { type Host, hosts } from './hosts.ts'
import { Process } from './process.ts'
import { directory, password, start } from './server.ts'

/** Those that have it: what is flashed has not. */
const withRecording = hosts.filter(({ name }) => name !== 'ARMv7')

const contoso = mockups.contoso!
const bmc = makers['OpenBMC-like']!
const system = '/redfish/v1/Systems/System.Embedded.1'

/** How `minnow record` ends. */
async function record(host: Host, ...args: string[]) {
  const { status, stdout, stderr } = await new Process(host, ['record', ...args], { MINNOW_RECORD_PASSWORD: 'hush' })
    .ended
  return { status, said: stderr.join('\n'), printed: stdout.join('\n') }
}

/** Another maker's server that misbehaves in each way. */
async function hostile(t: Test): Promise<{ url: string; asked: string[] }> {
  const pair = await selfSigned({
    commonName: 'contoso',
    altNames: { dns: ['localhost'], ip: ['127.0.0.1'] },
    now: new Date(),
    random: (size) => randomBytes(size)
  })
  const kinds = [
    'elsewhere',
    'endless',
    'silent',
    'long',
    'short',
    'shorter',
    'html',
    'circle',
    'number',
    'pages',
    'turn',
    'busy',
    'many',
    'tired',
    'later'
  ]
  const bad = kinds.map((each) => ({ '@odata.id': `/redfish/v1/Oem/${each}` }))
  const asked: string[] = []
  const times = (path: string) => asked.filter((each) => each.includes(` ${path} `)).length
  const server = createServer({ key: pair.key, cert: pair.cert }, (request, response) => {
    const path = (request.url ?? '').replace(/\/$/, '')
    asked.push(`${request.method} ${path} ${request.headers.authorization}`)
    const body = contoso[path]
    if (path === '/redfish/v1') response.end(JSON.stringify({ ...body, Oem: { Bad: bad, Host: '//evil.example/x' } }))
    else if (path === `${system}/Processors`)
      response.end(JSON.stringify({ ...body, Members: [], 'Members@odata.nextLink': `${path}?$skip=1` }))
    else if (path === `${system}/Processors?$skip=1`) response.end(JSON.stringify(contoso[`${system}/Processors`]))
    else if (body !== undefined) response.end(JSON.stringify(body))
    else if (path.endsWith('/elsewhere')) response.writeHead(302, { location: 'https://192.0.2.1/redfish/v1' }).end()
    else if (path.endsWith('/circle')) response.writeHead(301, { location: path }).end()
    else if (path.endsWith('/endless')) {
      const timer = setInterval(() => response.write(' '), 50)
      response.on('close', () => clearInterval(timer))
    } else if (path.endsWith('/long')) response.end(`"${'x'.repeat(9_000_000)}"`)
    else if (path.endsWith('/short')) {
      response.writeHead(200, { 'content-length': '1000' })
      response.write('{"a":1}', () => response.destroy())
    } else if (path.endsWith('/shorter')) {
      response.socket?.end('HTTP/1.1 200 OK\r\ncontent-length: 7\r\n\r\n{"a":1}{"b":2}')
    } else if (path.includes('/pages')) {
      const page = Number(/\d+$/.exec(path)?.[0] ?? 0)
      response.end(JSON.stringify({ Members: [], 'Members@odata.nextLink': `/redfish/v1/Oem/pages?$skip=${page + 1}` }))
    } else if (path.endsWith('/turn')) response.end(JSON.stringify({ Members: [], 'Members@odata.nextLink': path }))
    else if (/\/(busy|many)$/.test(path) && times(path) === 3) response.end('{"Name":"at last"}')
    else if (path.endsWith('/busy')) response.writeHead(503, { 'retry-after': '0' }).end()
    else if (path.endsWith('/many')) response.writeHead(429, { 'retry-after': new Date(0).toUTCString() }).end()
    else if (path.endsWith('/tired')) response.writeHead(503, { 'retry-after': '0' }).end()
    else if (path.endsWith('/later')) response.writeHead(503, { 'retry-after': '3600' }).end()
    else if (path.endsWith('/html')) response.end('<html>')
    else if (path.endsWith('/number')) response.end('7')
    else if (!path.endsWith('/silent')) response.writeHead(404).end()
  })
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

t.setTimeout(900_000)

for (const host of withRecording) {
  needing(`on ${host.name}`, host.missing, async (t) => {
    t.test('a server is recorded with GET requests only, despite faulty answers, and served', async (t) => {
      const { url, asked } = await hostile(t)
      const file = join(directory(t), 'contoso.json')
      const options = ['--user', 'op', '--insecure', '--time', '3', '--tries', '3', '--wait', '20']
      t.match(await record(host, url, '-o', file), {
        status: 1,
        said: /^minnow: https:\S+: [^\n]*certificate[^\n]* \(--insecure accepts any\)$/
      })
      t.strictSame(asked, [])
      const { status, said, printed } = await record(host, url, '-o', file, ...options)
      t.equal(status, 0, said)
      t.match(printed, /^minnow: \d+ resources recorded in /)
      for (const [path, cause] of [
        ['elsewhere', 'redirects to another server'],
        ['circle', 'redirects too often'],
        ['endless', 'takes longer than 3 s'],
        ['silent', 'takes longer than 3 s'],
        ['long', 'more than 8388608 bytes'],
        ['short', ''],
        ['pages', 'more than 1000 pages'],
        ['tired', 'status 503, 3 times'],
        ['later', 'status 503, for 3600 s'],
        ['html', ''],
        ['number', 'not a JSON object']
      ] as const)
        t.ok(
          said.split('\n').some((line) => line.includes(`/Oem/${path}: `) && line.includes(cause)),
          `${path}: ${said}`
        )
      t.ok(asked.every((each) => each.startsWith('GET ') && each.endsWith(` Basic ${btoa('op:hush')}`)))
      const { resources } = JSON.parse(readFileSync(file, 'utf8'))
      for (const busy of ['busy', 'many']) t.strictSame(resources[`/redfish/v1/Oem/${busy}`], { Name: 'at last' })
      t.strictSame(resources['/redfish/v1/Oem/turn'], { Members: [] }, 'a page that leads to itself is the last')
      for (const [path, count] of [
        ['tired', 3],
        ['later', 1]
      ] as const)
        t.equal(asked.filter((each) => each.includes(`/Oem/${path} `)).length, count, path)
      t.notOk(asked.some((each) => each.includes('/Accounts/17')))
      t.equal(readFileSync(file, 'utf8').includes('hush'), false)

      const server = await start(t, host, { args: ['--board', file] })
      const processor = `${system}/Processors/CPU.Socket.1`
      t.strictSame((await server.get(processor)).json.Model, 'Turtle 9000')
      t.equal((await server.get(`${system}/Processors`)).json['Members@odata.count'], 1, 'all pages')
      t.equal((await server.patch(processor, { SpeedLimitMHz: 900 })).status, 200)
      t.equal((await server.post(`${system}/Actions/ComputerSystem.Reset`, { ResetType: 'On' })).status, 200)
      await server.until(
        () => server.get(system),
        ({ json }) => json.PowerState === 'On'
      )
      await server.kill()
      const again = await start(t, host, { data: server.data, args: ['--board', file] })
      t.equal((await again.get(processor)).json.SpeedLimitMHz, 900)
      t.equal((await again.get(system)).json.PowerState, 'On')
      t.equal(await again.stop(), 0)
    })

    t.test('over http:// a server is recorded on Node.js, with a warning, and refused by the binary', async (t) => {
      const server = createPlainServer((request, response) => {
        const body = contoso[(request.url ?? '').replace(/\/$/, '')]
        response.writeHead(body === undefined ? 404 : 200).end(JSON.stringify(body))
      })
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      t.teardown(() => server.close())
      const file = join(directory(t), 'plain.json')
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      const { status, said } = await record(host, url, '-o', file)
      t.match(said, /^minnow: warning: over http:\/\/ nothing proves/)
      if (host.name === 'Node.js') {
        t.equal(status, 0, said)
        t.equal(JSON.parse(readFileSync(file, 'utf8')).resources[system].Model, 'Flatbed 640')
      } else t.match({ status, said }, { status: 1, said: /only https is supported/ })
    })

    t.test('a mockup in a folder is recorded, and its live resources are listed', async (t) => {
      const folder = directory(t)
      const file = join(folder, 'fabrikam.json')
      const made = await record(host, writeMockup(folder, 'fabrikam', '/redfish/v1'), '-o', file)
      t.match(made, { status: 0, said: '' })
      const { printed } = await record(host, file)
      t.match(printed.split('\n'), ['live /redfish/v1', 'recorded /redfish/v1/Chassis'])
      t.match(printed, /^live \/redfish\/v1\/Systems\/0$/m)
    })

    t.test('check compares each resource of a source with its recording, and fails for reasons unknown', async (t) => {
      const folder = directory(t)
      const file = join(folder, 'openbmc.json')
      const source = writeResources(join(folder, 'source'), bmc)
      await record(host, source, '-o', file)
      const check = async (...args: string[]) => {
        const { status, stdout, stderr } = await new Process(host, ['check', ...args]).ended
        return { status, printed: stdout, said: stderr.join('\n') }
      }
      const same = await check('--board', file, '--against', source)
      t.match(same, { status: 0, said: '' })
      t.equal(same.printed.length, Object.keys(bmc).length + 1)
      t.match(
        same.printed.at(-1),
        /^minnow: \d+ equal, \d+ live, \d+ different, \d+ missing; 0 without a known reason$/
      )
      t.match(
        same.printed.join('\n'),
        /^live \/redfish\/v1\/Systems; added|^live \/redfish\/v1\/Systems\/system; .*actions: Actions/m
      )
      const board = '/redfish/v1/Chassis/board'
      writeResources(source, { [board]: { ...bmc[board], Model: 'another', SerialNumber: undefined } })
      const other = await check(file, '--insecure', `--against=${source}`)
      t.match(other, { status: 1, said: '' })
      t.match(other.printed.join('\n'), /^different \/redfish\/v1\/Chassis\/board; .*another value: Model/m)
      t.match(other.printed.at(-1), /; 1 without a known reason$/)
      t.match(await check(join(folder, 'none.json'), '--against', source), { status: 2, said: /cannot read/ })
      t.match(await check(file, '--against', join(folder, 'none')), { status: 2, said: /no folder, no archive/ })
    })

    t.test('--redact says what it removed and what it is not sure of, without the values', async (t) => {
      const folder = writeMockup(directory(t), 'contoso')
      const path = `${folder}/redfish/v1/Systems/System.Embedded.1/Oem`
      const oem = {
        '@odata.id': '/redfish/v1/Systems/System.Embedded.1/Oem',
        Attributes: { 'Users.2.IPMIKey': 'C6A5F3D8E19B4470', 'Security.1.PasswordRequireNumbers': 'Disabled' },
        Duid: '00:01:00:01:27:9b:cf:b4:3c:ec:ef:0a:1b:2c',
        Blob: '9F86D081884C7D659A2FEAA0C55AD015',
        Note: 'the tag is CT0SO42'
      }
      mkdirSync(path, { recursive: true })
      writeFileSync(`${path}/index.json`, JSON.stringify(oem))
      const file = join(directory(t), 'contoso.json')
      const { status, said } = await record(host, folder, '-o', file, '--redact')
      t.equal(status, 0, said)
      t.match(said, /^minnow: removed: 2 credentials: Password, Users\.2\.IPMIKey$/m)
      t.match(said, /^minnow: not sure: Blob: it looks like a key or a hash, kept: \/redfish\/v1\/Systems/m)
      const { resources } = JSON.parse(readFileSync(file, 'utf8'))
      const made = resources[oem['@odata.id']]
      t.strictSame(made.Attributes, { ...oem.Attributes, 'Users.2.IPMIKey': null })
      t.match(made.Duid, /^00:01:00:01:27:9b:cf:b4:02:00:00:/)
      t.equal(made.Note, `the tag is ${resources['/redfish/v1'].Oem.Contoso.ServiceTag}`)
      for (const text of [said, readFileSync(file, 'utf8')]) t.notMatch(text, /CT0SO42|C6A5F3D8|0a:1b:2c|db7\.example/i)
    })

    t.test('events are recorded beside the resources with the same pseudonyms, and can be replayed', async (t) => {
      const folder = directory(t)
      const [file, stream] = [join(folder, 'yours.json'), join(folder, 'yours.events.jsonl')]
      const server = await start(t, host)
      const recording = (...args: string[]) => {
        const url = `https://127.0.0.1:${server.port}`
        const options = ['--user', 'admin', '--insecure', ...args]
        return new Process(host, ['record', url, '-o', file, ...options], { MINNOW_RECORD_PASSWORD: password })
      }
      const ann = { UserName: 'ann', Password: 'Green-Door-4', RoleId: 'ReadOnly' }
      t.equal((await server.post('/redfish/v1/AccountService/Accounts', ann)).status, 201)
      const [chassis, account] = ['/redfish/v1/Chassis/1', '/redfish/v1/AccountService/Accounts/ann']
      const { SerialNumber } = (await server.get(`${chassis}/`)).json
      const submit = (MessageArgs: string[], origin: string) => {
        const event = { MessageId: 'Contoso.1.0.Seen', MessageArgs, Message: `ann: ${MessageArgs.join(', ')}.` }
        return server.post('/redfish/v1/EventService/Actions/EventService.SubmitTestEvent', {
          ...event,
          OriginOfCondition: origin
        })
      }

      const none = await recording('--events', '0.001').ended
      t.match(none, { status: 0, stdout: [/^minnow: recording events/, /resources recorded/, /: 0 events recorded$/] })
      t.notOk(existsSync(stream))

      const bounded = recording('--events', '3600', '--bytes', '1500')
      await bounded.saying(/^minnow: recording events for 3600 s$/)
      let isOver = false
      const ended = bounded.ended.finally(() => {
        isOver = true
      })
      while (!isOver) await submit([SerialNumber, '192.0.2.77'], chassis)
      t.match(await ended, { status: 0, stderr: [/events: there are more than 1500 bytes of them/] })
      t.ok(readFileSync(stream).length < 2000)
      const [first] = readEvents(stream)
      t.match(first?.test.args, [SerialNumber, /^198\.18\.0\.\d+$/], 'without --redact, addresses only')

      const redacted = recording('--events', '3600', '--redact')
      await redacted.saying(/^minnow: recording events for 3600 s$/)
      t.equal((await submit([SerialNumber, 'ann', '192.0.2.77', 'fan4'], account)).status, 200)
      t.equal(await server.stop(), 0)
      const { status, stderr, stdout } = await redacted.ended
      t.equal(status, 0, stderr.join('\n'))
      t.match(stderr.join('\n'), /events: the service ended its stream before 3600 s$/m)
      t.match(
        stderr.join('\n'),
        /^minnow: not sure: MessageArgs: it may be the name of a person or host, kept: event 1/m
      )
      t.match(stdout.at(-1), /: \d+ events recorded in \S+yours\.events\.jsonl$/)
      const { resources } = JSON.parse(readFileSync(file, 'utf8'))
      const serial = resources[chassis].SerialNumber
      const text = readFileSync(stream, 'utf8')
      t.match(
        readEvents(stream).map(({ test }) => test),
        [{ args: [serial, /^person-\d+$/, /^198\.18\.0\.\d+$/, 'fan4'], origin: /^\S+\/Accounts\/person-\d+$/ }]
      )
      t.match(text, new RegExp(`"person-\\d+: ${serial}, person-`))
      for (const taken of [SerialNumber, '192.0.2.77', 'ann']) t.notMatch(text, new RegExp(`\\b${taken}\\b`), text)
    })

    t.test('a machine with thousands of resources is recorded and served', async (t) => {
      const folder = writeMockup(directory(t), 'fabrikam', '/redfish/v1')
      for (let n = 0; n < 3000; n++) {
        mkdirSync(`${folder}/Oem/Large/${n}`, { recursive: true })
        const resource = { '@odata.id': `/redfish/v1/Oem/Large/${n}`, Name: 'x'.repeat(2000) }
        writeFileSync(`${folder}/Oem/Large/${n}/index.json`, JSON.stringify(resource))
      }
      const file = join(directory(t), 'large.json')
      t.match(await record(host, folder, '-o', file), { status: 0, said: '' })
      const server = await start(t, host, { args: ['--board', file] })
      t.equal((await server.get('/redfish/v1/Oem/Large/2999')).json.Name.length, 2000)
      t.equal(await server.stop(), 0)
    })

    t.test('an input that cannot be recorded or served is refused in one line', async (t) => {
      const folder = directory(t)
      const file = join(folder, 'half.json')
      writeMockup(folder, 'fabrikam', '/redfish/v1')
      await record(host, folder, '-o', file)
      writeFileSync(file, readFileSync(file, 'utf8').slice(0, 3000))
      const { status, stderr } = await new Process(host, ['--board', file, '--data', directory(t)]).ended
      t.equal(status, 2)
      t.match(stderr.join('\n'), /^minnow: board \S+half\.json: [^\n]+$/)
      const output = join(folder, 'none.json')
      const own = join(folder, 'own.json')
      writeFileSync(own, '{}')
      const cases = [
        [['https://127.0.0.1:1', '-o', output], /^minnow: https:\/\/127\.0\.0\.1:1\/redfish\/v1\/: [^\n]+$/],
        [['ftp://127.0.0.1', '-o', output], /no folder, no archive and no URL/],
        [['https://a:b@127.0.0.1', '-o', output], /do not belong in a URL/],
        [[directory(t), '-o', output], /there is no service root/],
        [[folder], /-o BOARD is missing/],
        [['https://127.0.0.1:1'], /-o BOARD is missing/],
        [[own], /is not a recording/],
        [[folder, '-o', output, '--most', '3'], /more than 3 resources/],
        [[folder, '-o', output, '--writes', 'forget'], /--writes is one of remember, refuse/],
        [[folder, '-o', output, '--events', '9'], /--events needs a service/],
        [['https://127.0.0.1:1', '-o', output, '--events', 'x'], /--events must be a number above 0/],
        [[folder, '--output'], /needs a value/]
      ] as const
      const ends = await Promise.all(cases.map(([args]) => record(host, ...args)))
      cases.forEach(([, expected], index) => {
        const { status, said } = ends[index]!
        t.match(said, expected)
        t.not(status, 0)
        t.equal(said.split('\n').length, 1, said)
      })
      t.notOk(existsSync(output))
    })
  })
}

const flashed = hosts.find(({ name }) => name === 'ARMv7')!
needing('what is flashed knows no recordings', flashed.missing, async (t) => {
  t.match(await record(flashed, 'https://127.0.0.1'), { status: 2, said: /unknown option record/ })
})
