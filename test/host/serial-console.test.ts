import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openPty, missing as ptyMissing } from '#test/hal/pty.ts'
import { needing, onBothHosts } from './every-host.ts'
import { resident } from './process.ts'
import { admin, anonymous, basic, start } from './server.ts'
import { console, openTerminal as open } from './terminal.ts'

const offer = 'Connection: keep-alive, Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n'
const credentials = `Authorization: ${admin.authorization}\r\n`
const asked = (fields: string, path = console) => `GET ${path} HTTP/1.1\r\nHost: bmc\r\n${offer}${fields}\r\n`

onBothHosts(async (t, host) => {
  const server = await start(t, host, { configuration: { console: { history: 200, sessions: 2, unread: 131_072 } } })

  t.test('a system links to its console; all clients see the same output and can type', async (t) => {
    const { json } = await server.get('/redfish/v1/Systems/1/')
    t.match(json.SerialConsole, { WebSocket: { ConsoleURI: console, Interactive: true, ServiceEnabled: true } })
    const [one, other] = [await open(t, server), await open(t, server, admin, '/console/default')]
    one.type('from one\r')
    for (const each of [one, other]) await each.until('from one\r\r\nlogin: ')
    other.type('from the other')
    for (const each of [one, other]) await each.until('from the other')
    t.equal(await (await server.get(console)).text, 'from one\r\r\nlogin: from the other')
    one.socket.close(4000)
    t.equal(await one.closed, 4000)
    const late = await open(t, server, admin, `${console}?history=true`)
    await late.until('from one\r\r\nlogin: from the other')
    late.socket.close(4000)
    t.equal(await late.closed, 4000)
    other.type('goes on')
    await other.until('goes on')
    other.socket.close()
    await other.closed
  })

  t.test('a break precedes a command of SysRq, and takes the privilege of the console', async (t) => {
    const target = '/redfish/v1/Systems/1/Actions/Oem/Vendor/VendorComputerSystemExt.SendBreak/'
    const { json } = await server.get('/redfish/v1/Systems/1/')
    t.equal(json.Oem.Vendor.Actions['#VendorComputerSystemExt.SendBreak'].target, target)
    const terminal = await open(t, server)
    t.equal((await server.post(target, {})).status, 200)
    terminal.type('h')
    await terminal.until('sysrq: h')
    terminal.socket.close()
    await terminal.closed
    t.equal((await server.post(target, {}, anonymous)).status, 401)
  })

  t.test('a boot is seen, and the history drops its oldest output', async (t) => {
    const terminal = await open(t, server)
    await server.post('/redfish/v1/Systems/1/Actions/ComputerSystem.Reset/', { ResetType: 'ForceRestart' })
    await terminal.until('The firmware starts (reset).')
    await terminal.until('login: ')
    t.equal((await server.get('/redfish/v1/Systems/1/')).json.BootProgress.LastState, 'OSBootStarted')
    const long = 'x'.repeat(70_000)
    terminal.type(`${long}end`)
    await terminal.until('end')
    const { text, headers } = await server.get(console)
    t.equal(text, `${'x'.repeat(197)}end`)
    t.match(headers, { 'content-type': 'application/octet-stream', 'cache-control': 'no-store', allow: 'GET, HEAD' })
    terminal.socket.close()
    await terminal.closed
  })

  t.test('it requires the privilege of a remote console, with any kind of credentials', async (t) => {
    const reader = { UserName: 'ann', Password: 'Green-Door-4', RoleId: 'ReadOnly' }
    t.equal((await server.post('/redfish/v1/AccountService/Accounts', reader)).status, 201)
    t.equal((await server.get(console, anonymous)).status, 401)
    t.equal((await server.get(console, basic('ann', 'Green-Door-4'))).status, 403)
    await t.rejects(open(t, server, anonymous))
    await t.rejects(open(t, server, basic('ann', 'Green-Door-4')))
    const { token, location } = await server.login()
    const byHeader = await open(t, server, token)
    const byProtocol = await open(t, server, anonymous, console, [token['x-auth-token']])
    t.equal(byProtocol.socket.protocol, token['x-auth-token'])
    t.equal((await server.delete(new URL(location, 'https://bmc').pathname)).status, 200)
    for (const each of [byHeader, byProtocol]) t.equal(await each.closed, 1008)
    await t.rejects(open(t, server, anonymous, console, [token['x-auth-token']]))
  })

  t.test('an invalid upgrade is refused, and one to another resource is an ordinary request', async (t) => {
    const say = async (text: string) => {
      const connection = await server.connect()
      connection.write(text)
      const answer = await connection.response()
      connection.close()
      return answer
    }
    const version = 'Sec-WebSocket-Version: 13\r\n'
    const old = await say(asked(`${credentials}Sec-WebSocket-Version: 8\r\n`))
    t.match([old?.status, old?.headers['sec-websocket-version']], [426, '13'])
    t.equal((await say(asked(`${credentials}${version}`).replace('AAAA==', 'A')))?.status, 400)
    t.equal((await say(asked(`${credentials}${version}Origin: https://elsewhere\r\n`)))?.status, 403)
    t.equal((await say(asked(`${credentials}${version}Origin: https://bmc\r\n`)))?.status, 101)
    t.equal((await say(asked(`${credentials}${version}`, '/redfish/v1/Systems/2/SerialConsole')))?.status, 404)
    t.equal((await say(asked(`${credentials}${version}`, '/redfish/v1/Systems/1/')))?.status, 200)
    const connection = await server.connect()
    const h2c = 'Connection: Upgrade\r\nUpgrade: h2c\r\n'
    const login = JSON.stringify({ UserName: 'admin', Password: 'Tin-Whistle-7' })
    const post = `POST /redfish/v1/SessionService/Sessions HTTP/1.1\r\nHost: bmc\r\n${h2c}Content-Length: ${login.length}\r\n`
    connection.write(`${post}\r\n${login}`)
    t.equal((await connection.response())?.status, 201)
    connection.write(`GET /redfish HTTP/1.1\r\nHost: bmc\r\n${h2c}\r\n`)
    t.equal((await connection.response())?.status, 200)
    connection.close()
  })

  t.test('a client that breaks the protocol gets a close frame, and loses the connection', async (t) => {
    const connection = await server.connect()
    connection.write(asked(`${credentials}Sec-WebSocket-Version: 13\r\n`))
    const agreed = await connection.response()
    t.match(agreed?.headers, { 'sec-websocket-accept': 'ICX+Yqv66kxgM0FcWaLWlFLwTAI=', upgrade: 'websocket' })
    connection.write(Buffer.of(0x82, 0x01, 0x78))
    await connection.closed
    t.equal(connection.received.toString('hex'), '880203ea')
  })

  needing('the console is a serial line of the controller', ptyMissing, async (t) => {
    const { path } = await openPty(t)
    const board = JSON.parse(readFileSync('data/boards/sim.json', 'utf8'))
    board.systems['1'].console = { type: 'tty', path }
    const file = join(t.testdir(), 'board.json')
    writeFileSync(file, JSON.stringify(board))
    const server = await start(t, host, { args: ['--board', file] })
    const terminal = await open(t, server)
    terminal.type('over the line\r')
    await terminal.until('over the line\r')
    t.equal((await server.get(console)).text, 'over the line\r', 'and no further output')
    terminal.socket.close()
    await terminal.closed
  })

  // A system's buffers take megabytes first: for the emulated processor that is too much.
  if (host.slowness === 1) {
    t.test('pongs that a client does not read take no memory', async (t) => {
      const lazy = await server.connect()
      lazy.write(asked(`${credentials}Sec-WebSocket-Version: 13\r\n`))
      t.equal((await lazy.response())?.status, 101)
      lazy.socket.pause()
      const ping = Buffer.concat([Buffer.of(0x89, 0xfd, 0, 0, 0, 0), Buffer.alloc(125)])
      const pings = Buffer.concat(Array.from({ length: 1000 }, () => ping))
      const before = resident(server.process.pid)
      // One host reads on. The other one takes no more while its output waits: it answers others meanwhile.
      const answered = async () => {
        for (let count = 0; count < 200; count += 1) await server.get('/redfish/v1/')
        return false
      }
      let goesOn = true
      for (let round = 0; round < 800 && goesOn; round += 1) {
        const taken = new Promise<boolean>((resolve) => lazy.socket.write(pings, (error) => resolve(!error)))
        goesOn = await Promise.race([taken, answered()])
      }
      // They are 100 MB. A heap that has not been collected for a while takes some tens.
      const grown = resident(server.process.pid) - before
      t.ok(grown < 64 * 2 ** 20, `${grown} bytes more than ${before}`)
      t.notOk(lazy.socket.destroyed)
      const closings = () => server.process.stderr.filter((line) => line.includes('a console is closed')).length
      const closed = closings()
      lazy.close()
      await server.until(
        () => server.get('/redfish/v1/'),
        () => closings() > closed
      )
    })
  }

  t.test('there are as many clients as may be, and a client that does not read is cut off', async (t) => {
    const terminal = await open(t, server)
    const lazy = await server.connect()
    lazy.write(asked(`${credentials}Sec-WebSocket-Version: 13\r\n`))
    t.equal((await lazy.response())?.status, 101)
    const refused = await server.connect()
    refused.write(asked(`${credentials}Sec-WebSocket-Version: 13\r\n`))
    t.match(await refused.response(), { status: 503, headers: { 'retry-after': '30' } })
    // A system's buffers take megabytes first: for the emulated processor that is too much.
    if (host.slowness === 1) {
      lazy.socket.pause()
      const cut = server.process.stderr
      for (let round = 0; !cut.some((line) => line.includes('a console was closed')); round += 1) {
        terminal.type(`${'x'.repeat(16_384)}${round};`)
        await terminal.until(`x${round};`)
      }
      lazy.socket.resume()
      await lazy.closed
    }
    const stopped = server.stop()
    t.equal(await terminal.closed, 1001)
    t.equal(await stopped, 0)
  })
})
