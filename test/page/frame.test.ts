import { hosts } from '#test/host/hosts.ts'
import { start } from '#test/host/server.ts'
import { Visitor, withBrowser } from './browser.ts'

const [node] = hosts as [(typeof hosts)[number]]

withBrowser('the frame around the screens', async (t, browser) => {
  const server = await start(t, node, { configuration: { sensors: { interval: 1 } } })
  const visitor = await Visitor.loggedIn(t, browser, server)
  const { page } = visitor

  t.test('the colours that are chosen stay after a reload', async (t) => {
    const theme = () => page.evaluate('document.documentElement.dataset.theme')
    t.equal(await theme(), 'light')
    await visitor.press('admin')
    await visitor.tick('Dark')
    t.equal(await theme(), 'dark')
    await visitor.keys('Escape')
    await visitor.misses('Log out')
    await page.reload()
    await visitor.logIn()
    await visitor.sees('live')
    t.equal(await theme(), 'dark')
  })

  t.test('Ctrl K finds screens, sensors and BIOS settings, and Enter opens the one that is chosen', async (t) => {
    for (const [words, found, address] of [
      ['log', 'Log Screen', '#/log'],
      ['inlet', 'Inlet ambient Sensors', '#/sensors'],
      ['quiet boot', 'Quiet boot BIOS settings', '#/bios/']
    ] as const) {
      await page.keyboard.down('Control')
      await visitor.keys('k')
      await page.keyboard.up('Control')
      await page.waitForSelector('dialog:modal input')
      await page.keyboard.type(words)
      await page.waitForFunction(`document.querySelector('[role=option]')?.innerText === ${JSON.stringify(found)}`)
      await visitor.keys('Enter')
      await page.waitForFunction(`location.hash.startsWith(${JSON.stringify(address)})`)
      await page.waitForFunction(`document.querySelector('dialog') === null`)
    }
    t.same(visitor.faults, [])
  })

  t.test('the arrow keys choose among what is found, and Escape closes the search', async (t) => {
    await visitor.press('Search Ctrl K')
    await page.waitForSelector('dialog:modal input')
    await visitor.keys('ArrowDown', 'ArrowDown', 'ArrowUp')
    t.equal(await page.$eval('[aria-selected=true]', (each) => each.id), 'found-1')
    await page.keyboard.type('no such thing')
    await visitor.sees('Nothing found.')
    await visitor.keys('Escape')
    await page.waitForFunction(`document.querySelector('dialog') === null`)
  })

  t.test('the header says how many changes wait for a restart, leads to them, and restarts', async (t) => {
    await server.patch('/redfish/v1/Systems/1/Bios/Settings/', { Attributes: { QuietBoot: false } })
    await visitor.sees('Waiting for a restart: 1')
    await visitor.follow('Waiting for a restart: 1')
    await visitor.sees('Quiet boot')
    await visitor.press('Restart now')
    await visitor.agree('Restart now')
    await visitor.misses('Waiting for a restart')
    t.equal((await server.get('/redfish/v1/Systems/1/Bios/')).json.Attributes.QuietBoot, false)
  })

  t.test('the health in the header and its causes follow a sensor beyond its limit', async (t) => {
    await visitor.follow('Overview')
    await visitor.sees('No part reports a fault.')
    const sensor = '/redfish/v1/Chassis/1/Sensors/1/'
    const { status, text } = await server.patch(sensor, { Thresholds: { UpperCritical: { Reading: 1 } } })
    t.equal(status, 200, text)
    await visitor.misses('No part reports a fault.')
    await page.waitForFunction(`document.querySelector('header').innerText.includes('Critical')`)
  })

  t.test(
    'in a narrow window the screens are in a drawer, which a link, Escape or a press beside it closes',
    async (t) => {
      await page.setViewport({ width: 390, height: 700 })
      const isShown = (wanted: boolean) =>
        page.waitForFunction(`(document.querySelector('.side').offsetWidth > 0) === ${wanted}`)
      await isShown(false)
      await visitor.press('Screens')
      await isShown(true)
      await visitor.follow('Boot')
      await isShown(false)
      await visitor.press('Screens')
      await visitor.keys('Escape')
      await isShown(false)
      await visitor.press('Screens')
      await page.mouse.click(370, 400)
      await isShown(false)
      t.same(visitor.faults, [])
    }
  )
})
