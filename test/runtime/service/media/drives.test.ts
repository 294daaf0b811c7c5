import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { configuration } from '#data/configuration'
import { imageAt } from '#hal/media.ts'
import { simMedia } from '#hal/sim/media.ts'
import { NbdServer } from '#runtime/base/nbd/server.ts'
import type { Caller, Event, Exchange, Peer } from '#runtime/contract'
import { Drives } from '#runtime/service/media/drives.ts'
import { Store } from '#runtime/store/store.ts'
import { serveHttps } from '#test/runtime/service/https-server.ts'
import { refusal } from '#test/runtime/service/refusal.ts'

const drive = '1/2'
const shown = '/redfish/v1/Managers/1/VirtualMedia/2'

/** A drive beside a folder of files that may be inserted: `disc.iso`, one that is no disc, and a link. */
async function open(t: Test, directory: string = t.testdir(), more: Partial<typeof configuration.media> = {}) {
  const files = join(directory, 'files')
  if (!existsSync(files)) {
    mkdirSync(files)
    writeFileSync(join(files, 'disc.iso'), Buffer.alloc(2048))
    writeFileSync(join(files, 'ragged.iso'), 'x')
    symlinkSync('disc.iso', join(files, 'link.iso'))
  }
  const store = await Store.open(`${directory}/store`, configuration.store)
  const media = simMedia({ directory, name: 'media', timeout: 0 })
  const second = simMedia({ directory, name: 'second', timeout: 0 })
  const settings = { ...configuration.media, directory: `${files}/`, ...more }
  const told: string[] = []
  const tell = async (...events: readonly Event[]) => {
    told.push(...events.map(({ message: { key, args }, origin }) => [key, origin, ...args].join(' ')))
  }
  const drives = new Drives(
    store,
    new Map(Object.entries({ [drive]: media, '1/3': second })),
    settings,
    `${directory}/media`,
    tell
  )
  const close = async () => {
    await drives.close()
    await Promise.all([media.close(), second.close()])
    await store.close()
  }
  const record = (image: string, inserted = false) =>
    store.commit({ virtualMedia: { [drive]: { image, inserted, writeProtected: true, verifyCertificate: false } } })
  return {
    ...{ directory, files, store, media, drives, close, record, told },
    /** @returns the message for the client; undefined when it is inserted */
    async insert(image: string) {
      await record(image)
      return drives.perform({ kind: 'insertMedia', drive }).then(
        () => undefined,
        ({ status, messages }) => `${status} ${messages[0].key} ${messages[0].args}`
      )
    },
    eject: () => drives.perform({ kind: 'ejectMedia', drive })
  }
}

t.test('a file is inserted, and stays when it is ejected', async (t) => {
  const { files, store, media, insert, eject, close } = await open(t)
  t.teardown(close)
  t.equal(await insert(`file://${files}/disc.iso`), undefined)
  t.equal(media.image, `${files}/disc.iso`)
  t.match(store.get('virtualMedia', drive), { inserted: true })
  await eject()
  t.equal(media.image, undefined)
  t.equal(store.get('virtualMedia', drive), undefined)
  t.ok(existsSync(`${files}/disc.iso`))
  await eject()
})

t.test('a failed insertion gives the reason and leaves the drive empty', async (t) => {
  const { files, store, media, insert, close } = await open(t)
  t.teardown(close)
  const warnings = t.capture(store.log, 'warning', () => undefined)
  for (const [image, fault, expected, cause] of [
    [`file://${files}/none.iso`, {}, '400 Mgmt.MediaNotInserted there is no such file', 'there is no such file'],
    [`file://${files}/link.iso`, {}, '400 Mgmt.MediaNotInserted it is a symbolic link', 'it is a symbolic link'],
    [`file://${files}/ragged.iso`, {}, /^400 Mgmt.MediaNotInserted .*multiple of 2048 bytes/],
    ['https://127.0.0.1:1/disc.iso', {}, /^400 Mgmt.MediaNotInserted the server cannot be reached/, /ECONNREFUSED/],
    [`file://${files}/disc.iso`, { failNext: 'EIO' }, /^503 /]
  ] as const) {
    Object.assign(media.faults, fault)
    t.match(await insert(image), expected, image)
    const lines = warnings()
    t.equal(lines.length, cause === undefined ? 0 : 1, `${image} in the log`)
    if (cause !== undefined) t.match(lines[0]?.args, ['an image was not inserted', { drive, cause }])
    t.equal(media.image, undefined)
    t.equal(store.get('virtualMedia', drive), undefined)
  }
})

t.test('a drive that fails to eject keeps its medium and its record', async (t) => {
  const { files, store, media, insert, eject, close } = await open(t)
  t.teardown(close)
  await insert(`file://${files}/disc.iso`)
  media.faults.failNext = 'EIO'
  t.match(await eject().catch((error) => error), { status: 503 })
  t.match(store.get('virtualMedia', drive), { inserted: true })
  t.equal(media.image, `${files}/disc.iso`)
})

t.test('a record that is gone before its image is fetched says that it was ejected', async (t) => {
  const { drives, close } = await open(t)
  t.teardown(close)
  const error = await drives.perform({ kind: 'insertMedia', drive }).catch((error) => error)
  t.match(error, { status: 400, messages: [{ args: ['it was ejected meanwhile'] }] })
  await t.rejects(drives.perform({ kind: 'ejectMedia', drive: '1/9' }), RangeError)
})

t.test('at the start the drive has the medium of its record, and images without a drive are removed', async (t) => {
  const directory = t.testdir()
  const image = `${directory}/media/1-2.iso`
  const uri = 'https://images.example/disc.iso'
  for (const [title, inserted, seen, isThere, expected] of [
    ['the drive has it', true, image, true, image],
    ['the drive has lost it', true, undefined, true, image],
    ['the file is gone', true, image, false, undefined],
    ['it was on its way', false, undefined, true, undefined],
    ['there is no record', undefined, image, true, undefined]
  ] as const) {
    mkdirSync(`${directory}/media`, { recursive: true })
    for (const name of ['1-2.iso', '1-3.iso.part']) writeFileSync(`${directory}/media/${name}`, Buffer.alloc(2048))
    const { store, media, drives, close, record } = await open(t, directory)
    if (inserted !== undefined) await record(uri, inserted)
    await (seen === undefined ? media.eject() : media.insert(seen))
    if (!isThere) rmSync(image)
    await drives.open()
    t.equal(media.image, expected, title)
    t.equal(store.get('virtualMedia', drive)?.image, expected && uri, title)
    t.same(readdirSync(`${directory}/media`), expected === undefined ? [] : ['1-2.iso'], title)
    await store.commit({ virtualMedia: { [drive]: null } })
    await close()
  }
})

t.test('the log says which image is missing at the start, and which drive was not restored', async (t) => {
  const { files, store, media, drives, record, close } = await open(t)
  t.teardown(close)
  const lines: unknown[] = []
  for (const level of ['warning', 'error'] as const)
    t.capture(store.log, level, (...args: unknown[]) => lines.push([level, ...args]))
  const image = `file://${files}/gone.iso`
  await record(image, true)
  await drives.open()
  t.same(lines.splice(0), [['warning', 'the image of a virtual drive is missing', { drive, image }]])
  await record(`file://${files}/disc.iso`, true)
  media.faults.failNext = 'EIO'
  await drives.open()
  t.match(lines, [['error', 'a virtual drive was not restored', { drive, cause: /fault injected/ }]])
})

/** A server that has an image, for those who know the password, and says when something that it never sends is wanted. */
async function images(t: Test) {
  let asked = () => {}
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve
  })
  const server = await serveHttps(t, ({ url, headers }, response) => {
    if (url === '/silent.iso') asked()
    else response.writeHead(headers.authorization === 'Basic YTpi' ? 200 : 401).end(Buffer.alloc(2048))
  })
  return { ...server, isAsked }
}

t.test('an image of a server is fetched into the folder of images, and removed when it is ejected', async (t) => {
  const { origin, cert } = await images(t)
  const { directory, store, media, drives, eject, close } = await open(t)
  t.teardown(close)
  const fetched = async (verifyCertificate: boolean, authorization = 'Basic YTpi') => {
    const record = { image: `${origin}/disc.iso`, inserted: false, writeProtected: true, verifyCertificate }
    await store.commit({ virtualMedia: { [drive]: record } })
    const reason = await drives.perform({ kind: 'insertMedia', drive, authorization }).catch(({ messages }) => messages)
    return reason?.[0].args[0] ?? media.image
  }
  const isRefused = 'the server cannot be reached, or is not trusted, or went away'
  t.equal(await fetched(true), isRefused)
  t.equal(await fetched(false, 'Basic eDp5'), 'the server answers with status 401')
  t.same(readdirSync(directory).includes('media'), false)
  t.equal(await fetched(false), `${directory}/media/1-2.iso`)
  await eject()
  t.same(readdirSync(`${directory}/media`), [])
  await store.commit({ trustedCertificate: { 1: { pem: cert } } })
  t.equal(await fetched(true), `${directory}/media/1-2.iso`)
  t.match(store.get('virtualMedia', drive), { inserted: true })
})

for (const [title, end, reason] of [
  ['an ejection', 'eject', 'it was ejected meanwhile'],
  ['a stop of the service', 'close', 'the service is stopping']
] as const) {
  t.test(`${title} ends an insertion that is under way, and says why`, async (t) => {
    const { origin, isAsked } = await images(t)
    const { directory, files, store, media, drives, insert, eject, record, close } = await open(t)
    t.teardown(close)
    const expected = `400 Mgmt.MediaNotInserted ${reason}`
    const ended = () => (end === 'eject' ? eject() : drives.close())
    const fetching = insert(`${origin}/silent.iso`)
    await isAsked
    await ended()
    t.equal(store.get('virtualMedia', drive), undefined, 'the end waits for what it ends')
    t.equal(await fetching, expected)
    await record(`file://${files}/disc.iso`)
    const inserting = drives.perform({ kind: 'insertMedia', drive }).catch((error) => error.messages[0].args[0])
    await ended()
    t.equal(await inserting, reason, 'also before the drive has it')
    t.equal(media.image, undefined)
    t.same(existsSync(`${directory}/media`), false)
    t.ok(existsSync(`${files}/disc.iso`))
    await record(`file://${files}/disc.iso`)
    await drives.perform({ kind: 'insertMedia', drive })
    t.equal(media.image, `${files}/disc.iso`, 'the next insertion is its own')
  })
}

t.test('a link to a folder leads to no image', async (t) => {
  const { files, insert, close } = await open(t)
  t.teardown(close)
  mkdirSync(join(files, 'discs'))
  writeFileSync(join(files, 'discs', 'disc.iso'), Buffer.alloc(2048))
  symlinkSync('discs', join(files, 'links'))
  t.equal(await insert(`file://${files}/links/disc.iso`), '400 Mgmt.MediaNotInserted it is a symbolic link')
  t.equal(await insert(`file://${files}/discs/disc.iso`), undefined)
})

t.test('a drive that has its image at the start is not told again, and one that fails stops no start', async (t) => {
  const { files, media, drives, insert, close } = await open(t)
  t.teardown(close)
  await insert(`file://${files}/disc.iso`)
  media.faults.failNext = 'EIO'
  await drives.open()
  t.equal(media.faults.failNext, 'EIO')
  t.equal(media.image, `${files}/disc.iso`)
  rmSync(`${files}/disc.iso`)
  await drives.open()
  t.equal(media.image, `${files}/disc.iso`)
})

t.test('a controller without drives leaves the folder of images alone', async (t) => {
  const { directory, store, close } = await open(t)
  t.teardown(close)
  mkdirSync(`${directory}/media`)
  writeFileSync(`${directory}/media/1-2.iso`, '')
  await new Drives(store, new Map(), configuration.media, `${directory}/media`, async () => {}).open()
  t.same(readdirSync(`${directory}/media`), ['1-2.iso'])
})

const gigabyte = 2 ** 30
const uriOfSocket = (directory: string) => imageAt(`${directory}/media/1-2.nbd`)

/** Drives for files of clients, in a folder whose path is short enough for sockets. */
async function openStreams(t: Test, more: Partial<typeof configuration.media> = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'minnow-'))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  const lines: string[] = []
  const start = async () => {
    const fixture = await open(t, directory, { size: gigabyte, wait: 60, ...more })
    for (const level of ['info', 'warning', 'error'] as const)
      t.capture(fixture.store.log, level, (text: string) => lines.push(text))
    return fixture
  }
  const fixture = await start()
  return { ...fixture, start, lines }
}

/** A client that gives a file, once it has waited for `after`, and how its connections are ended. */
function give(
  drives: Drives,
  {
    name = 'disc.iso',
    size = 4096,
    user = 'ann',
    to = drive,
    speaks = true,
    after = Promise.resolve(),
    bye = false
  } = {}
) {
  const caller: Caller = {
    ...{ account: user, user, role: '', address: '192.0.2.1', passwordChangeRequired: false },
    privileges: new Set()
  }
  const ends: string[] = []
  let isOver = false
  const gone = (saidGoodbye: boolean) => {
    if (!isOver) exchange.gone(saidGoodbye)
    isOver = true
  }
  const ended = (words: string) => {
    ends.push(words)
    queueMicrotask(() => gone(bye))
  }
  const peer: Peer = {
    write: (bytes) => queueMicrotask(() => server.received(bytes)),
    unread: () => 0,
    end: (reason, words = '') => ended(`${reason} ${words}`.trim()),
    cut: () => ended('cut')
  }
  const exchange: Exchange = drives.begin(to, caller)(peer)
  const wire = {
    write: (bytes: Uint8Array) => {
      if (speaks) void after.then(() => exchange.received(bytes))
    },
    end: () => gone(true)
  }
  const server = new NbdServer({ size, name }, wire, async (_, length) => new Uint8Array(length))
  return { ends, leave: () => gone(true), vanish: () => gone(false) }
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 2))
}

t.test("a client's file is in the drive until the drive is emptied, which ends the connection", async (t) => {
  const { directory, store, media, drives, told, lines, eject, close } = await openStreams(t)
  t.teardown(close)
  const { ends } = give(drives, { name: '\u0007grün.iso', size: gigabyte })
  await until(() => told.length === 2)
  t.same(told, [`MgmtEvents.VirtualMediaInserted ${shown} 2 grün.iso`, `ResourceEvent.ResourceChanged ${shown}`])
  t.equal(statSync(`${directory}/media`).mode & 0o777, 0o700)
  t.equal(media.image, uriOfSocket(directory))
  t.same(store.get('virtualMedia', drive), {
    ...{ image: '', inserted: true, writeProtected: true, verifyCertificate: false },
    client: { size: gigabyte, name: 'grün.iso', account: 'ann' }
  })
  t.equal(
    refusal(() => give(drives, { user: 'bob' })),
    '409 Base.ResourceInUse'
  )
  for (const file of [
    { name: 'other.iso', size: gigabyte },
    { name: 'grün.iso', size: 4096 }
  ]) {
    const other = give(drives, { ...file, bye: true })
    await until(() => other.ends.length > 0)
    t.same(other.ends, ['1008 another file is in the drive'])
  }
  await new Promise(setImmediate)
  t.same([ends, told.length], [[], 2], 'which changes nothing for the present one')
  await eject()
  t.same([ends, media.image, store.get('virtualMedia', drive)], [['1000'], undefined, undefined])
  t.same(readdirSync(`${directory}/media`), [])
  t.same(lines, ['a file of a client is inserted'])
})

t.test("a client's file that is no image, or too large, is refused with the reason", async (t) => {
  const { directory, store, drives, close } = await openStreams(t)
  t.teardown(close)
  for (const [size, expected] of [
    [0, '1008 its size is not a multiple of 2048 bytes'],
    [2047, '1008 its size is not a multiple of 2048 bytes'],
    [gigabyte + 2048, `1008 it has more than ${gigabyte} bytes`]
  ] as const) {
    const { ends } = give(drives, { size })
    await until(() => ends.length > 0)
    t.same([ends, store.get('virtualMedia', drive)], [[expected], undefined])
  }
  t.notOk(existsSync(`${directory}/media`))
})

t.test('a client whose file is not offered before another image is inserted is refused', async (t) => {
  const { files, store, media, drives, told, record, close } = await openStreams(t)
  t.teardown(close)
  let speak = () => {}
  const after = new Promise<void>((resolve) => {
    speak = resolve
  })
  const { ends } = give(drives, { after })
  await record(`file://${files}/disc.iso`)
  await drives.perform({ kind: 'insertMedia', drive })
  speak()
  await until(() => ends.length > 0)
  t.same(ends, ['1008 another image is in the drive'])
  t.equal(media.image, `${files}/disc.iso`)
  t.match(store.get('virtualMedia', drive), { image: `file://${files}/disc.iso`, inserted: true, client: undefined })
  t.same(told, [])
})

t.test('a file without a name is a disc, and of a long name its end is shown', async (t) => {
  const { store, drives, told, eject, close } = await openStreams(t)
  t.teardown(close)
  for (const [name, expected] of [
    ['', 'disc'],
    [`a${'b'.repeat(255)}`, 'b'.repeat(255)]
  ] as const) {
    told.length = 0
    give(drives, { name })
    await until(() => told.length === 2)
    t.equal(store.get('virtualMedia', drive)?.client?.name, expected)
    await eject()
  }
})

t.test('a place is taken by a client on its way, and free again when that has gone', async (t) => {
  const { drives, told, close } = await openStreams(t)
  t.teardown(close)
  t.match(
    refusal(() => give(drives, { to: '1/9' })),
    '404'
  )
  const { vanish } = give(drives, { speaks: false })
  t.equal(
    refusal(() => give(drives)),
    '503 Base.ServiceTemporarilyUnavailable 30'
  )
  const busy = '503 Base.ServiceTemporarilyUnavailable 30'
  t.equal(
    refusal(() => give(drives, { to: '1/3' })),
    busy
  )
  vanish()
  await new Promise(setImmediate)
  t.equal(
    refusal(() => give(drives)),
    'taken'
  )
  await until(() => told.length === 2)
  t.equal(
    refusal(() => give(drives, { to: '1/3' })),
    busy,
    'the other drive has the one file that may be'
  )
})

t.test('a client that offers no file loses its connection after ten seconds', async (t) => {
  const { drives, close } = await openStreams(t)
  t.teardown(close)
  const { setTimeout } = globalThis
  const restore = t.intercept(globalThis, 'setTimeout', {
    value: (run: () => void, time = 0) => setTimeout(run, time === 10_000 ? 0 : time)
  })
  const { ends } = give(drives, { speaks: false })
  await until(() => ends.length > 0)
  restore()
  t.same(ends, ['1008 no file was offered'])
})

t.test('a drive that does not take a file leaves nothing of it', async (t) => {
  const { directory, store, media, drives, lines, told, close } = await openStreams(t)
  t.teardown(close)
  media.faults.failNext = 'EIO'
  const { ends } = give(drives)
  await until(() => ends.length > 0)
  t.same(ends[0], '1011 the drive does not take it')
  t.same([store.get('virtualMedia', drive), readdirSync(`${directory}/media`), told], [undefined, [], []])
  t.same(lines, ['a file of a client was not inserted'])
  give(drives)
  await until(() => told.length === 2)
  t.equal(media.image, uriOfSocket(directory), 'the next one can be inserted')
})

t.test('a client that says goodbye takes its file with it, and one that vanishes is waited for', async (t) => {
  const { media, drives, told, lines, close } = await openStreams(t, { wait: 0.05 })
  t.teardown(close)
  const first = give(drives)
  await until(() => told.length === 2)
  const again = give(drives)
  await until(() => first.ends.length > 0)
  t.same(first.ends, ['cut'], 'the connection from before')
  again.vanish()
  const third = give(drives)
  await new Promise((resolve) => setTimeout(resolve, 100))
  t.not(media.image, undefined, 'it has come back in time')
  third.leave()
  await until(() => told.length === 4)
  t.same(told.splice(0).slice(2), [
    `MgmtEvents.VirtualMediaEjected ${shown} 2`,
    `ResourceEvent.ResourceChanged ${shown}`
  ])
  t.equal(media.image, undefined)
  const last = give(drives)
  await until(() => told.length === 2)
  last.vanish()
  await until(() => told.length === 4)
  t.equal(media.image, undefined, 'it has not come back')
  t.same(
    lines.slice(1).filter((each) => !each.endsWith('is inserted')),
    ['the client that gave a file has not come back']
  )
})

t.test('after a restart the drive waits for its client, whose socket is not removed', async (t) => {
  const { directory, drives, told, close, start } = await openStreams(t)
  const { ends } = give(drives)
  await until(() => told.length === 2)
  await close()
  t.same(ends, ['1001'])
  const next = await start()
  t.teardown(next.close)
  writeFileSync(`${directory}/media/1-3.nbd`, '')
  await next.drives.open()
  t.same(readdirSync(`${directory}/media`), ['1-2.nbd'])
  t.equal(next.media.image, uriOfSocket(directory))
  const again = give(next.drives)
  t.match(next.store.get('virtualMedia', drive), { inserted: true, client: { name: 'disc.iso' } })
  await new Promise(setImmediate)
  again.leave()
  await until(() => next.told.length === 2)
  t.equal(next.media.image, undefined)
})

t.test('a drive that has lost the file of its client has it again after a restart', async (t) => {
  const { directory, drives, told, close, start } = await openStreams(t)
  give(drives)
  await until(() => told.length === 2)
  await close()
  const next = await start()
  t.teardown(next.close)
  await next.media.eject()
  await next.drives.open()
  t.equal(next.media.image, uriOfSocket(directory))
})

t.test(
  'a drive that cannot read the file of its client after a restart is emptied, and takes the next file',
  async (t) => {
    const { directory, drives, told, lines, close, start } = await openStreams(t)
    give(drives)
    await until(() => told.length === 2)
    await close()
    const next = await start()
    t.teardown(next.close)
    const later = (images: string) =>
      new Drives(next.store, new Map([[drive, next.media]]), configuration.media, images, async () => {})
    await later(`${directory}/files/disc.iso/media`).open()
    t.equal(lines.at(-1), 'the file of a client cannot be given to its drive')
    t.equal(next.media.image, undefined)
    t.equal(next.store.get('virtualMedia', drive), undefined)
    const again = later(`${directory}/media`)
    t.teardown(() => again.close())
    give(again)
    await until(() => next.store.get('virtualMedia', drive)?.inserted === true)
    t.equal(next.media.image, uriOfSocket(directory))
  }
)

t.test('a drive whose client does not come back after a restart is emptied', async (t) => {
  const { drives, told, close, start } = await openStreams(t, { wait: 0.05 })
  give(drives)
  await until(() => told.length === 2)
  await close()
  const next = await start()
  t.teardown(next.close)
  await next.drives.open()
  await until(() => next.told.length === 2)
  t.equal(next.media.image, undefined)
})

t.test('a drive that cannot be emptied when its client leaves keeps the file', async (t) => {
  const { store, media, drives, told, lines, close } = await openStreams(t)
  t.teardown(close)
  const { leave } = give(drives)
  await until(() => told.length === 2)
  media.faults.failNext = 'EIO'
  leave()
  await until(() => lines.includes('a virtual drive was not emptied'))
  t.match(store.get('virtualMedia', drive), { inserted: true })
  t.not(media.image, undefined)
  t.equal(told.length, 2)
})
