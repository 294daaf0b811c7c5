import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { Test } from 'tap'
import { onBothHosts } from './every-host.ts'
import { type Ended, Process } from './process.ts'
import { admin, basic, directory, type Json, password, start } from './server.ts'

onBothHosts(async (t, host) => {
  const run = (...args: string[]) => new Process(host, args, { MINNOW_ADMIN_PASSWORD: password }).ended
  const fresh = (t: Test) => ['--port', '0', '--address', '127.0.0.1', '--data', directory(t)]

  t.test('--version prints the version of the package', async (t) => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
    const { status, stdout, stderr } = await run('--version')
    t.equal(status, 0)
    t.ok(stdout.join('\n').includes(version), stdout.join('\n'))
    t.same(stderr, [])
  })

  t.test('--help names every flag', async (t) => {
    const { status, stdout } = await run('--help')
    t.equal(status, 0)
    for (const flag of ['--port', '--address', '--data', '--board', '--config', '--help', '--version', '--licenses']) {
      t.ok(stdout.join('\n').includes(flag), flag)
    }
    t.ok(stdout.join('\n').includes('MINNOW_ADMIN_PASSWORD'))
  })

  t.test("--licenses prints the terms of the program's parts, from the file beside it", async (t) => {
    const program = host.command.at(-1)
    const { status, stdout, stderr } = await run('--licenses')
    t.equal(status, 0)
    t.equal(`${stdout.join('\n')}\n`.trimEnd(), readFileSync(`${program}.licenses`, 'utf8').trimEnd())
    t.match(stdout.join('\n'), /find-my-way/)
    t.same(stderr, [])
  })

  for (const [wrong, ...args] of [
    ['--colour', '--colour', 'blue'],
    ['x', 'x'],
    ['port', '--port', '65536'],
    ['port', '--port', 'https'],
    ['port', '--port'],
    ['no-such-board', '--board', 'no-such-board'],
    ['no-such-file.json', '--config', 'no-such-file.json']
  ] as const) {
    t.test(`\`${args.join(' ')}\` ends with status 2 and one line that names what is wrong`, async (t) => {
      complains(t, await run(...fresh(t), ...args), 2, wrong)
    })
  }

  for (const [why, wrong, text] of [
    ['that is not JSON', 'configuration.json', '{ port: 1 }'],
    ['with an unknown setting', 'colour', '{ "colour": "blue" }'],
    ['with a setting of the wrong type', 'limits.sessions', '{ "limits": { "sessions": "many" } }'],
    ['with an unknown setting in a group', 'limits.sesions', '{ "limits": { "sesions": 3 } }'],
    ['with an unknown profile', 'profile is loud, not one of compact', '{ "profile": "loud" }'],
    ['with a negative time', 'media.time', '{ "media": { "time": -1 } }'],
    ['that reads sensors all the time', 'sensors.interval', '{ "sensors": { "interval": 0 } }'],
    ['that keeps half a sample', 'sensors.samples', '{ "sensors": { "samples": 0.5 } }']
  ] as const) {
    t.test(`a configuration file ${why} ends with status 2 and one line that names it`, async (t) => {
      const file = join(directory(t), 'configuration.json')
      writeFileSync(file, text)
      complains(t, await run(...fresh(t), '--config', file), 2, wrong)
    })
  }

  const line = { name: 'NO_SUCH_LINE' }
  const gpio = { type: 'gpio', powerButton: line, powerGood: line, devices: '/nowhere' }
  const led = { type: 'leds', led: 'no-such-led' }
  const hwmon = { type: 'hwmon', inputs: { 1: { device: 'no-such-device', input: 'temp1' } } }
  const ports = { 1: { name: 'Port', port: { type: 'netdev', device: 'no-such-port' } } }
  for (const [device, wrong, change] of [
    ['power', 'GPIO', (board: Json) => ({ systems: { 1: { ...board.systems[1], storage: {}, power: gpio } } })],
    ['lamp', 'no-such-led', (board: Json) => ({ chassis: { 1: { ...board.chassis[1], indicator: led } } })],
    ['sensor', 'no-such-device', (board: Json) => ({ chassis: { 1: { ...board.chassis[1], sensors: hwmon } } })],
    [
      'network port',
      'no-such-port',
      (board: Json) => ({ managers: { 1: { ...board.managers[1], ethernetInterfaces: ports } } })
    ]
  ] as const) {
    t.test(`a board whose ${device} is not there ends with status 2 and one line that names it`, async (t) => {
      const board = JSON.parse(readFileSync('data/boards/sim.json', 'utf8'))
      const file = join(directory(t), 'board.json')
      const changed = Object.entries(change(board)).map(([kind, each]) => [
        kind,
        { ...board[kind], ...(each as object) }
      ])
      writeFileSync(file, JSON.stringify({ ...board, ...Object.fromEntries(changed) }))
      complains(t, await run(...fresh(t), '--board', file), 2, wrong)
    })
  }

  for (const [why, wrong, change] of [
    [
      'with an unknown member',
      'chassis/1/contanedBy is not known',
      (board: Json) => Object.assign(board.chassis[1], { contanedBy: 'enclosure' })
    ],
    [
      'with an unknown chassis type',
      'chassis/1/type is Sledgehammer, not one of RackMount, Blade, Enclosure',
      (board: Json) => Object.assign(board.chassis[1], { type: 'Sledgehammer' })
    ],
    [
      'with a member of the wrong type',
      'systems/1/processors/1/cores',
      (board: Json) => Object.assign(board.systems[1].processors[1], { cores: 'many' })
    ],
    [
      'with an unknown option of a back end',
      'systems/1/power/onTmie is not known',
      (board: Json) => Object.assign(board.systems[1].power, { onTmie: 5 })
    ],
    [
      'with an unknown back end',
      'systems/1/nvram/type is tape, not one of sim, edk2',
      (board: Json) => Object.assign(board.systems[1].nvram, { type: 'tape' })
    ]
  ] as const) {
    t.test(`a board file ${why} ends with status 2 and one line that names it`, async (t) => {
      const board = JSON.parse(readFileSync('data/boards/sim.json', 'utf8'))
      change(board)
      const file = join(directory(t), 'board.json')
      writeFileSync(file, JSON.stringify(board))
      complains(t, await run(...fresh(t), '--board', file), 2, wrong)
    })
  }

  t.test('files that name their schemas are served', async (t) => {
    const board = JSON.parse(readFileSync('data/boards/sim.json', 'utf8'))
    const file = join(directory(t), 'board.json')
    writeFileSync(file, JSON.stringify({ $schema: './board.schema.json', ...board }))
    const configuration = { $schema: './configuration.schema.json' }
    const server = await start(t, host, { args: ['--board', file], configuration })
    t.equal((await server.get('/redfish/v1/')).status, 200)
  })

  t.test('schema prints the JSON Schema of board files, and of configuration files, for an editor', async (t) => {
    const printed = async (name: string) => {
      const { status, stdout, stderr } = await run('schema', name)
      t.same([status, stderr], [0, []], name)
      return JSON.parse(stdout.join('\n'))
    }
    t.match(await printed('configuration'), { properties: { port: { default: 8443, maximum: 65_535 } } })
    t.match(await printed('board'), { properties: { chassis: { additionalProperties: { type: 'object' } } } })
  })

  for (const args of [['schema'], ['schema', 'planks'], ['schema', 'board', 'x']]) {
    t.test(`\`${args.join(' ')}\` ends with status 2 and one line that shows the usage`, async (t) => {
      complains(t, await run(...args), 2, 'minnow schema board')
    })
  }

  t.test('check ends with status 0 for a board file that is sound, else with 2 and its first fault', async (t) => {
    const board = JSON.parse(readFileSync('data/boards/sim.json', 'utf8'))
    const file = join(directory(t), 'board.json')
    writeFileSync(file, JSON.stringify(board))
    t.match(await run('check', file), { status: 0, stdout: [], stderr: [] })
    writeFileSync(file, JSON.stringify({ ...board, managers: undefined }))
    complains(t, await run('check', file), 2, `board ${file}: managers is missing`)
    complains(t, await run('check'), 2, 'usage: minnow check')
    complains(t, await run('check', file, 'x'), 2, 'usage: minnow check')
  })

  t.test('a port in use ends with status 1 and one line that names it', async (t) => {
    const other = createServer().listen(0, '127.0.0.1')
    t.teardown(() => other.close())
    await new Promise((listening) => other.once('listening', listening))
    const { port } = other.address() as { port: number }
    complains(t, await run(...fresh(t), '--port', String(port)), 1, String(port))
  })

  t.test('a generated password is not lost when the port was in use at the first start', async (t) => {
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise((listening) => other.once('listening', listening))
    const { port } = other.address() as { port: number }
    const args = ['--address', '127.0.0.1', '--data', directory(t), '--port', String(port)]
    const first = await new Process(host, args).ended
    t.equal(first.status, 1)
    await new Promise((closed) => other.close(closed))
    const second = new Process(host, args)
    t.teardown(() => second.kill('SIGKILL'))
    await second.ready()
    const { stderr } = await second.kill('SIGTERM')
    t.equal(passwords([...first.stderr, ...stderr]).length, 1)
  })

  t.test('a data directory that is a file ends with status 1 and one line that names it', async (t) => {
    const file = join(directory(t), 'occupied')
    writeFileSync(file, 'not a directory')
    complains(t, await run(...fresh(t), '--data', file), 1, file)
    t.equal(readFileSync(file, 'utf8'), 'not a directory')
  })

  t.test('a data directory in use by another service is status 1; the other service continues', async (t) => {
    const server = await start(t, host)
    complains(t, await run('--port', '0', '--address', '127.0.0.1', '--data', server.data), 1, server.data)
    t.equal((await server.get('/redfish/v1/Chassis/1/')).status, 200)
  })

  t.test('standard output has the address of the service and that of the page, and no more', async (t) => {
    for (const page of [true, false]) {
      const server = await start(t, host, { configuration: { page } })
      await server.get('/redfish/v1/')
      await server.stop()
      const origin = `https://127.0.0.1:${server.port}`
      const ofPage = page ? [`minnow: open ${origin}/ in a browser`] : []
      t.same(server.process.stdout, [`minnow: listening on ${origin}/redfish/v1/`, ...ofPage])
    }
  })

  t.test('an IPv6 address is in brackets', async (t) => {
    const process = new Process(host, [...fresh(t), '--address', '::1'], { MINNOW_ADMIN_PASSWORD: password })
    t.teardown(() => process.kill('SIGKILL'))
    t.match(await process.ready(), /^minnow: listening on https:\/\/\[::1\]:\d+\/redfish\/v1\/$/)
  })

  t.test('the log is one JSON object a line, each with a level, and holds no secret', async (t) => {
    const server = await start(t, host, { configuration: { log: 'debug' } })
    const { token } = await server.login()
    await server.get('/redfish/v1/Chassis/1/', token)
    await server.get('/redfish/v1/Chassis/1/', basic('admin', 'Wrong-Secret-1'))
    await server.get('/redfish/v1/Chassis/1/', { 'x-auth-token': 'Wrong-Secret-2' })
    await server.post('/redfish/v1/SessionService/Sessions', { UserName: 'admin', Password: 'Wrong-Secret-3' }, {})
    await server.post('/redfish/v1/AccountService/Accounts', {
      UserName: 'ann',
      Password: 'Wrong-Secret-4',
      RoleId: 'ReadOnly'
    })
    for (const [path, body] of [
      ['AccountService/Accounts/ann/', { Password: 'Wrong-Secret-5' }],
      ['Systems/1/Bios/Settings/', { Attributes: { AdminPassword: 'Wrong-Secret-6' } }]
    ] as const) {
      await server.patch(`/redfish/v1/${path}`, body)
    }
    const change = { PasswordName: 'Administrator', OldPassword: 'Wrong-Secret-7', NewPassword: 'Wrong-Secret-8' }
    for (const [path, body] of [
      ['Systems/1/Bios/Actions/Bios.ChangePassword/', change],
      ['Managers/1/LicenseService/', { LicenseKey: 'Wrong-Secret-9' }],
      [
        'EventService/Subscriptions/',
        { Destination: 'https://127.0.0.1:9/', HttpHeaders: { 'X-Key': 'Wrong-Secret-0' } }
      ],
      ['EventService/Subscriptions/', { Destination: 'https://ann:Wrong-Secret-1@127.0.0.1:9/' }],
      ['EventService/Actions/EventService.SubmitTestEvent/', { MessageId: 'ResourceEvent.1.3.TestMessage' }]
    ] as const) {
      await server.post(`/redfish/v1/${path}`, body)
    }
    await server.stop()
    const lines = server.process.stderr
    t.not(lines.length, 0)
    for (const line of lines) t.type(JSON.parse(line).level, 'string', line)
    for (const secret of [password, token['x-auth-token'], admin.authorization.slice(6), 'Wrong-Secret']) {
      t.notOk(
        lines.some((line) => line.includes(secret)),
        'no secret in the log'
      )
    }
  })

  t.test('without a password in the environment one is made, shown once, and has to be changed', async (t) => {
    const data = directory(t)
    const first = await start(t, host, { data, env: { MINNOW_ADMIN_PASSWORD: undefined } })
    const shown = passwords(first.process.stderr)
    t.equal(shown.length, 1)
    const made = basic('admin', shown[0]!)
    t.equal((await first.get('/redfish/v1/Chassis/1/', made)).status, 403)
    t.equal((await first.patch('/redfish/v1/AccountService/Accounts/admin/', { Password: password }, made)).status, 200)
    t.equal((await first.get('/redfish/v1/Chassis/1/')).status, 200)
    t.equal(await first.stop(), 0)
    const second = await start(t, host, { data, env: { MINNOW_ADMIN_PASSWORD: 'Another-One-1' } })
    t.equal((await second.get('/redfish/v1/Chassis/1/')).status, 200, 'the environment sets only the first password')
    t.same(passwords(second.process.stderr), [])
  })

  t.test('an empty password in the environment is ignored', async (t) => {
    const server = await start(t, host, { env: { MINNOW_ADMIN_PASSWORD: '' } })
    t.equal((await server.get('/redfish/v1/Chassis/1/', basic('admin', ''))).status, 401)
    t.equal(passwords(server.process.stderr).length, 1)
  })

  t.test('SIGTERM finishes requests in progress, closes idle connections and ends with status 0', async (t) => {
    const server = await start(t, host)
    const idle = await server.connect()
    idle.write(`GET /redfish/v1/ HTTP/1.1\r\nHost: bmc\r\n\r\n`)
    await idle.response()
    const busy = await server.connect()
    const body = JSON.stringify({ LocationIndicatorActive: true })
    busy.write(
      `PATCH /redfish/v1/Chassis/1/ HTTP/1.1\r\nHost: bmc\r\nAuthorization: ${admin.authorization}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`
    )
    t.equal((await busy.response())?.status, 100)
    const ended = server.process.kill('SIGTERM')
    await idle.closed
    busy.write(body)
    t.equal((await busy.response())?.status, 200)
    t.equal((await ended).status, 0)
    const again = await start(t, host, { data: server.data })
    t.equal((await again.get('/redfish/v1/Chassis/1/')).json.LocationIndicatorActive, true)
  })

  t.test('a connection that never carried a request does not keep the service', async (t) => {
    const server = await start(t, host)
    await server.connect()
    t.equal(await server.stop(), 0)
  })
})

/** Nothing on standard output, and one line beside the log on standard error, which names what is wrong. */
function complains(t: Test, { status, stdout, stderr }: Ended, expected: number, about: string): void {
  t.equal(status, expected)
  t.same(stdout, [])
  const lines = stderr.filter((line) => !line.startsWith('{"time":'))
  t.equal(lines.length, 1, stderr.join('\n'))
  t.match(lines.join('\n'), about)
}

/** The passwords that the service shows. */
function passwords(lines: readonly string[]): string[] {
  return lines.flatMap((line) => /^minnow: the password of admin is (\S+)$/.exec(line)?.[1] ?? [])
}
