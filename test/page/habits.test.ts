import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { directory, password, start } from '#test/host/server.ts'
import { writeMockup } from '#test/runtime/recording/mockups.ts'
import { recorded } from '#test/runtime/recording/recorded.ts'
import { Visitor, withBrowsers } from './browser.ts'

const system = '/redfish/v1/Systems/1/'

withBrowsers('what users expect of the page', async (t, browser, host) => {
  const data = directory(t)
  let server = await start(t, host, { data })
  const visitor = await Visitor.open(t, browser, server)
  const { page } = visitor
  const textIn = (selector: string) =>
    page.$eval(selector, (field) => (field as unknown as { readonly value: string }).value)
  await page.locator('input[name=keep]').click()
  await visitor.logIn()
  await visitor.sees('live')

  t.test('the own password is changed in the menu of the user, which says so', async (t) => {
    await visitor.press('admin')
    await visitor.fill('New password', password)
    await visitor.tick('Show the password')
    t.ok(await page.$('input[type=text][autocomplete=new-password]'))
    await visitor.press('Change password')
    await visitor.sees('Your password was changed.')
    await visitor.keys('Escape')
  })

  t.test('a panel stays open when the choice of a file is given up', async (t) => {
    await visitor.follow('Certificates')
    await visitor.press('Replace the certificate')
    const chosen = page.waitForFileChooser()
    await page.locator('dialog input[type=file]').click()
    await (await chosen).cancel()
    await visitor.settled()
    t.ok(await page.$('dialog input[type=file]'))
    await visitor.press('Close')
  })

  t.test('a target for the next boot is booted from once, unless another choice is made', async (t) => {
    const boot = async () => (await server.get(system)).json.Boot
    await visitor.follow('Boot')
    for (const [target, enabled] of [
      ['Network (PXE)', 'Once'],
      ['None', 'Disabled']
    ] as const) {
      await visitor.choose('Boot from', target)
      await visitor.press('Save', 'Boot override')
      await visitor.settled()
      t.equal((await boot()).BootSourceOverrideEnabled, enabled)
    }
    await visitor.choose('How often', 'Always')
    await visitor.choose('Boot from', 'Network (PXE)')
    await visitor.press('Save', 'Boot override')
    await visitor.settled()
    t.equal((await boot()).BootSourceOverrideEnabled, 'Continuous')
  })

  t.test('a menu of the BIOS takes the place of a search, which outlives a reload', async (t) => {
    await visitor.follow('BIOS settings')
    await visitor.fill('Search names, help and values', 'QuietBoot')
    await page.waitForSelector('#QuietBoot')
    await page.reload()
    await page.waitForSelector('#QuietBoot')
    t.equal(await textIn('input[type=search]'), 'QuietBoot')
    const [menu] = await page.$$('nav[aria-label=Menus] li a')
    await menu?.click()
    await page.waitForSelector('#QuietBoot', { hidden: true })
    t.equal(await textIn('input[type=search]'), '')
  })

  t.test('the log that was chosen, and its filters, outlive a reload', async (t) => {
    await visitor.follow('Log')
    await visitor.choose('Log', 'Live events')
    await visitor.choose('Severity', 'Critical')
    await visitor.fill('Search in Live events', 'boot')
    await page.reload()
    await visitor.sees('live')
    await page.waitForFunction(`document.querySelector('main select[aria-label=Log]')?.value === 'live'`)
    t.equal(await textIn('select[aria-label=Severity]'), 'Critical')
    t.equal(await textIn('main input[type=search]'), 'boot')
  })

  t.test('the console comes back by itself after a restart of the service, with what was said before', async (t) => {
    await visitor.follow('Console')
    await visitor.sees('Connected.')
    const { port } = server
    await server.kill()
    await visitor.misses('Connected.')
    server = await start(t, host, { data, args: ['--port', String(port)] })
    await server.post(`${system}Actions/ComputerSystem.Reset/`, { ResetType: 'ForceRestart' })
    await visitor.sees('Connected.')
    await page.waitForFunction(`document.querySelectorAll('.xterm-rows').length === 1`)
    t.same(visitor.faults, [])
  })
})

withBrowsers('a user who watches', async (t, browser, host) => {
  const server = await start(t, host, { configuration: { sessionTimeout: 5 } })
  const visitor = await Visitor.loggedIn(t, browser, server, '#/sensors')

  t.test('is not idle to the service while the page is visible', async (t) => {
    const uses = async () => {
      await visitor.page.waitForRequest((each) => each.url().includes('/Sessions/'), { timeout: 60_000 })
    }
    for (let each = 0; each < 4; each += 1) await uses()
    t.notMatch(await visitor.text(), 'Your session is over')
    t.same(visitor.faults, [])
  })
})

withBrowsers('the tree of a recorded machine', async (t, browser, host) => {
  const file = join(directory(t), 'board.json')
  writeFileSync(file, JSON.stringify(recorded(writeMockup(t.testdir(), 'contoso')).file))
  const server = await start(t, host, { args: ['--board', file] })
  const visitor = await Visitor.loggedIn(t, browser, server, '#/explorer/redfish/v1/')

  t.test('names resources by their last segment, also without a slash at the end', async (t) => {
    await visitor.press('Open Systems')
    await visitor.press('Open System.Embedded.1')
    const names = `[...document.querySelectorAll('.tree a')].map((each) => each.innerText)`
    await visitor.page.waitForFunction(`${names}.includes('Processors')`)
    t.equal(((await visitor.page.evaluate(names)) as string[]).filter((each) => each === 'v1').length, 1)
    t.same(visitor.faults, [])
  })
})

withBrowsers('a user who may only read', async (t, browser, host) => {
  const server = await start(t, host)
  const secret = 'Oboe-and-Harp-9'
  const account = { UserName: 'reader', Password: secret, RoleId: 'ReadOnly' }
  await server.post('/redfish/v1/AccountService/Accounts/', account)
  const visitor = await Visitor.open(t, browser, server, '#/accounts')
  await visitor.logIn(secret, 'reader')
  await visitor.sees('live')

  t.test('sees why buttons are disabled, and changes the own password', async (t) => {
    await visitor.sees('your role may only read')
    const enabled = `[...document.querySelectorAll('main button:not(.sort)')]
      .filter((each) => !each.disabled && each.ariaDisabled !== 'true').map((each) => each.innerText)`
    await visitor.settled()
    t.same(await visitor.page.evaluate(enabled), ['CSV'])
    await visitor.press('Search Ctrl K')
    await visitor.page.waitForSelector('dialog:modal input')
    await visitor.page.keyboard.type('force off')
    await visitor.sees('Force off your role may only read')
    await visitor.keys('Escape')
    await visitor.press('reader')
    await visitor.fill('New password', 'Viola-and-Horn-8')
    await visitor.press('Change password')
    await visitor.sees('Your password was changed.')
    t.same(visitor.faults, [])
  })
})

withBrowsers('an operator', async (t, browser, host) => {
  const server = await start(t, host)
  const secret = 'Oboe-and-Harp-9'
  const account = { UserName: 'operator', Password: secret, RoleId: 'Operator' }
  await server.post('/redfish/v1/AccountService/Accounts/', account)
  const visitor = await Visitor.open(t, browser, server, '#/accounts')
  await visitor.logIn(secret, 'operator')
  await visitor.sees('live')

  t.test('sees at disabled buttons what the role may not do, and works with the others', async (t) => {
    await visitor.sees('your role may not manage users')
    await visitor.follow('Log')
    await visitor.choose('Log', 'System log of the host')
    await visitor.sees('your role may not configure the controller')
    await visitor.follow('Boot')
    await visitor.choose('Boot from', 'Network (PXE)')
    await visitor.press('Save', 'Boot override')
    await server.until(
      () => server.get(system),
      ({ json }) => json.Boot.BootSourceOverrideTarget === 'Pxe'
    )
    t.notMatch(await visitor.text(), 'your role may not')
    t.same(visitor.faults, [])
  })
})

withBrowsers('how far a screen is scrolled', async (t, browser, host) => {
  const server = await start(t, host)
  const visitor = await Visitor.open(t, browser, server, '#/sensors')
  const { page } = visitor
  await page.locator('input[name=keep]').click()
  await visitor.logIn()
  await visitor.sees('live')
  const isAt = (top: number) => page.waitForFunction(`Math.abs(document.querySelector('main').scrollTop - ${top}) < 2`)

  t.test('outlives a reload, and Back', async (t) => {
    await visitor.settled()
    await page.evaluate(`document.querySelector('main').scrollTop = 300`)
    await page.waitForFunction('history.state?.top === 300')
    await page.reload()
    await isAt(300)
    await visitor.follow('Overview')
    await isAt(0)
    await page.goBack()
    await isAt(300)
    t.same(visitor.faults, [])
  })
})
