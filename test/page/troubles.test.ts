import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HTTPRequest, Page } from 'puppeteer-core'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { makeSigner } from '#test/host/certificates.ts'
import { startFleet } from '#test/host/fleets.ts'
import { hosts } from '#test/host/hosts.ts'
import { directory, password, type Server, start } from '#test/host/server.ts'
import { Visitor, withBrowser, withBrowsers } from './browser.ts'

const [node] = hosts as [(typeof hosts)[number]]

/** Does something if it is taken for more than text. */
const hostile = `"><img src=x onerror="document.title='taken'"><script>document.title='taken'</script>{{7*7}}`
/** The same as a name that a certificate may have. */
const hostileName = `<img src=x onerror="document.title='taken'">`

withBrowser('the page in trouble', async (t, browser) => {
  const data = directory(t)
  const board = join(directory(t), 'board.json')
  writeFileSync(board, JSON.stringify({ ...hostileNames(sim), name: sim.name }))
  let server = await start(t, node, { data, args: ['--board', board] })
  const visitor = await Visitor.loggedIn(t, browser, server)
  const { page } = visitor
  const system = '/redfish/v1/Systems/1/'

  t.test('hostile texts of clients and of the machine are shown as they are, and do nothing', async (t) => {
    const { certificate } = makeSigner(t, { subject: `/CN=${hostileName}` })
    await server.post(`${system}SecureBoot/SecureBootDatabases/db/Certificates/`, {
      CertificateString: certificate,
      CertificateType: 'PEM'
    })
    await server.patch(system, { AssetTag: hostile.slice(0, 63) })
    await server.post('/redfish/v1/EventService/Subscriptions/', {
      Destination: 'https://127.0.0.1:1/',
      Protocol: 'Redfish',
      Context: hostile
    })
    await server.post('/redfish/v1/EventService/Actions/EventService.SubmitTestEvent/', {
      MessageId: 'Base.1.0.Success',
      Message: hostile,
      OriginOfCondition: `/redfish/v1/${encodeURIComponent(hostile)}`
    })
    for (const [place, text] of [
      ['overview', hostile.slice(0, 63)],
      ['sensors', hostile],
      ['boot', hostile],
      ['secure-boot', hostileName],
      ['network', `${hostile} Dedicated port`],
      ['notifications', hostile],
      [`explorer${system}`, 'AssetTag'],
      [`bios/${encodeURIComponent(hostile)}`, 'Nothing found.']
    ] as const) {
      await page.evaluate(`location.hash = ${JSON.stringify(`#/${place}`)}`)
      await visitor.sees(text)
      t.not(await page.title(), 'taken')
      t.equal(await page.evaluate(`document.querySelectorAll('main img, body script').length`), 0, place)
    }
    await visitor.follow('Log')
    await visitor.choose('Log', 'Live events')
    await visitor.sees(hostile)
    t.equal(await page.evaluate(`document.querySelectorAll('main img, body script').length`), 0, 'live events')
    t.same(visitor.faults, [])
  })

  t.test('a failure is shown with the text of the registry, beside its cause', async () => {
    await visitor.follow('Overview')
    const end = await failing(page, 'POST', 'ComputerSystem.Reset')
    await visitor.press('More')
    await visitor.press('Press power button')
    await visitor.agree('Press power button')
    await page.locator('.action .problem').wait()
    await visitor.sees('The service failed while it processed the request.')
    await end()
  })

  t.test('a screen that cannot be read shows the cause, and a retry reads it', async () => {
    const end = await failing(page, 'GET', '/Sensors/')
    await visitor.follow('Sensors')
    await visitor.sees('The service failed while it processed the request.')
    await end()
    await visitor.press('Try again')
    await page.waitForSelector('.graph')
    await visitor.misses('The service failed')
  })

  t.test('an expired session asks for the password, and continues on the same screen', async (t) => {
    await page.evaluate(`location.hash = '#/bios'`)
    await page.locator('input[type=search]').fill('QuietBoot')
    await page.locator('#QuietBoot').click()
    await visitor.sees('Save changes (1)')
    const { json } = await server.get('/redfish/v1/SessionService/Sessions/')
    for (const each of json.Members) await server.delete(each['@odata.id'])
    await visitor.sees('Your session is over')
    await visitor.fill('Password', password)
    await page.locator('dialog button[type=submit]').click()
    await visitor.misses('Your session is over')
    await visitor.press('Save changes (1)')
    await visitor.sees('Save changes (0)')
    const settings = await server.get(`${system}Bios/Settings/`)
    t.equal(settings.json.Attributes.QuietBoot, false)
    t.same(visitor.faults, [])
  })

  t.test('the page follows a restart of the service, with changes in between', async () => {
    await visitor.follow('Overview')
    await visitor.sees('live')
    const { port } = server
    const back = page.waitForRequest((request) => request.headers()['last-event-id'] !== undefined)
    await server.kill()
    await visitor.sees('Connection lost')
    await back
    server = await start(t, node, { data, args: ['--port', String(port), '--board', board] })
    await server.patch(system, { AssetTag: 'seen again' })
    await visitor.sees('live')
    await visitor.sees('seen again')
  })

  t.test('on a slow link a request is shown as in progress, and sent once', async (t) => {
    await page.setRequestInterception(true)
    const held: HTTPRequest[] = []
    page.on('request', (request) => {
      if (request.method() === 'PATCH' || /Accounts\/\?|update-multipart/.test(request.url())) held.push(request)
      else void request.continue()
    })
    // The page shows it before the browser reports the request.
    const asked = (part: RegExp) =>
      page.waitForRequest((each) => part.test(`${each.method()} ${each.url()}`), { timeout: 60_000 })
    const switched = asked(/^PATCH/)
    await visitor.press('Turn lamp on')
    await page.waitForSelector('button[aria-busy=true]')
    await switched
    await visitor.press('Turn lamp on')
    t.equal(held.length, 1)
    await held[0]!.continue()
    await visitor.sees('Turn lamp off')
    const listed = asked(/Accounts\/\?/)
    await page.evaluate(`location.hash = '#/accounts'`)
    await page.waitForSelector('progress[aria-label=Loading]')
    await listed
    for (const request of held.slice(1)) await request.continue()
    await page.waitForFunction(`document.querySelector('progress[aria-label=Loading]') === null`)
    await visitor.follow('Updates')
    await visitor.drop('bad.update', 'no update')
    const sent = asked(/update-multipart/)
    await visitor.press('Update', 'Upload')
    await page.waitForSelector('progress[aria-label=Uploaded]')
    await sent
    await held.at(-1)?.continue()
    await page.waitForSelector('.problem')
    t.same(visitor.faults, [])
  })
})

withBrowser('a screen whose file is missing says so, and the others work', async (t, browser) => {
  const server = await start(t, node)
  const visitor = await Visitor.open(t, browser, server)
  const end = await failing(visitor.page, 'GET', '/page/sensors-')
  await visitor.logIn()
  await visitor.follow('Sensors')
  await visitor.sees('The files of this screen cannot be loaded.')
  await visitor.follow('Boot')
  await visitor.sees('Boot order')
  await end()
  t.same(visitor.faults, [])
})

/** A board whose names are hostile. */
function hostileNames(board: object): object {
  return JSON.parse(JSON.stringify(board), (key, value) =>
    key === 'name' || key === 'displayName' ? `${hostile} ${value}` : value
  )
}

/** Has requests fail, until what it returns is called. */
async function failing(page: Page, method: string, part: string): Promise<() => Promise<void>> {
  await page.setRequestInterception(true)
  const body = JSON.stringify({
    error: { '@Message.ExtendedInfo': [{ MessageId: 'Base.1.12.InternalError', MessageArgs: [] }] }
  })
  const answer = (request: HTTPRequest) => {
    const fails = request.method() === method && request.url().includes(part)
    void (fails ? request.respond({ status: 500, contentType: 'application/json', body }) : request.continue())
  }
  page.on('request', answer)
  return async () => {
    page.off('request', answer)
    await page.setRequestInterception(false)
  }
}

withBrowsers('a connection that ends in the middle of an answer', async (t, browser, host) => {
  const data = directory(t)
  const file = join(data, 'fleet.json')
  const faults = [{ path: '/redfish/v1/Systems/1/Bios*', hangUp: 0.5 }]
  writeFileSync(file, JSON.stringify({ data, groups: [{ count: 1, network: '127.27.0.0/24', port: 0, faults }] }))
  const { members } = await startFleet(t, host, data, file)
  const saying = async () => new URL('/', members[0]?.url).href
  const visitor = await Visitor.open(t, browser, { process: { saying } } as unknown as Server, '#/bios')
  await visitor.logIn()

  t.test('is a service that does not answer', async (t) => {
    await visitor.sees('The service does not answer.')
    t.same(visitor.faults, [])
  })
})
