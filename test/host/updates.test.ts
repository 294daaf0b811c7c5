import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Test } from 'tap'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { updateFile } from '#runtime/build/update-file.mjs'
import { Authority, serverExtensions } from './authority.ts'
import { EventSource } from './event-source.ts'
import { onBothHosts } from './every-host.ts'
import { form, push } from './push.ts'
import { Connection } from './raw.ts'
import { admin, basic, directory, type Headers, type Json, type Response, type Server, start } from './server.ts'

const service = '/redfish/v1/UpdateService'
const size = 24 * 1024 * 1024

const file = (version: string, more: object = {}, length = 100_000) =>
  updateFile(
    sim.updateKey,
    { board: 'sim', component: 'controller', version, ...more },
    {
      kernel: new Uint8Array(length).fill(7)
    }
  )

/** The messages of a task, without registry versions. */
const told = ({ Messages }: Json): string[] =>
  Messages.map(({ MessageId }: Json) => MessageId.replace(/\.[\d.]+\./, '.'))

const task = (server: Server, { headers }: Response, wanted: string) =>
  server.until(
    () => server.get(String(headers.location)),
    ({ json }) => json.TaskState === wanted || told(json).includes(wanted)
  )

const versions = async (server: Server) => {
  const { json } = await server.get(`${service}/FirmwareInventory/?$expand=.`)
  return Object.fromEntries(json.Members.map(({ Id, Version }: Json) => [Id, Version]))
}

onBothHosts(async (t, host) => {
  // An emulated host is sent a file so slowly that the rate that is asked for by default would refuse it.
  const updates = { size: size + 100_000, rate: 64 * 1024 * 1024, slowest: 100 }
  const configuration = { limits: { requestTime: 2 * host.slowness }, updates }
  const server = await start(t, host, { configuration })
  const kept = (of = server) => {
    const folder = join(of.data, 'updates')
    return existsSync(folder) ? readdirSync(folder) : []
  }
  /** Settles when the first bytes of an upload are in a file of its own: another client's comes later then. */
  const uploadBegins = async (of = server) => {
    const before = kept(of)
    while (kept(of).every((name) => before.includes(name))) await pause(25)
  }
  const resident = () =>
    Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${server.process.pid}/status`, 'utf8'))?.[1])

  await t.test('the controller is updated, and runs the new version after a reset', async (t) => {
    const pushed = await push(server, { '@Redfish.OperationApplyTime': 'OnReset' }, file('1.63', { minimum: '1.6' }))
    t.equal(pushed.status, 202)
    const { json } = await task(server, pushed, 'Update.AwaitToActivate')
    t.match(json, { TaskState: 'Pending', PercentComplete: 95 })
    t.match(await versions(server), { 'Manager-1-A': '1.62', 'Manager-1-B': '1.63' })
    t.equal(
      (await server.post('/redfish/v1/Managers/1/Actions/Manager.Reset/', { ResetType: 'GracefulRestart' })).status,
      200
    )
    await task(server, pushed, 'Completed')
    t.match((await server.get('/redfish/v1/Managers/1/')).json, { FirmwareVersion: '1.63' })
    t.match((await server.get(`${service}/FirmwareInventory/Manager-1-B/`)).json, {
      Active: true,
      LowestSupportedVersion: '1.6'
    })
    const refused = await push(server, {}, file('1.5'))
    t.equal(refused.status, 400)
    t.match(refused.text, /UpdateFileRefused/)
    t.same(kept(), [])
  })

  await t.test('a file without parameters updates the targets of HttpPushUriTargets', async (t) => {
    const changed = await server.patch(`${service}/`, {
      HttpPushUriTargets: ['/redfish/v1/Managers/1'],
      HttpPushUriOptions: { HttpPushUriApplyTime: { ApplyTime: 'OnStartUpdateRequest' } }
    })
    t.equal(changed.status, 200)
    const send = (content: Uint8Array) =>
      server.request('POST', `${service}/update`, { ...admin, 'content-type': 'application/octet-stream' }, content)
    t.equal((await send(file('3.0', { component: 'bios' }))).status, 400)
    const waiting = await send(file('1.64'))
    t.match(waiting.json, { TaskState: 'Running' })
    await task(server, waiting, 'Pending')
    t.equal((await send(file('1.65'))).status, 409)
    t.equal((await server.post(`${service}/Actions/UpdateService.StartUpdate/`, {})).status, 200)
    await task(server, waiting, 'Completed')
    t.match((await server.get('/redfish/v1/Managers/1/')).json, { FirmwareVersion: '1.64' })
  })

  await t.test('a large file is never in memory as a whole, and others are served meanwhile', async (t) => {
    const before = resident()
    const large = file('1.70', {}, size)
    const [pushed, read] = await Promise.all([
      push(server, { '@Redfish.OperationApplyTime': 'OnReset' }, large),
      server.get('/redfish/v1/Managers/1/')
    ])
    t.equal(pushed.status, 202)
    t.equal(read.status, 200)
    await task(server, pushed, 'Update.AwaitToActivate')
    if (host.name !== 'Node.js') t.ok(resident() - before < 4096, `${resident() - before} KiB more`)
    t.equal((await server.delete(String(pushed.headers.location))).status, 200)
    await server.until(
      () => server.get(`${service}/FirmwareInventory/Manager-1-A/`),
      ({ json }) => !json.Staged
    )
  })

  await t.test('an upload may take longer than other requests, but only one at a time', async (t) => {
    const body = form({ '@Redfish.OperationApplyTime': 'OnStartUpdateRequest' }, file('1.71'))
    const connection = await Connection.open(server.port)
    t.teardown(() => connection.close())
    const authorization = admin.authorization
    connection.write(
      `POST ${service}/update-multipart HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n` +
        `Content-Type: multipart/form-data; boundary=b\r\nContent-Length: ${body.length}\r\n\r\n`
    )
    const begun = uploadBegins()
    connection.write(body.subarray(0, 50_000))
    await begun
    t.match(await push(server, {}, file('1.72')), { status: 503, headers: { 'retry-after': /\d+/ } })
    const step = 500 * host.slowness
    for (let at = 50_000; at < 57_000; at += 1000) {
      await pause(step)
      connection.write(body.subarray(at, at + 1000))
    }
    connection.write(body.subarray(57_000))
    const answer = await connection.response()
    if (answer?.status !== 202) throw new Error(`answered ${answer?.status}`)
    await server.until(
      () => server.delete(String(answer.headers.location)),
      ({ status }) => status === 200
    )
  })

  await t.test('of an upload that breaks off nothing is left', async (t) => {
    const body = form({}, file('1.73'))
    const connection = await Connection.open(server.port)
    connection.write(
      `POST ${service}/update-multipart HTTP/1.1\r\nHost: x\r\nAuthorization: ${admin.authorization}\r\n` +
        `Content-Type: multipart/form-data; boundary=b\r\nContent-Length: ${body.length}\r\n\r\n`
    )
    const begun = uploadBegins()
    connection.write(body.subarray(0, 50_000))
    await begun
    t.equal((await push(server, {}, file('1.74'))).status, 503)
    connection.close()
    const next = await server.until(
      () => push(server, { '@Redfish.OperationApplyTime': 'OnStartUpdateRequest' }, file('1.74')),
      ({ status }) => status !== 503
    )
    t.equal(next.status, 202)
    await task(server, next, 'Pending')
    t.same(kept(), [])
    await server.delete(String(next.headers.location))
  })

  await t.test('a file that is not an update is refused at its first wrong byte', async (t) => {
    for (const content of [
      Buffer.alloc(1000, 'PK\x03\x04'),
      file('1.8').subarray(0, 5000),
      file('1.8', { board: 'other' })
    ]) {
      const { status, text } = await push(server, {}, content)
      t.equal(status, 400)
      t.match(text, /UpdateFileRefused/)
    }
    t.equal((await push(server, {}, file('1.8', {}, size + 200_000))).status, 413)
    t.equal((await push(server, {}, file('1.8'), basic('nobody', 'x'))).status, 401)
  })

  await t.test('an operator can cancel a waiting update of a BIOS, but not of the controller', async (t) => {
    const Password = 'Green-Door-4'
    await server.post('/redfish/v1/AccountService/Accounts', { UserName: 'operator', Password, RoleId: 'Operator' })
    const operator = basic('operator', Password)
    const wait = { '@Redfish.OperationApplyTime': 'OnStartUpdateRequest' }
    const bios = await push(server, wait, file('7.0', { component: 'bios' }), operator)
    const controller = await push(server, wait, file('1.75'))
    for (const [update, status] of [
      [bios, 200],
      [controller, 403]
    ] as const) {
      await task(server, update, 'Pending')
      t.equal((await server.delete(String(update.headers.location), operator)).status, status)
    }
    t.equal((await server.get(String(bios.headers.location))).status, 404)
    t.equal((await server.delete(String(controller.headers.location))).status, 200)
  })

  await t.test('a file is fetched from a server', async (t) => {
    const authority = new Authority(t, 'updates')
    const { cert, key } = authority.issue({ extensions: serverExtensions })
    const answers: Readonly<Record<string, Uint8Array>> = {
      '/good.update': file('1.80'),
      '/bad.update': Buffer.alloc(5000, 'x'),
      '/bios.update': file('7.0', { component: 'bios' })
    }
    let goOn = () => {}
    const files = createServer({ cert, key }, ({ url = '' }, response) => {
      if (url === '/slow.update') {
        const content = file('1.79', {}, 1_000_000)
        const half = Math.ceil(content.length / 2)
        response.writeHead(200, { 'content-length': content.length })
        response.write(content.subarray(0, half))
        goOn = () => response.end(content.subarray(half))
      } else if (url === '/cut.update') {
        response.writeHead(200, { 'content-length': 100_000 })
        response.write(answers['/good.update']?.subarray(0, 5000), () => response.destroy())
      } else response.writeHead(url in answers ? 200 : 404).end(answers[url])
    })
    files.listen(0, '127.0.0.1')
    await once(files, 'listening')
    t.teardown(() => {
      files.closeAllConnections()
      files.close()
    })
    const { port } = files.address() as AddressInfo
    const fetch = (path: string, more: object = {}) =>
      server.post(`${service}/Actions/UpdateService.SimpleUpdate/`, {
        ImageURI: `https://127.0.0.1:${port}${path}`,
        ...more
      })
    for (const uri of ['http://127.0.0.1/x', 'file:///etc/passwd', 'https://a:b@127.0.0.1/x', 'x']) {
      t.equal((await server.post(`${service}/Actions/UpdateService.SimpleUpdate/`, { ImageURI: uri })).status, 400, uri)
    }
    for (const [path, key] of [
      ['/missing.update', 'Update.TransferFailed'],
      ['/cut.update', 'Update.TransferFailed'],
      ['/bad.update', 'Update.VerificationFailed']
    ] as const) {
      const { json } = await task(server, await fetch(path), 'Exception')
      t.ok(told(json).includes(key), path)
    }
    const wrong = await fetch('/bios.update', { Targets: ['/redfish/v1/Managers/1/'] })
    t.ok(told((await task(server, wrong, 'Exception')).json).includes('Update.VerificationFailed'))

    const source = await EventSource.open(t, server)
    const slow = await fetch('/slow.update', { '@Redfish.OperationApplyTime': 'OnStartUpdateRequest' })
    const path = String(slow.headers.location)
    await server.until(
      () => server.get(path),
      ({ json }) => json.PercentComplete === 20
    )
    goOn()
    await task(server, slow, 'Pending')
    const percents: number[] = []
    while (percents.at(-1) !== 90) {
      const { MessageId, MessageArgs } = (await source.next())?.data.Events[0] ?? {}
      const isAbout = path.replace(/\/$/, '').endsWith(`/${MessageArgs?.[0]}`)
      if (isAbout && /TaskProgressChanged$/.test(MessageId)) percents.push(Number(MessageArgs[1]))
    }
    t.ok(percents.includes(40), 'it has been fetched')
    t.same(percents, [...new Set(percents)].sort(), 'it never goes back')
    await server.delete(path)

    const fetched = await fetch('/good.update', { '@Redfish.OperationApplyTime': 'Immediate' })
    t.equal(fetched.status, 202)
    const { json } = await task(server, fetched, 'Completed')
    t.match(told(json).slice(1), ['Update.TransferringToComponent', 'Update.TargetDetermined'])
    t.match((await server.get('/redfish/v1/Managers/1/')).json, { FirmwareVersion: '1.80' })
    t.same(kept(), [])
  })

  /** An update file of which the first bytes come, by a user. */
  const stalled = async (t: Test, server: Server, { authorization }: Headers) => {
    const connection = await Connection.open(server.port)
    t.teardown(() => connection.close())
    connection.write(
      `POST ${service}/update HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n` +
        'Content-Type: application/octet-stream\r\nContent-Length: 100000\r\n\r\n'
    )
    const begun = uploadBegins(server)
    connection.write(file('9.0').subarray(0, 40))
    await begun
    return connection
  }
  const waiting = { '@Redfish.OperationApplyTime': 'OnStartUpdateRequest' }
  const operator = basic('operator', 'Green-Door-4')
  const withOperator = async (t: Test, updates: object) => {
    const server = await start(t, host, { configuration: { updates } })
    const account = { UserName: 'operator', Password: 'Green-Door-4', RoleId: 'Operator' }
    t.equal((await server.post('/redfish/v1/AccountService/Accounts', account)).status, 201)
    return server
  }

  await t.test('a file that stops to arrive gives way to one of a user who may do more', async (t) => {
    const server = await withOperator(t, { idle: 0 })
    const early = await stalled(t, server, admin)
    t.equal((await push(server, waiting, file('7.0', { component: 'bios' }), operator)).status, 503)
    t.equal((await push(server, waiting, file('7.0', { component: 'bios' }))).status, 202, 'the same user')
    t.equal((await early.response())?.status, 503)
    const other = await withOperator(t, { idle: 3600 })
    await stalled(t, other, operator)
    t.equal((await push(other, waiting, file('9.0'))).status, 503, 'it may go on')
    const last = await withOperator(t, { idle: 0.5 })
    const late = await stalled(t, last, operator)
    const pushed = await last.until(
      () => push(last, waiting, file('9.0')),
      ({ status }) => status !== 503
    )
    t.equal(pushed.status, 202)
    t.match(await late.response(), { status: 503, headers: { 'retry-after': '10' } })
  })

  await t.test('a file that arrives too slowly ends, and its place is free', async (t) => {
    const server = await withOperator(t, { slowest: 100, period: 1 })
    const connection = await stalled(t, server, admin)
    t.equal((await connection.response())?.status, 408)
    t.equal((await push(server, waiting, file('7.0', { component: 'bios' }), operator)).status, 202)
  })

  await t.test('a board has a minimum version before any update, and when its data is new', async (t) => {
    const board = join(directory(t), 'board.json')
    const managers = { 1: { ...sim.managers[1], minimumVersion: '1.60' } }
    writeFileSync(board, JSON.stringify({ ...sim, managers }))
    const fresh = await start(t, host, { args: ['--board', board] })
    const { json } = await fresh.get(`${service}/FirmwareInventory/Manager-1-A/`)
    t.equal(json.LowestSupportedVersion, '1.60')
    const refused = await push(fresh, {}, file('1.59'))
    t.equal(refused.status, 400)
    t.match(refused.text, /version 1\.59 is older than 1\.60/)
    const waiting = { '@Redfish.OperationApplyTime': 'OnStartUpdateRequest' }
    t.equal((await push(fresh, waiting, file('1.60'))).status, 202)
  })
})
