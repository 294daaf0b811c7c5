import axe from 'axe-core'
import { hosts } from '#test/host/hosts.ts'
import { start } from '#test/host/server.ts'
import { Visitor, withBrowser } from './browser.ts'

const [node, x86] = hosts as [(typeof hosts)[number], (typeof hosts)[number]]

const screens = [
  'Overview',
  'Sensors',
  'BIOS settings',
  'Boot',
  'Secure boot',
  'Console',
  'Log',
  'Updates',
  'Accounts',
  'Settings',
  'Explorer'
]

for (const host of [node, x86]) {
  withBrowser(`the page, from ${host.name}`, async (t, browser) => {
    const server = await start(t, host)

    t.test('a wrong password is refused in words, and the right one shows the machine', async (t) => {
      const visitor = await Visitor.open(t, browser, server)
      await visitor.logIn('wrong')
      await visitor.sees('User name or password is wrong')
      await visitor.logIn()
      await visitor.sees('Dual-socket rack server')
      await visitor.sees('live')
      t.same(visitor.faults, [])
    })

    t.test('the machine is switched off and on by mouse, and both of two browsers see it', async (t) => {
      const visitor = await Visitor.loggedIn(t, browser, server)
      const other = await Visitor.loggedIn(t, browser, server)
      await visitor.press('Power off hard')
      await visitor.sees('What is not saved is lost.')
      await visitor.agree('Power off hard')
      await stateIs(visitor, 'Off')
      await stateIs(other, 'Off')
      await other.sees('is off')
      await other.press('Power on')
      await stateIs(visitor, 'On')
      t.same([...visitor.faults, ...other.faults], [])
    })

    t.test('a setting of the BIOS is changed by keyboard alone', async (t) => {
      const visitor = await Visitor.loggedIn(t, browser, server, '#/bios')
      await visitor.tabTo('Search names, help and values')
      await visitor.page.keyboard.type('QuietBoot')
      await visitor.sees('Quiet boot')
      await visitor.page.evaluate(`document.getElementById('QuietBoot').scrollIntoView()`)
      await visitor.tabTo('Quiet boot')
      await visitor.keys('Space')
      await visitor.sees('Save changes (1)')
      await visitor.page.keyboard.down('Shift')
      await visitor.tabTo('Save changes (1)')
      await visitor.page.keyboard.up('Shift')
      await visitor.keys('Enter')
      await visitor.sees('Save changes (0)')
      const { json } = await server.get('/redfish/v1/Systems/1/Bios/Settings/')
      t.equal(json.Attributes.QuietBoot, false)
      t.same(visitor.faults, [])
    })
  })
}

withBrowser('the console', async (t, browser) => {
  const server = await start(t, node)

  t.test('the terminal shows what the host says, and tells it what is typed', async (t) => {
    const visitor = await Visitor.loggedIn(t, browser, server, '#/console')
    await visitor.page.waitForSelector('.xterm')
    await visitor.sees('Connected.')
    await typesAndReads(visitor, '.xterm-rows')
    t.same(visitor.faults, [])
  })

  t.test('a build without a terminal has a plain one', async (t) => {
    const visitor = await Visitor.open(t, browser, server, '#/console')
    await visitor.page.setRequestInterception(true)
    visitor.page.on('request', (request) => {
      void (request.url().includes('/page/terminal') ? request.respond({ status: 404 }) : request.continue())
    })
    await visitor.logIn()
    await visitor.sees('Connected.')
    await visitor.page.locator('.console input').click()
    await typesAndReads(visitor, '.console pre')
  })
})

/** Types into the console, which the simulated host repeats. */
async function typesAndReads({ page }: Visitor, where: string): Promise<void> {
  await page.keyboard.type('hello')
  await page.keyboard.press('Enter')
  await page.waitForFunction(`document.querySelector('${where}').textContent.includes('hello')`)
}

withBrowser('the screens of the page', async (t, browser) => {
  const server = await start(t, node)

  t.test('no screen has a barrier that axe finds, dark or light, and none is wider than a telephone', async (t) => {
    const visitor = await Visitor.loggedIn(t, browser, server)
    for (const screen of screens) {
      await visitor.follow(screen)
      await visitor.page.waitForSelector('main h1 ~ *')
      for (const scheme of ['light', 'dark']) {
        await visitor.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
        t.same(await barriers(visitor), [], `${screen}, ${scheme}`)
      }
      await visitor.page.setViewport({ width: 320, height: 640 })
      t.ok(await visitor.page.evaluate('document.documentElement.scrollWidth <= 320'), `${screen} fits 320 pixels`)
      await visitor.page.evaluate(`document.documentElement.dir = 'rtl'`)
      t.ok(
        await visitor.page.evaluate('document.documentElement.scrollWidth <= 320'),
        `${screen} fits from right to left`
      )
      await visitor.page.evaluate(`document.documentElement.dir = 'ltr'`)
      await visitor.page.setViewport({ width: 1100, height: 760 })
    }
    t.same(visitor.faults, [])
  })
})

async function stateIs({ page }: Visitor, state: string): Promise<void> {
  await page.waitForFunction(`document.getElementById('power-state')?.innerText === '${state}'`)
}

/** What axe-core finds in the page as it is. */
async function barriers({ page }: Visitor): Promise<string[]> {
  await page.evaluate(axe.source)
  return page.evaluate(`axe.run().then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html.slice(0, 160))))`) as Promise<
    string[]
  >
}
