import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { NbdClient } from '#runtime/base/nbd/client.ts'
import { Exported } from '#runtime/service/media/exported.ts'

const file = Uint8Array.from({ length: 4096 }, (_, index) => index % 251)

function make(
  t: Test,
  path: string,
  read = async (offset: number, length: number) => file.slice(offset, offset + length)
) {
  const exported = new Exported(path, { size: file.length, name: 'disc.iso' }, read)
  t.teardown(() => exported.close())
  return exported
}

/** The path of a socket may have 107 bytes, which that of a test's own folder may be longer than. */
function place(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'minnow-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, 'x.nbd')
}

/** A connection, as a drive makes it. */
async function drive(t: Test, path: string) {
  const socket = connect({ path })
  t.teardown(() => socket.destroy())
  const client = new NbdClient({ write: (bytes) => void socket.write(bytes), end: () => void socket.destroy() })
  socket.on('data', (chunk: Uint8Array) => client.received(chunk))
  socket.on('error', () => socket.destroy())
  const gone = new Promise<string>((resolve) =>
    socket.on('close', () => {
      client.closed()
      resolve('gone')
    })
  )
  await once(socket, 'connect')
  const isServed = client.opened.then(
    () => true,
    () => false
  )
  return { socket, client, gone, isServed }
}

t.test('a drive and the one that follows it read a file, and a third connection is refused', async (t) => {
  const path = place(t)
  await make(t, path).open()
  const first = await drive(t, path)
  const second = await drive(t, path)
  t.same([await first.isServed, await second.isServed], [true, true])
  const third = await drive(t, path)
  t.equal(await third.isServed, false)
  t.ok(Buffer.from(await first.client.read(2048, 2048)).equals(file.subarray(2048)))
  first.socket.destroy()
  await first.gone
  let next = await drive(t, path)
  while (!(await next.isServed)) next = await drive(t, path)
  t.ok(Buffer.from(await next.client.read(0, 2048)).equals(file.subarray(0, 2048)), 'its place is free again')
})

t.test('a socket takes the place of one that was left, and a folder that is missing is a failure', async (t) => {
  const path = place(t)
  writeFileSync(path, 'left')
  await make(t, path).open()
  t.equal(await (await drive(t, path)).isServed, true)
  await t.rejects(make(t, join(dirname(path), 'none', 'x.nbd')).open(), { code: /^E/ })
})

t.test('an export that is closed ends its connections and leaves no socket', async (t) => {
  const path = place(t)
  const exported = make(t, path)
  await exported.open()
  const { isServed, gone } = await drive(t, path)
  t.equal(await isServed, true)
  exported.close()
  t.equal(await gone, 'gone')
  t.equal(existsSync(path), false)
})

t.test('a drive that breaks the protocol loses its connection, and no other', async (t) => {
  const path = place(t)
  await make(t, path).open()
  const other = await drive(t, path)
  const rude = await drive(t, path)
  rude.socket.write('GET / HTTP/1.1\r\nHost: controller\r\n\r\n')
  t.equal(await rude.gone, 'gone')
  t.equal((await other.client.opened).name, 'disc.iso')
  t.equal((await other.client.read(0, 2048)).length, 2048)
})
