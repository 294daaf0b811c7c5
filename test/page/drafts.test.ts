import { password, start } from '#test/host/server.ts'
import { partOf, Visitor, withBrowsers } from './browser.ts'

const protocols = '/redfish/v1/Managers/1/NetworkProtocol/'
const settings = '/redfish/v1/Systems/1/Bios/Settings/'

withBrowsers('what is being entered while another client changes the same resource', async (t, browser, host) => {
  const server = await start(t, host)
  const visitor = await Visitor.loggedIn(t, browser, server)
  const hostName = async () => {
    const field = await visitor.page.waitForSelector(`${partOf('Name')} ::-p-aria([name="Host name"][role="textbox"])`)
    return field!.evaluate((input) => (input as unknown as { readonly value: string }).value)
  }

  t.test('stays in a form, and is stored with what the other one changed', async (t) => {
    await visitor.follow('Network')
    await visitor.fill('Host name', 'mine', 'Name')
    await server.patch(protocols, { SSDP: { ProtocolEnabled: true, NotifyTTL: 7 } })
    await visitor.page.waitForFunction(`[...document.querySelectorAll('input')].some(({ value }) => value === '7')`)
    t.equal(await hostName(), 'mine')
    t.notMatch(await visitor.text(), 'Changed elsewhere')
    await visitor.press('Save', 'Name')
    await server.until(
      () => server.get(protocols),
      ({ json }) => json.HostName === 'mine' && json.SSDP.NotifyTTL === 7
    )
  })

  t.test('is offered beside the new value of the same field, to take the one or the other', async (t) => {
    await visitor.settled()
    for (const [theirs, choice, then] of [
      ['theirs', 'Take the new value: Host name', 'theirs'],
      ['their-second', 'Keep mine: Host name', 'my-own']
    ] as const) {
      await visitor.fill('Host name', 'my-own', 'Name')
      await server.patch(protocols, { HostName: theirs })
      await visitor.sees(`Changed elsewhere to: ${theirs}.`)
      t.equal(await hostName(), 'my-own')
      await visitor.press(choice)
      await visitor.misses('Changed elsewhere')
      t.equal(await hostName(), then)
    }
    await visitor.press('Save', 'Name')
    await server.until(
      () => server.get(protocols),
      ({ json }) => json.HostName === 'my-own'
    )
    await visitor.settled()
    await server.patch(protocols, { HostName: 'the-last' })
    await visitor.page.waitForFunction(
      `[...document.querySelectorAll('input')].some(({ value }) => value === 'the-last')`
    )
    t.notMatch(await visitor.text(), 'Changed elsewhere', 'what is stored is no draft any more')
  })

  t.test('is offered likewise among the settings of the BIOS', async (t) => {
    const chosen = () => visitor.page.$eval('#WorkloadProfile', (select) => (select as unknown as Choice).value)
    await visitor.follow('BIOS settings')
    await visitor.fill('Search names, help and values', 'WorkloadProfile')
    await visitor.choose('Workload profile', 'Maximum performance')
    await server.patch(settings, { Attributes: { WorkloadProfile: 'PowerSaving' } })
    await visitor.sees('Changed elsewhere to:')
    t.equal(await chosen(), 'MaximumPerformance')
    await visitor.press('Take the new value: Workload profile')
    await visitor.misses('Changed elsewhere')
    t.equal(await chosen(), 'PowerSaving')
    await visitor.sees('Save changes (0)')
    t.same(visitor.faults, [])
  })
})

withBrowsers('what is being entered when the session ends', async (t, browser, host) => {
  const server = await start(t, host)
  const visitor = await Visitor.loggedIn(t, browser, server, '#/network')
  const { page } = visitor
  const entered = (label: string) =>
    page.$eval(`::-p-xpath(//input[@id=//label[.="${label}"]/@for])`, (field) => (field as unknown as Choice).value)

  t.test('is there after another login, also on another screen; a password is not', async (t) => {
    await visitor.fill('Largest packet (MTU), bytes', '1400', 'Port')
    await visitor.follow('Accounts')
    await visitor.fill('User name', 'visitor', 'New account')
    await visitor.fill('Password', 'Oboe-and-Harp-9', 'New account')
    const { json } = await server.get('/redfish/v1/SessionService/Sessions/')
    for (const each of json.Members) await server.delete(each['@odata.id'])
    await visitor.sees('Your session is over')
    await page.locator('dialog input[name=password]').fill(password)
    await page.keyboard.press('Enter')
    await visitor.misses('Your session is over')
    t.equal(await entered('User name'), 'visitor')
    t.equal(await entered('Password'), '')
    await visitor.press('Edit: admin')
    await page.locator('dialog input[type=text]').fill('boss')
    await visitor.press('Close')
    await visitor.press('Edit: admin')
    const inPanel = await page.$eval('dialog input[type=text]', (field) => (field as unknown as Choice).value)
    t.equal(inPanel, 'admin', 'who closes a panel gives up what was entered')
    await visitor.press('Close')
    await visitor.follow('Network')
    t.equal(await entered('Largest packet (MTU), bytes'), '1400')
    t.same(visitor.faults, [])
  })

  t.test('is refused at its field, which has the focus and says why', async (t) => {
    await visitor.fill('Largest packet (MTU), bytes', '5', 'Port')
    await visitor.press('Save', 'Port')
    await page.waitForFunction(`document.activeElement.ariaInvalid === 'true'`)
    const said = `document.getElementById(document.activeElement.getAttribute('aria-describedby'))
      .querySelector('[role=alert]').innerText`
    t.match(await page.evaluate(said), /MTUSize/)
    t.equal(await page.evaluate(`document.querySelectorAll('main .problem').length`), 1, 'and nowhere else')
    await visitor.fill('Largest packet (MTU), bytes', '1400', 'Port')
    t.equal(await page.evaluate(`document.querySelectorAll('main .problem').length`), 0)
    await visitor.press('Discard', 'Port')
    await visitor.follow('Accounts')
    await visitor.fill('User name', 'admin', 'New account')
    await visitor.fill('Password', 'short', 'New account')
    await visitor.press('Create')
    await page.waitForSelector('input[type=password][aria-invalid=true]')
    await visitor.fill('Password', 'Oboe-and-Harp-9', 'New account')
    await visitor.press('Create')
    await page.waitForSelector('input[type=text][aria-invalid=true]')
    await visitor.press('Discard', 'New account')
    t.same(visitor.faults, [])
  })
})

withBrowsers('what is being entered on the screens for booting, media, and any resource', async (t, browser, host) => {
  const server = await start(t, host)
  const visitor = await Visitor.loggedIn(t, browser, server, '#/boot')
  const { page } = visitor
  const system = '/redfish/v1/Systems/1/'
  const first = () => page.$eval('.order li', (each) => (each as unknown as { readonly innerText: string }).innerText)

  t.test('a boot order stays while another screen is shown, and says what others stored', async (t) => {
    await visitor.press('Move NVMe drive, bay 2 up')
    await visitor.press('Move NVMe drive, bay 2 up')
    await visitor.follow('Overview')
    await visitor.follow('Boot')
    t.match(await first(), 'NVMe drive, bay 2')
    const { BootOrder } = (await server.get(system)).json.Boot
    await server.patch(system, { Boot: { BootOrder: BootOrder.toReversed() } })
    await visitor.sees('Changed elsewhere to:')
    await visitor.press('Take the new value: Boot order')
    await visitor.misses('Changed elsewhere')
    t.notMatch(await first(), 'NVMe drive, bay 2')
  })

  t.test('what the service refuses of an image is told at its field', async (t) => {
    const drive = 'Virtual optical drive'
    await visitor.follow('Media')
    await visitor.fill('URL of an image', 'gopher://127.0.0.1/disc.iso', drive)
    await visitor.press('Insert', drive)
    await page.waitForFunction(`document.activeElement.ariaInvalid === 'true'`)
    await visitor.follow('Overview')
    await visitor.follow('Media')
    const kept = `[...document.querySelectorAll('main input')].some(({ value }) => value.startsWith('gopher:'))`
    t.ok(await page.evaluate(kept))
    await visitor.press('Discard', drive)
  })

  t.test('a body that is no JSON is told at its field, and stays', async (t) => {
    await page.evaluate(`location.hash = '#/explorer/redfish/v1/AccountService/Accounts/'`)
    await visitor.fill('JSON', '{ "UserName": ', 'Create')
    await visitor.press('Send POST', 'Create')
    await page.waitForSelector('textarea[aria-invalid=true]')
    await visitor.follow('Overview')
    await page.evaluate(`location.hash = '#/explorer/redfish/v1/AccountService/Accounts/'`)
    const area = await page.waitForSelector('textarea')
    t.equal(await area!.evaluate((each) => (each as unknown as Choice).value), '{ "UserName": ')
    t.same(visitor.faults, [])
  })
})

interface Choice {
  readonly value: string
}
