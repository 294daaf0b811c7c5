import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { configuration } from '#data/configuration'
import { simMedia } from '#hal/sim/media.ts'
import type { Event } from '#runtime/contract'
import { Drives } from '#runtime/service/media/drives.ts'
import { Store } from '#runtime/store/store.ts'
import { serveHttps } from '#test/runtime/service/https-server.ts'

const drive = '1/2'

/** A drive beside a folder of files that may be inserted: `disc.iso`, one that is no disc, and a link. */
async function open(t: Test, directory: string = t.testdir()) {
  const files = join(directory, 'files')
  if (!existsSync(files)) {
    mkdirSync(files)
    writeFileSync(join(files, 'disc.iso'), Buffer.alloc(2048))
    writeFileSync(join(files, 'ragged.iso'), 'x')
    symlinkSync('disc.iso', join(files, 'link.iso'))
  }
  const store = await Store.open(`${directory}/store`, configuration.store)
  const media = simMedia({ directory, name: 'media', timeout: 0 })
  const settings = { ...configuration.media, directory: `${files}/` }
  const told: string[] = []
  const tell = async (...events: readonly Event[]) => {
    told.push(...events.map(({ message }) => message.key))
  }
  const drives = new Drives(store, new Map([[drive, media]]), settings, `${directory}/media`, tell)
  const close = async () => {
    await drives.close()
    await media.close()
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
  for (const [image, fault, expected] of [
    [`file://${files}/none.iso`, {}, '400 Mgmt.MediaNotInserted there is no such file'],
    [`file://${files}/link.iso`, {}, '400 Mgmt.MediaNotInserted it is a symbolic link'],
    [`file://${files}/ragged.iso`, {}, /^400 Mgmt.MediaNotInserted .*multiple of 2048 bytes/],
    ['https://127.0.0.1:1/disc.iso', {}, /^400 Mgmt.MediaNotInserted the server cannot be reached/],
    [`file://${files}/disc.iso`, { failNext: 'EIO' }, /^50\d /]
  ] as const) {
    Object.assign(media.faults, fault)
    t.match(await insert(image), expected, image)
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
