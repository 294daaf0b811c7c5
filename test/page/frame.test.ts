import { hosts } from '#test/host/hosts.ts'
import { start } from '#test/host/server.ts'
import { Visitor, withBrowser } from './browser.ts'

const [node] = hosts as [(typeof hosts)[number]]

withBrowser('the frame around the screens', async (t, browser) => {
  const server = await start(t, node, { configuration: { sensors: { interval: 1 } } })
  const visitor = await Visitor.loggedIn(t, browser, server)
  const { page } = visitor

  t.test('the choices of the menu of the user stay in place while the form for the password loads', async (t) => {
    // Each position that they have in a frame, from before the menu is opened on.
    await page.evaluate(`(() => {
      const seen = (window.seen = new Set())
      const look = () => {
        const menu = [...document.querySelectorAll('.top .end .popover .segments, .top .end .popover > div > button')]
        seen.add(menu.map((each) => { const { x, y } = each.getBoundingClientRect(); return [x, y].map(Math.round) }).join(' '))
        requestAnimationFrame(look)
      }
      look()
    })()`)
    await visitor.press('admin')
    await visitor.sees('New password')
    const seen = (await page.evaluate('[...seen].filter((each) => each !== "")')) as string[]
    t.equal(seen.length, 1, seen.join('\n'))
    await visitor.keys('Escape')
    await visitor.misses('Log out')
  })

  t.test('the colours that are chosen stay after a reload', async (t) => {
    const theme = () => page.evaluate('document.documentElement.dataset.theme')
    t.equal(await theme(), 'light')
    await visitor.press('admin')
    await visitor.tick('Dark')
    await page.waitForFunction(`document.documentElement.dataset.theme === 'dark'`)
    await visitor.keys('Escape')
    await visitor.misses('Log out')
    await page.reload()
    await visitor.logIn()
    await visitor.sees('live')
    t.equal(await theme(), 'dark')
  })

  t.test('print has the content of a screen, whole, and neither sidebar nor header nor buttons', async (t) => {
    await visitor.follow('Inventory')
    const shown = () =>
      page.$$eval('.side, .top, .tools, .pages', (all) => all.filter((each) => each.getClientRects().length > 0).length)
    const scrolls = () =>
      page.$$eval('main, .scroll', (all) => all.filter((e) => e.clientHeight < e.scrollHeight).length)
    t.ok((await shown()) > 0)
    await page.emulateMediaType('print')
    t.equal(await shown(), 0)
    t.equal(await scrolls(), 0)
    await page.emulateMediaType('screen')
  })

  t.test('the head of a long table stays in sight', async (t) => {
    await page.setViewport({ width: 1024, height: 400 })
    await visitor.follow('Inventory')
    const [table, head, scrolled] = (await page.evaluate(`(() => {
      const table = [...document.querySelectorAll('main .scroll')].find((each) => each.scrollHeight > each.clientHeight)
      table.scrollTop = 200
      return [table.getBoundingClientRect().top, table.querySelector('th').getBoundingClientRect().top, table.scrollTop]
    })()`)) as [number, number, number]
    t.ok(scrolled > 0)
    t.ok(Math.abs(head - table) < 2, `head at ${head}, table at ${table}`)
    await page.setViewport({ width: 1024, height: 768 })
  })

  t.test('nothing moves where the user wants no motion', async (t) => {
    const moving = async (value: 'reduce' | 'no-preference') => {
      await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value }])
      return page.evaluate(`[...document.querySelectorAll('*')].some((each) =>
        !/^(0s(, )?)+$/.test(getComputedStyle(each).transitionDuration))`)
    }
    t.equal(await moving('no-preference'), true)
    t.equal(await moving('reduce'), false)
  })

  t.test("a time has the controller's zone under the mouse", async (t) => {
    await server.patch('/redfish/v1/Managers/1/', { DateTimeLocalOffset: '+05:00' })
    await visitor.follow('Log')
    await page.waitForFunction(`document.querySelector('main time')?.title.endsWith('(UTC+05:00)')`)
    const [shown, hover] = await page.$eval('main time', (each) => [each.textContent, each.title])
    t.not(hover, `${shown} (UTC+05:00)`)
    await server.patch('/redfish/v1/Managers/1/', { DateTimeLocalOffset: '+00:00' })
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

  t.test('it finds actions, asks as their buttons do, and says what was done or why it cannot be', async (t) => {
    const system = '/redfish/v1/Systems/1/'
    const find = async (words: string, found: string) => {
      await page.keyboard.down('Control')
      await visitor.keys('k')
      await page.keyboard.up('Control')
      await page.waitForSelector('dialog:modal input')
      await page.keyboard.type(words)
      await page.waitForFunction(`document.querySelector('[role=option]')?.innerText === ${JSON.stringify(found)}`)
      await visitor.keys('Enter')
    }
    await find('power on', 'Power on is on already')
    t.ok(await page.$('[role=option][aria-disabled=true]'))
    await visitor.keys('Escape')
    await find('force off', 'Force off Action')
    await visitor.sees('Unsaved data is lost.')
    await visitor.agree('Force off')
    await visitor.sees('Done: Force off.')
    await server.until(
      () => server.get(system),
      ({ json }) => json.PowerState === 'Off'
    )
    await find('lamp', 'Turn lamp on Action')
    await visitor.sees('Done: Turn lamp on.')
    t.equal((await server.get(system)).json.LocationIndicatorActive, true)
    await find('colours dark', 'Colours: Dark Action')
    await page.waitForFunction(`document.documentElement.dataset.theme === 'dark'`)
    await find('power on', 'Power on Action')
    await visitor.sees('Done: Power on.')
  })

  t.test('the menu of the power says what each of its buttons does', async (t) => {
    await visitor.follow('Overview')
    await visitor.press('More')
    const menu = (await page.$eval('.popover .action', (first) => first.closest('.popover')?.innerText)) as string
    t.match(menu, /Force off\s+Goes off at once. Unsaved data is lost./)
    await visitor.keys('Escape')
  })

  t.test('it finds log entries, and the log shows them', async (t) => {
    const entries = async () => (await server.get('/redfish/v1/Systems/1/LogServices/SystemLog/Entries/')).json.Members
    const { Message } = (await entries()).at(-1)
    await visitor.press('Search Ctrl K')
    await page.waitForSelector('dialog:modal input')
    await page.keyboard.type(Message)
    await page.waitForFunction(
      `document.querySelector('[role=option]')?.innerText === ${JSON.stringify(`${Message} Log`)}`
    )
    await visitor.keys('Enter')
    await page.waitForFunction(
      `document.querySelector('main input[type=search]')?.value === ${JSON.stringify(Message)}`
    )
    await visitor.sees(Message)
    t.same(visitor.faults, [])
  })

  t.test('? lists the shortcuts, and is a character where the user types', async (t) => {
    await visitor.keys('/')
    t.equal(await page.evaluate('document.activeElement.type'), 'search')
    await visitor.keys('?')
    t.equal(await page.$('dialog'), null)
    await page.evaluate('document.activeElement.blur()')
    await visitor.keys('?')
    await visitor.sees('Keyboard shortcuts')
    await visitor.sees('Search on this screen')
    await visitor.tick('Single keys are shortcuts')
    await visitor.press('Close')
    await visitor.keys('?')
    t.equal(await page.$('dialog'), null, 'for who switched single keys off')
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
    for (const width of [1024, 1440]) {
      await page.setViewport({ width, height: 760 })
      const height = await page.$eval('header.top', (each) => each.getBoundingClientRect().height)
      t.ok(height < 60, `it is one row at a width of ${width} pixels`)
    }
    await page.setViewport({ width: 1100, height: 760 })
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
