import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { configuration } from '#data/configuration'
import { selfSigned } from '#runtime/service/certificates/self-signed.ts'
import { type Look, Transfer } from '#runtime/service/media/transfer.ts'
import { openFiles } from '#test/runtime/service/open-files.ts'

const image = Buffer.alloc(2048, 'sector')
const settings = { ...configuration.media, size: image.length, time: 20, answerTime: 10, redirects: 2 }
const password = 'Basic YTpi'

const { key, cert } = await selfSigned({
  commonName: 'images',
  altNames: { dns: [], ip: ['127.0.0.1'] },
  now: new Date(),
  random: (size) => new Uint8Array(size).fill(7)
})

/** How a server of images answers, by path. */
const answers: Readonly<Record<string, (response: ServerResponse) => void>> = {
  '/good': (response) => response.writeHead(200, { 'content-length': image.length }).end(image),
  '/plain': (response) => response.writeHead(200, { 'content-encoding': 'identity' }).end(image),
  '/tiny': (response) => response.writeHead(200).end('x'),
  '/missing': (response) => response.writeHead(404).end(),
  '/packed': (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(image),
  '/announced': (response) => response.writeHead(200, { 'content-length': image.length + 1 }).write('x'),
  '/large': (response) => response.writeHead(200).end(Buffer.alloc(image.length + 1)),
  '/silent': () => undefined,
  '/stuck': (response) => response.writeHead(200).write('x'),
  '/foreign': (response) => response.socket?.write('SSH-2.0-images\r\n'),
  '/cut': (response) => response.writeHead(200).write('x', () => response.destroy()),
  '/nowhere': (response) => response.writeHead(302).end(),
  '/created': (response) => response.writeHead(201, { location: '/good' }).end(),
  '/moved': (response) => response.writeHead(307, { location: '/good' }).end(),
  '/moved-twice': (response) => response.writeHead(301, { location: '/moved' }).end(),
  '/moved-thrice': (response) => response.writeHead(308, { location: '/moved-twice' }).end(),
  '/to-http': (response) => response.writeHead(302, { location: 'http://127.0.0.1/good' }).end(),
  '/private': (response) => response.writeHead(response.req.headers.authorization === password ? 200 : 401).end(image)
}

/** @param sockets gets its connections @returns the origin of a server that sends `/to?URL` to URL */
async function serve(t: Test, sockets: Socket[] = []): Promise<string> {
  const server = createServer({ cert, key }, ({ url = '' }, response) => {
    const [path, location] = url.split('?')
    if (path === '/to') response.writeHead(303, { location, 'keep-alive': 'timeout=600' }).end()
    else answers[url]?.(response)
  })
  server.keepAliveTimeout = 0 // a connection is open until the client ends it
  server.on('secureConnection', (socket) => sockets.push(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Fetches from a server into a new folder. @returns the reason of its failure, the file, and whether files are open */
function fetcher(t: Test, origin: string) {
  const folder = join(t.testdir(), 'media')
  const file = join(folder, 'image')
  return async (path: string, more: Partial<typeof settings> = {}, trust = {}, look?: Look) => {
    rmSync(folder, { recursive: true, force: true })
    const transfer = new Transfer({ origin, path }, file, { ...settings, ...more }, trust, look)
    const reason = await transfer.run().then(
      () => undefined,
      (error: Error) => error.message
    )
    const left = existsSync(folder) ? readdirSync(folder) : []
    const isOpen = openFiles(folder).length > 0
    return { reason, left, isOpen, content: left.includes('image') ? readFileSync(file) : undefined }
  }
}

t.test('an image is a file when all of it is there, also after as many redirections as are allowed', async (t) => {
  const origin = await serve(t)
  for (const path of ['/good', '/plain', '/moved', '/moved-twice', `/to?${origin}/good`]) {
    const { content, ...rest } = await fetcher(t, origin)(path)
    t.strictSame({ path, ...rest }, { path, reason: undefined, left: ['image'], isOpen: false })
    t.ok(content?.equals(image), path)
  }
  t.equal(String((await fetcher(t, origin)('/tiny')).content), 'x', 'a single byte')
})

t.test('a transfer that fails says why and leaves no file', async (t) => {
  const fetch = fetcher(t, await serve(t))
  const gone = 'the server cannot be reached, or is not trusted, or went away'
  for (const [path, expected, more] of [
    ['/missing', 'the server answers with status 404', {}],
    ['/nowhere', 'the server answers with status 302', {}],
    ['/created', 'the server answers with status 201', {}],
    ['/packed', 'the image is encoded', {}],
    ['/announced', 'it has more than 2048 bytes', {}],
    ['/large', 'it has more than 2048 bytes', {}],
    ['/moved-thrice', 'the server redirects too often', {}],
    ['/moved', 'the server redirects too often', { redirects: 0 }],
    ['/to-http', 'the server redirects to a URL without https', {}],
    ['/moved', 'the server redirects to a source that the configuration does not allow', { hosts: 'images.example' }],
    ['/silent', 'the server says nothing for 0.2 s', { answerTime: 0.2 }],
    ['/stuck', 'the server says nothing for 0.2 s', { answerTime: 0.2 }],
    ['/stuck', 'it takes longer than 0.2 s', { time: 0.2 }],
    ['/foreign', 'the server does not speak HTTP', {}],
    ['/cut', gone, {}]
  ] as const) {
    const { reason, left, isOpen } = await fetch(path, more)
    t.strictSame([path, reason, left, isOpen], [path, expected, [], false])
  }
})

t.test('only the service may read an image and enter its folder', async (t) => {
  const origin = await serve(t)
  const folder = join(t.testdir(), 'media')
  const file = join(folder, 'image')
  await new Transfer({ origin, path: '/plain' }, `${file}-2`, settings).run()
  await new Transfer({ origin, path: '/good' }, file, settings).run()
  t.same(
    [folder, file].map((each) => statSync(each).mode & 0o777),
    [0o700, 0o600]
  )
})

t.test('an image for which there is no room fails, and does not say where', async (t) => {
  const fetch = fetcher(t, await serve(t))
  for (const [code, expected] of [
    ['ENOSPC', 'there is no room for it'],
    ['EDQUOT', 'there is no room for it'],
    ['EIO', 'the server cannot be reached, or is not trusted, or went away']
  ] as const) {
    const look = () => {
      throw Object.assign(new Error(`${code}: /var/lib/minnow/media`), { code })
    }
    t.strictSame(await fetch('/good', {}, {}, look), { reason: expected, left: [], isOpen: false, content: undefined })
  }
})

t.test('a transfer that is over, or goes on at another server, keeps neither connections nor timers', async (t) => {
  const timers = t.capture(globalThis, 'setTimeout', setTimeout)
  const cleared = t.capture(globalThis, 'clearTimeout', clearTimeout)
  const sockets: Socket[] = []
  const [origin, other] = [await serve(t, sockets), await serve(t, sockets)]
  for (const path of ['/good', `/to?${other}/good`, '/missing', '/packed']) {
    await fetcher(t, origin)(path, { time: 19 })
    while (!sockets.every((socket) => socket.destroyed)) await new Promise(setImmediate)
  }
  t.equal(sockets.length, 5)
  const late = timers().flatMap((each) => (each.args[1] === 19_000 && 'returned' in each ? [each.returned] : []))
  const ended: unknown[] = cleared().map(({ args: [timer] }) => timer)
  t.same(
    late.map((timer) => ended.includes(timer)),
    [true, true, true, true]
  )
})

t.test('a server is trusted by its authority, or not checked at all', async (t) => {
  const fetch = fetcher(t, await serve(t))
  t.match((await fetch('/good', {}, { ca: [] })).reason, /is not trusted/)
  t.equal((await fetch('/good', {}, { ca: [cert] })).reason, undefined)
})

t.test('the password goes only to the server that the client named', async (t) => {
  const [origin, other] = [await serve(t), await serve(t)]
  const fetch = fetcher(t, origin)
  const trust = { authorization: password }
  t.equal((await fetch('/private')).reason, 'the server answers with status 401')
  t.equal((await fetch('/private', {}, trust)).reason, undefined)
  t.equal((await fetch(`/to?${origin}/private`, {}, trust)).reason, undefined)
  t.equal((await fetch(`/to?${other}/private`, {}, trust)).reason, 'the server answers with status 401')
})

t.test('each piece is seen with the share of the image so far, and its reader may end the transfer', async (t) => {
  const fetch = fetcher(t, await serve(t))
  const shares: number[] = []
  await fetch('/good', {}, {}, (_, share) => void shares.push(share))
  t.equal(shares.at(-1), 1)
  await fetch('/plain', {}, {}, (_, share) => void shares.push(share))
  t.ok(Number.isNaN(shares.at(-1)), 'a length that the server does not announce')
  const { left } = await fetch('/good', {}, {}, () => {
    throw new Error('not an image')
  })
  t.same(left, [])
})

t.test('a transfer that is cancelled fails with the first reason, also before it begins', async (t) => {
  const origin = await serve(t)
  for (const path of ['/silent', '/good']) {
    const transfer = new Transfer({ origin, path }, join(t.testdir(), 'image'), settings)
    const running = path === '/silent' ? transfer.run() : undefined
    transfer.cancel('it was ejected')
    transfer.cancel('the service is stopping')
    await t.rejects(running ?? transfer.run(), { message: 'it was ejected' })
  }
})
