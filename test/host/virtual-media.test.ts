import { once } from 'node:events'
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Test } from 'tap'
import { Authority, serverExtensions } from './authority.ts'
import { onBothHosts } from './every-host.ts'
import { directory, type Json, type Response, type Scope, type Server, start } from './server.ts'

const drive = '/redfish/v1/Managers/1/VirtualMedia/2'
const disc = Buffer.alloc(20 * 2048, 'sector')
const size = 100 * 2048

const login = (user: string, secret: string) => `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`

function endless(response: ServerResponse): void {
  while (!response.destroyed && response.write(disc));
  if (!response.destroyed) response.once('drain', () => endless(response))
}

/** How a server of images answers, by path. */
const answers: Readonly<Record<string, (response: ServerResponse) => void>> = {
  '/good.iso': (response) => response.writeHead(200, { 'content-length': disc.length }).end(disc),
  '/unannounced.iso': (response) => response.writeHead(200).end(disc),
  '/missing.iso': (response) => response.writeHead(404).end('not here'),
  '/moved.iso': (response) => response.writeHead(302, { location: '/good.iso' }).end('elsewhere'),
  '/moved/twice.iso': (response) => response.writeHead(308, { location: '../moved.iso' }).end(),
  '/moved/endless.iso': (response) => endless(response.writeHead(302, { location: '/good.iso' })),
  '/moved/stuck.iso': (response) =>
    response.writeHead(302, { location: '/good.iso', 'content-length': disc.length }).write('x'),
  '/round.iso': (response) => response.writeHead(301, { location: 'round.iso' }).end(),
  '/nowhere.iso': (response) => response.writeHead(302).end(),
  '/plain.iso': (response) => response.writeHead(307, { location: 'http://127.0.0.1/good.iso' }).end(),
  '/private.iso': (response) => {
    if (response.req.headers.authorization === login('ann', 'grün')) response.end(disc)
    else response.writeHead(401).end()
  },
  '/large.iso': (response) => response.writeHead(200, { 'content-length': size + 2048 }).write('x'),
  '/endless.iso': (response) => endless(response.writeHead(200)),
  '/silent.iso': () => undefined,
  '/stuck.iso': (response) => response.writeHead(200, { 'content-length': disc.length }).write(disc.subarray(0, 2048)),
  '/slow.iso': (response) => {
    response.writeHead(200)
    const timer = setInterval(() => response.write('.'), 100)
    response.once('close', () => clearInterval(timer))
  },
  '/cut.iso': (response) => {
    response.writeHead(200, { 'content-length': disc.length })
    response.write(disc.subarray(0, 2048), () => response.destroy())
  },
  '/page.html': (response) => response.writeHead(200).end('<html>no image</html>'),
  '/packed.iso': (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(disc)
}

/** A real HTTPS server of images, which sends `/to?URL` to URL. @returns its origin */
async function images(t: Scope, authority: Authority): Promise<string> {
  const { cert, key } = authority.issue({ extensions: serverExtensions })
  const server = createServer({ cert, key }, ({ url = '' }, response) => {
    const [path, target] = url.split('?')
    if (path === '/to') response.writeHead(302, { location: target }).end()
    else answers[url]?.(response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** The simulated machine, which sees what is in its optical drive. */
function boardFile(t: Scope): string {
  const board = JSON.parse(readFileSync('data/boards/sim.json', 'utf8'))
  board.managers['1'].virtualMedia['2'].media = { type: 'sim' }
  const file = join(directory(t), 'board.json')
  writeFileSync(file, JSON.stringify(board))
  return file
}

const insert = (server: Server, Image: string, more: object = {}) =>
  server.post(`${drive}/Actions/VirtualMedia.InsertMedia/`, { Image, ...more })

const eject = (server: Server) => server.post(`${drive}/Actions/VirtualMedia.EjectMedia/`, {})

/** The answer as the client sees it: the status, then the keys of the messages with their arguments. */
function outcome({ status, json }: Response): string {
  const messages = json.error['@Message.ExtendedInfo']
  const words = messages.map(({ MessageId, MessageArgs }: Json) => `${MessageId.split('.').at(-1)}(${MessageArgs})`)
  return [status, ...words].join(' ')
}

onBothHosts(async (t, host) => {
  const authority = new Authority(t, 'images')
  const origin = await images(t, authority)
  const other = await images(t, authority)
  const files = directory(t)
  writeFileSync(join(files, 'disc one.iso'), disc)
  writeFileSync(join(files, 'ragged.iso'), 'x')
  symlinkSync('disc one.iso', join(files, 'link.iso'))
  const args = ['--board', boardFile(t)]
  const slowness = host.slowness
  const media = { size, time: 3 * slowness, answerTime: slowness, directory: files }
  const options = { data: directory(t), args, configuration: { media } }
  let server = await start(t, host, options)
  const kept = () => readdirSync(join(server.data, 'media'))
  const seen = () => JSON.parse(readFileSync(join(server.data, 'machine/media-1-2.json'), 'utf8')).image

  async function empty(t: Test): Promise<void> {
    t.match((await server.get(`${drive}/`)).json, { Image: null, Inserted: false, ConnectedVia: 'NotConnected' })
    t.same(kept(), [])
  }

  await t.test('an image is fetched, and deleted when it is ejected', async (t) => {
    for (const path of ['/good.iso', '/unannounced.iso']) {
      t.equal(outcome(await insert(server, `${origin}${path}`)), '200 Success()')
      t.match((await server.get(`${drive}/`)).json, { Image: `${origin}${path}`, Inserted: true, ConnectedVia: 'URI' })
      t.equal(seen(), join(server.data, 'media/1-2.iso'))
      t.ok(readFileSync(seen()).equals(disc))
      t.equal(outcome(await insert(server, `${origin}${path}`)), '409 ResourceInUse()')
      t.equal(outcome(await eject(server)), '200 Success()')
      t.equal(seen(), undefined)
      await empty(t)
    }
    t.equal(outcome(await eject(server)), '409 InvalidOperationForSystemState()')
  })

  await t.test('a server may redirect to the image', async (t) => {
    const moved = ['/moved.iso', '/moved/twice.iso', '/moved/endless.iso', '/moved/stuck.iso']
    for (const path of [...moved, `/to?${other}/good.iso`]) {
      t.equal(outcome(await insert(server, `${origin}${path}`)), '200 Success()', path)
      t.ok(readFileSync(seen()).equals(disc))
      await eject(server)
    }
  })

  await t.test('a password is for the server that the client named', async (t) => {
    const credentials = { UserName: 'ann', Password: 'grün' }
    for (const path of ['/private.iso', '/to?/private.iso']) {
      t.equal(outcome(await insert(server, `${origin}${path}`, credentials)), '200 Success()', path)
      t.notMatch((await server.get(`${drive}/`)).text, /ann|grün/)
      await eject(server)
    }
    const away = await insert(server, `${origin}/to?${other}/private.iso`, credentials)
    t.equal(outcome(away), '400 MediaNotInserted(the server answers with status 401)')
    await empty(t)
  })

  await t.test('an image that is incomplete, late or too large is refused with the reason and deleted', async (t) => {
    for (const [path, reason] of [
      ['/missing.iso', 'the server answers with status 404'],
      ['/round.iso', 'the server redirects too often'],
      ['/nowhere.iso', 'the server answers with status 302'],
      ['/plain.iso', 'the server redirects to a URL without https'],
      ['/private.iso', 'the server answers with status 401'],
      ['/large.iso', `it has more than ${size} bytes`],
      ['/endless.iso', `it has more than ${size} bytes`],
      ['/silent.iso', `the server says nothing for ${slowness} s`],
      ['/stuck.iso', `the server says nothing for ${slowness} s`],
      ['/slow.iso', `it takes longer than ${3 * slowness} s`],
      ['/packed.iso', 'the image is encoded']
    ] as const) {
      t.equal(outcome(await insert(server, `${origin}${path}`)), `400 MediaNotInserted(${reason})`, path)
      await empty(t)
    }
    for (const image of [`${origin}/cut.iso`, `${origin}/page.html`, 'https://127.0.0.1:1/good.iso']) {
      t.match(outcome(await insert(server, image)), /^400 MediaNotInserted\(.+\)$/, image)
      await empty(t)
    }
    const { text } = await server.get('/redfish/v1/Managers/1/LogServices/EventLog/Entries/?$expand=.')
    t.equal(text.match(/VirtualMediaInserted/g)?.length, 9, 'only what was inserted is told')
  })

  await t.test("the server's certificate is verified on request", async (t) => {
    const checked = { VerifyCertificate: true }
    t.match(outcome(await insert(server, `${origin}/good.iso`, checked)), /^400 MediaNotInserted/)
    await empty(t)
    const login = '/redfish/v1/Managers/1/SecurityService/CertificateAuthentication/Actions'
    const body = { Action: 'VendorCertAuth.ImportCACertificate', Certificate: authority.cert }
    t.equal((await server.post(`${login}/VendorCertAuth.ImportCACertificate`, body)).status, 200)
    t.equal(outcome(await insert(server, `${origin}/good.iso`, checked)), '200 Success()')
    t.match((await server.get(`${drive}/`)).json, { VerifyCertificate: true })
    await eject(server)
  })

  await t.test('a file may be inserted from the directory that is configured, and stays', async (t) => {
    const file = `file://${files}/disc%20one.iso`
    t.equal(outcome(await insert(server, file)), '200 Success()')
    t.equal(seen(), join(files, 'disc one.iso'))
    t.equal(outcome(await eject(server)), '200 Success()')
    t.ok(readFileSync(join(files, 'disc one.iso')).equals(disc))
    for (const [image, reason] of [
      [`file://${files}/link.iso`, 'it is a symbolic link'],
      [`file://${files}/none.iso`, 'there is no such file'],
      ['file:///etc/passwd', 'the configuration does not allow its source'],
      [`file://${files}2/disc.iso`, 'the configuration does not allow its source']
    ] as const) {
      t.equal(outcome(await insert(server, image)), `400 MediaNotInserted(${reason})`, image)
    }
    t.match(
      outcome(await insert(server, `file://${files}/ragged.iso`)),
      /^400 MediaNotInserted\(.*multiple of 2048 bytes\)$/
    )
    await empty(t)
  })

  await t.test('a malformed image URI, or a parameter that the drive does not support, is 400', async (t) => {
    const action = 'VirtualMedia.InsertMedia'
    for (const bad of [
      'http://127.0.0.1/good.iso',
      'file://elsewhere/good.iso',
      `file://${files}/../x.iso`,
      'good.iso'
    ]) {
      t.match(outcome(await insert(server, bad)), /^400 ActionParameterValueFormatError/, bad)
    }
    for (const parameter of ['Inserted', 'WriteProtected']) {
      const answer = await insert(server, `${origin}/good.iso`, { [parameter]: false })
      t.equal(outcome(answer), `400 ActionParameterValueNotInList(false,${parameter},${action})`)
    }
    await empty(t)
  })

  await t.test('one that is ejected on its way ends there', async (t) => {
    const inserted = insert(server, `${origin}/slow.iso`)
    await server.until(
      () => server.get(`${drive}/`),
      ({ json }) => json.Image !== null
    )
    t.match((await server.get(`${drive}/`)).json, { Inserted: false })
    t.equal(outcome(await eject(server)), '200 Success()')
    t.equal(outcome(await inserted), '400 MediaNotInserted(it was ejected meanwhile)')
    await empty(t)
  })

  await t.test('an inserted medium survives a restart; an unfinished transfer does not', async (t) => {
    t.equal(outcome(await insert(server, `${origin}/good.iso`)), '200 Success()')
    await server.kill()
    server = await start(t, host, options)
    t.match((await server.get(`${drive}/`)).json, { Image: `${origin}/good.iso`, Inserted: true })
    t.ok(readFileSync(seen()).equals(disc))
    await eject(server)
    insert(server, `${origin}/slow.iso`).catch(() => undefined)
    await server.until(
      () => server.get(`${drive}/`),
      ({ json }) => json.Image !== null
    )
    await server.kill()
    server = await start(t, host, options)
    await empty(t)
    t.equal(await server.stop(), 0)
  })

  await t.test('images are fetched from configured hosts only', async (t) => {
    const hosts = `images.example ${origin.slice('https://'.length)}`
    const configured = await start(t, host, { args, configuration: { media: { hosts } } })
    t.equal(outcome(await insert(configured, `${origin}/good.iso`)), '200 Success()')
    await eject(configured)
    const elsewhere = await insert(configured, 'https://127.0.0.1:1/good.iso')
    t.equal(outcome(elsewhere), '400 MediaNotInserted(the configuration does not allow its source)')
    const sent = await insert(configured, `${origin}/to?${other}/good.iso`)
    t.equal(
      outcome(sent),
      '400 MediaNotInserted(the server redirects to a source that the configuration does not allow)'
    )
    const file = await insert(configured, `file://${files}/disc%20one.iso`)
    t.equal(outcome(file), '400 MediaNotInserted(the configuration does not allow its source)')
    t.equal(await configured.stop(), 0)
  })
})
