import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HTTPRequest, Page } from 'puppeteer-core'
import { hosts } from '#test/host/hosts.ts'
import { directory, start } from '#test/host/server.ts'
import { writeMockup } from '#test/runtime/recording/mockups.ts'
import { recorded } from '#test/runtime/recording/recorded.ts'
import { screens, Visitor, withBrowser } from './browser.ts'

const [node] = hosts as [(typeof hosts)[number]]
const failed = 'The service answered with status 500.'

withBrowser('what cannot be read', async (t, browser) => {
  const server = await start(t, node)

  for (const part of ['Bios/Settings/', 'FirmwareInventory/', 'Managers/1/']) {
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
    await fails(visitor.page, 'Chassis/1/')
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
      'Log',
      'Settings'
    ]) {
      await visitor.follow(screen)
      await visitor.sees(failed)
      t.equal(await waits(visitor.page), false, screen)
    }
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

withBrowser('a recorded machine that lacks much', async (t, browser) => {
  const file = join(directory(t), 'board.json')
  writeFileSync(file, JSON.stringify(recorded(writeMockup(t.testdir(), 'fabrikam')).file))
  const server = await start(t, node, { args: ['--board', file] })
  const visitor = await Visitor.loggedIn(t, browser, server)

  t.test('its sensors are said not to be available, and no screen waits for ever', async (t) => {
    await visitor.follow('Sensors')
    await visitor.sees('Not available on this machine.')
    for (const screen of screens) {
      await visitor.follow(screen)
      t.equal(await waits(visitor.page), false, screen)
    }
    t.same(visitor.faults, [])
  })
})

/** Whether the screen says that it reads something. */
const waits = (page: Page) => page.evaluate(`document.querySelector('main progress') !== null`)

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
