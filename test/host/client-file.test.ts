import { once } from 'node:events'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { NbdClient } from '#runtime/base/nbd/client.ts'
import { give } from './client-file.ts'
import { onBothHosts } from './every-host.ts'
import { admin, anonymous, basic, directory, type Json, type Scope, type Server, start } from './server.ts'

const drive = '/redfish/v1/Managers/1/VirtualMedia/1'
const socket = `${drive}/Stream`
const file = Uint8Array.from({ length: 300 * 2048 }, (_, index) => (index >> 6) % 251)
const eject = (server: Server) => server.post(`${drive}/Actions/VirtualMedia.EjectMedia/`, {})

/** Reads as a drive does, beside the simulated one. */
async function reader(t: Scope, server: Server): Promise<NbdClient> {
  const line = connect({ path: join(server.data, 'media/1-1.nbd') })
  await once(line, 'connect')
  const wire = { write: (bytes: Uint8Array) => void line.write(bytes), end: () => void line.destroy() }
  const client = new NbdClient(wire)
  line.on('data', (chunk) => client.received(chunk as Uint8Array))
  line.on('close', () => client.closed())
  t.teardown(() => line.destroy())
  await client.opened
  return client
}

/** The answer to a GET of the drive, as soon as it is as expected. */
const becomes = (server: Server, expected: (json: Json) => boolean) =>
  server.until(
    () => server.get(`${drive}/`),
    ({ json }) => expected(json)
  )

const isInserted = (server: Server) => becomes(server, ({ Inserted }) => Inserted)

/** Settles when the drive is empty, and nothing is left of the file. */
async function isEmpty(server: Server): Promise<void> {
  await becomes(server, ({ Inserted, ConnectedVia }) => !Inserted && ConnectedVia === 'NotConnected')
  await server.until(
    () => server.get('/redfish/v1/'),
    () => readdirSync(join(server.data, 'media')).length === 0
  )
}

onBothHosts(async (t, host) => {
  const media = { size: file.length, cache: 131_072, files: 1, wait: 60 }
  const options = { data: directory(t), configuration: { media } }
  let server = await start(t, host, options)

  await t.test('a file of a client is in the drive, whose host reads all of it, and nothing is stored', async (t) => {
    t.equal((await server.get(`${drive}/`)).json.Oem.Vendor.StreamURI, socket)
    const given = await give(t, server, socket, file, { name: 'grün.iso' })
    const { json } = await isInserted(server)
    t.match(json, {
      ...{ Image: null, ImageName: 'grün.iso', ConnectedVia: 'Applet', TransferMethod: 'Stream' },
      ...{ TransferProtocolType: 'OEM', WriteProtected: true }
    })
    await becomes(server, () => given.read() >= file.length)
    const client = await reader(t, server)
    for (const offset of [0, 32_767, file.length - 32_768]) {
      t.ok(Buffer.from(await client.read(offset, 32_768)).equals(file.subarray(offset, offset + 32_768)), `${offset}`)
    }
    t.same(readdirSync(join(server.data, 'media')), ['1-1.nbd'])
    t.equal(statSync(join(server.data, 'media')).mode & 0o777, 0o700, 'only the owner can enter')
    t.equal((await eject(server)).status, 200)
    t.equal(await given.closed, '1000')
    await isEmpty(server)
  })

  await t.test('a client that says goodbye takes its file with it', async () => {
    const given = await give(t, server, socket, file)
    await isInserted(server)
    given.leave()
    await isEmpty(server)
  })

  await t.test('reads wait for a client that was cut off and comes back with the same file', async (t) => {
    const given = await give(t, server, socket, file)
    given.pause(true)
    await isInserted(server)
    const client = await reader(t, server)
    const read = client.read(100 * 2048, 2048)
    given.vanish()
    const other = await give(t, server, socket, file, { name: 'other.iso' })
    t.equal(await other.closed, '1008 another file is in the drive')
    const again = await give(t, server, socket, file)
    t.ok(Buffer.from(await read).equals(file.subarray(100 * 2048, 101 * 2048)))
    t.equal((await server.get(`${drive}/`)).json.Inserted, true)
    again.leave()
    await isEmpty(server)
  })

  await t.test('a read fails when nothing answers, and the drive is emptied without a client', async (t) => {
    const server = await start(t, host, { configuration: { media: { wait: host.slowness } } })
    const given = await give(t, server, socket, file)
    given.pause(true)
    await isInserted(server)
    const client = await reader(t, server)
    await t.rejects(client.read(0, 2048), { message: 'the server answers with error 5' })
    given.pause(false)
    t.equal((await client.read(0, 2048)).length, 2048, 'the next one succeeds')
    given.vanish()
    await isEmpty(server)
    const { Members } = (await server.get('/redfish/v1/Managers/1/LogServices/EventLog/Entries/?$expand=.')).json
    t.match(Members.at(-1).MessageId, /VirtualMediaEjected$/)
  })

  await t.test('a drive is emptied though a read of it waits', async (t) => {
    const given = await give(t, server, socket, file)
    given.pause(true)
    await isInserted(server)
    const client = await reader(t, server)
    const read = client.read(100 * 2048, 2048)
    read.catch(() => {})
    t.equal((await eject(server)).status, 200)
    await t.rejects(read)
    t.equal(await given.closed, '1000')
  })

  await t.test('what is no image, or too large, is not taken; nor is a second one', async (t) => {
    const ragged = await give(t, server, socket, file.subarray(1))
    t.equal(await ragged.closed, '1008 its size is not a multiple of 2048 bytes')
    const large = await give(t, server, socket, new Uint8Array(file.length + 2048))
    t.equal(await large.closed, `1008 it has more than ${file.length} bytes`)
    await isEmpty(server)
    const given = await give(t, server, socket, file)
    await isInserted(server)
    const insert = await server.post(`${drive}/Actions/VirtualMedia.InsertMedia/`, { Image: 'https://bmc/x.iso' })
    t.equal(insert.status, 409)
    given.leave()
    await isEmpty(server)
  })

  await t.test('it takes the privilege for virtual media, a place, and a host that sees the drive', async (t) => {
    const reader = { UserName: 'ann', Password: 'Green-Door-4', RoleId: 'ReadOnly' }
    const operator = { UserName: 'bob', Password: 'Green-Door-5', RoleId: 'Operator' }
    for (const each of [reader, operator]) {
      t.equal((await server.post('/redfish/v1/AccountService/Accounts', each)).status, 201)
    }
    t.equal((await server.get(socket, anonymous)).status, 401)
    t.equal((await server.get(socket, basic('ann', 'Green-Door-4'))).status, 403)
    const plain = await server.get(socket)
    t.match([plain.status, plain.headers.upgrade], [426, 'websocket'])
    t.equal((await server.get('/redfish/v1/Managers/1/VirtualMedia/2/Stream')).status, 404)
    await t.rejects(give(t, server, socket, file, { headers: anonymous }))
    await t.rejects(give(t, server, socket, file, { headers: basic('ann', 'Green-Door-4') }))
    await t.rejects(give(t, server, socket, file, { headers: { ...admin, origin: 'https://elsewhere' } }))
    const { token, location } = await server.login()
    const given = await give(t, server, socket, file, { headers: anonymous, protocols: [token['x-auth-token']] })
    await isInserted(server)
    await t.rejects(give(t, server, socket, file, { headers: basic('bob', 'Green-Door-5') }), "another user's file")
    const waiting = await give(t, server, socket, file.subarray(2048))
    t.equal(await waiting.closed, '1008 another file is in the drive')
    t.equal((await server.delete(new URL(location, 'https://bmc').pathname)).status, 200)
    t.equal(await given.closed, '1008', 'the session is over')
    t.equal((await eject(server)).status, 200)
    await isEmpty(server)
  })

  await t.test('after a restart of the service the drive waits for its client', async (t) => {
    const given = await give(t, server, socket, file)
    await isInserted(server)
    t.equal(await server.stop(), 0)
    t.equal(await given.closed, '1001')
    server = await start(t, host, options)
    t.match((await server.get(`${drive}/`)).json, { Inserted: true, ConnectedVia: 'Applet' })
    const again = await give(t, server, socket, file)
    const client = await reader(t, server)
    t.ok(Buffer.from(await client.read(4096, 2048)).equals(file.subarray(4096, 6144)))
    again.leave()
    await isEmpty(server)
    t.notOk(existsSync(join(server.data, 'media/1-1.nbd')))
  })
})
