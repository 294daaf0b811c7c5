import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hosts } from '#test/host/hosts.ts'
import { directory, password, start } from '#test/host/server.ts'
import { writeMockup } from '#test/runtime/recording/mockups.ts'
import { recorded } from '#test/runtime/recording/recorded.ts'
import { Visitor, withBrowser } from './browser.ts'

const [node] = hosts as [(typeof hosts)[number]]
const system = '/redfish/v1/Systems/1/'

withBrowser('what users expect of the page', async (t, browser) => {
  const data = directory(t)
  let server = await start(t, node, { data })
  const visitor = await Visitor.open(t, browser, server)
  const { page } = visitor
  const textIn = (selector: string) =>
    page.$eval(selector, (field) => (field as unknown as { readonly value: string }).value)
  await page.locator('input[name=keep]').click()
  await visitor.logIn()
  await visitor.sees('live')

  t.test('a change of a password says that it was saved', async () => {
    await visitor.follow('Accounts')
    await visitor.fill('Password', password, 'admin')
    await visitor.press('Save', 'admin')
    await visitor.sees('Saved.')
  })

  t.test('a target for the next boot is booted from once, unless another choice is made', async (t) => {
    const boot = async () => (await server.get(system)).json.Boot
    await visitor.follow('Boot')
    for (const [target, enabled] of [
      ['Pxe', 'Once'],
      ['None', 'Disabled']
    ] as const) {
      await visitor.choose('Boot from', target)
      await visitor.press('Save', 'Boot override')
      await visitor.settled()
      t.equal((await boot()).BootSourceOverrideEnabled, enabled)
    }
    await visitor.choose('How often', 'Continuous')
    await visitor.choose('Boot from', 'Pxe')
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
    await visitor.fill('Filter', 'boot')
    await page.reload()
    await visitor.sees('live')
    await page.waitForFunction(`document.querySelector('main select')?.value === 'live'`)
    t.equal(await textIn('select[aria-label=Severity]'), 'Critical')
    t.equal(await textIn('main input[type=search]'), 'boot')
  })

  t.test('the console comes back by itself after a restart of the service, with what was said before', async (t) => {
    await visitor.follow('Console')
    await visitor.sees('Connected.')
    const { port } = server
    await server.kill()
    await visitor.misses('Connected.')
    server = await start(t, node, { data, args: ['--port', String(port)] })
    await server.post(`${system}Actions/ComputerSystem.Reset/`, { ResetType: 'ForceRestart' })
    await visitor.sees('Connected.')
    await page.waitForFunction(`document.querySelectorAll('.xterm-rows').length === 1`)
    t.same(visitor.faults, [])
  })
})

withBrowser('a user who watches', async (t, browser) => {
  const server = await start(t, node, { configuration: { sessionTimeout: 2 } })
  const visitor = await Visitor.loggedIn(t, browser, server, '#/sensors')

  t.test('is not idle to the service while the page is visible', async (t) => {
    const uses = async () => {
      await visitor.page.waitForRequest((each) => each.url().includes('/Sessions/'), { timeout: 5000 })
    }
    for (let each = 0; each < 6; each += 1) await uses()
    t.notMatch(await visitor.text(), 'Your session is over')
    t.same(visitor.faults, [])
  })
})

withBrowser('the tree of a recorded machine', async (t, browser) => {
  const file = join(directory(t), 'board.json')
  writeFileSync(file, JSON.stringify(recorded(writeMockup(t.testdir(), 'contoso')).file))
  const server = await start(t, node, { args: ['--board', file] })
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

withBrowser('a user who may only read', async (t, browser) => {
  const server = await start(t, node)
  const secret = 'Oboe-and-Harp-9'
  const account = { UserName: 'reader', Password: secret, RoleId: 'ReadOnly' }
  await server.post('/redfish/v1/AccountService/Accounts/', account)
  const visitor = await Visitor.open(t, browser, server, '#/accounts')
  await visitor.logIn(secret, 'reader')
  await visitor.sees('live')

  t.test('sees why buttons are disabled, and changes the own password', async (t) => {
    await visitor.sees('your role may only read')
    const disabled = `[...document.querySelectorAll('main button')]
      .filter((each) => !each.disabled && each.ariaDisabled !== 'true').map((each) => each.innerText)`
    await visitor.settled()
    t.same(await visitor.page.evaluate(disabled), ['Save'])
    await visitor.fill('Password', 'Viola-and-Horn-8', 'reader')
    await visitor.press('Save', 'reader')
    await visitor.sees('Saved.')
    t.same(visitor.faults, [])
  })
})
