import type { HTTPRequest, Page } from 'puppeteer-core'
import { start } from '#test/host/server.ts'
import { Visitor, withBrowsers } from './browser.ts'

const failed = 'The service answered with status 500.'

withBrowsers('what cannot be read', async (t, browser, host) => {
  const server = await start(t, host)

  for (const part of ['Bios/Settings/', 'FirmwareInventory/', '/redfish/v1/Managers/']) {
    t.test(`the overview does not say that nothing changes at the next restart while ${part} fails`, async (t) => {
      const visitor = await Visitor.open(t, browser, server)
      await fails(visitor.page, part)
      await visitor.logIn()
      await visitor.sees(failed)
      await visitor.settled()
      t.notMatch(await visitor.text(), 'Nothing changes.')
    })
  }

  t.test('nor does anything say that all parts work while a part cannot be read', async (t) => {
    const visitor = await Visitor.open(t, browser, server)
    await fails(visitor.page, '/redfish/v1/Chassis/')
    await visitor.logIn()
    await visitor.sees(failed)
    await visitor.settled()
    t.notMatch(await visitor.text(), 'No part reports a fault.')
    t.equal(await visitor.page.$('header a .badge.good'), null)
  })

  t.test('nor when it fails later', async (t) => {
    const visitor = await Visitor.loggedIn(t, browser, server)
    await visitor.sees('Nothing changes.')
    await fails(visitor.page, 'Bios/Settings/')
    await server.patch('/redfish/v1/Systems/1/Bios/Settings/', { Attributes: { QuietBoot: false } })
    await visitor.sees(failed)
    t.notMatch(await visitor.text(), 'Nothing changes.')
  })

  t.test('each screen says so when the systems cannot be read, and does not wait for ever', async (t) => {
    const visitor = await Visitor.open(t, browser, server)
    await fails(visitor.page, '/redfish/v1/Systems/')
    await visitor.logIn()
    for (const screen of [
      'Overview',
      'Sensors',
      'BIOS settings',
      'Boot',
      'Secure boot',
      'Console',
      'Media',
      'Log',
      'Certificates',
      'Network',
      'Time'
    ]) {
      await visitor.follow(screen)
      await visitor.sees(failed)
      t.equal(await waits(visitor.page), false, screen)
    }
  })

  t.test('an answer that a later one has overtaken is not shown', async (t) => {
    const visitor = await Visitor.loggedIn(t, browser, server)
    const uri = '/redfish/v1/Systems/1/'
    const name = (text: string) => server.patch(uri, { AssetTag: text })
    await name('first')
    await visitor.sees('first')
    const { json: old } = await server.get(uri)
    const held = await holds(visitor.page, uri)
    await name('second')
    const overtaken = await held()
    await name('third')
    await visitor.sees('third')
    await overtaken.respond({ status: 200, body: JSON.stringify(old) })
    await visitor.settled()
    t.match(await visitor.text(), 'third')
    t.notMatch(await visitor.text(), 'first')
  })

  t.test('the settings of the BIOS say that their registry cannot be read, and a retry reads it', async (t) => {
    const visitor = await Visitor.open(t, browser, server, '#/bios')
    const works = await fails(visitor.page, '/redfish/v1/Registries/')
    await visitor.logIn()
    await visitor.sees(failed)
    await works()
    await visitor.press('Try again')
    await visitor.sees('Save changes (0)')
  })
})

/** Whether the screen says that it reads something. */
const waits = (page: Page) => page.evaluate(`document.querySelector('main progress') !== null`)

/** Holds the next request for a resource. @returns gives it, when it was made */
async function holds(page: Page, uri: string): Promise<() => Promise<HTTPRequest>> {
  await page.setRequestInterception(true)
  let isHeld = false
  const held = new Promise<HTTPRequest>((resolve) => {
    page.on('request', (request) => {
      if (isHeld || request.method() !== 'GET' || !request.url().endsWith(uri)) return void request.continue()
      isHeld = true
      resolve(request)
    })
  })
  return () => held
}

/** Has the reading of some resources fail. @returns ends it */
async function fails(page: Page, part: string): Promise<() => Promise<void>> {
  await page.setRequestInterception(true)
  const answer = (request: HTTPRequest) => {
    const isOne = request.method() === 'GET' && request.url().includes(part)
    void (isOne ? request.respond({ status: 500, body: '' }) : request.continue())
  }
  page.on('request', answer)
  return async () => {
    page.off('request', answer)
    await page.setRequestInterception(false)
  }
}
