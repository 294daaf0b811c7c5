import type { SerializedAXNode } from 'puppeteer-core'
import type { Test } from 'tap'
import { hosts } from '#test/host/hosts.ts'
import { start } from '#test/host/server.ts'
import { screens, Visitor, withBrowser } from './browser.ts'

const [node] = hosts as [(typeof hosts)[number]]

/** The roles of what a screen reader calls by its name. */
const named: ReadonlySet<string> = new Set([
  ...['button', 'link', 'textbox', 'searchbox', 'spinbutton', 'combobox', 'option', 'checkbox', 'switch', 'radio'],
  ...['slider', 'progressbar', 'meter', 'image', 'dialog', 'navigation', 'table', 'DateTime']
])

/** The roles of what a screen reader tells on the way to what is in it. */
const containers: ReadonlySet<string> = new Set(['group', 'region', 'table', 'row', 'dialog', 'navigation'])

withBrowser("the browser's accessibility tree", async (t, browser) => {
  const server = await start(t, node, { configuration: { eraseTime: 1 } })
  const visitor = await Visitor.loggedIn(t, browser, server)
  const { page } = visitor

  /** Checks that each control has a name, and that no group has two buttons of one name. */
  const check = async (t: Test, what: string) => {
    const all = await tree(visitor)
    const unnamed = all.filter(({ node: { role, name } }) => named.has(role) && !name)
    t.same(unnamed, [], `${what}: each control has a name`)
    const buttons = all
      .filter(({ node }) => node.role === 'button')
      .map(({ node, within }) => `${node.name}, in ${within}`)
    const twice = buttons.filter((each, at) => buttons.indexOf(each) !== at)
    t.same(twice, [], `${what}: no group has two buttons of one name`)
    return all
  }

  for (const screen of screens)
    t.test(`${screen}: controls have names, and landmarks lead to the parts of the page`, async (t) => {
      await visitor.follow(screen)
      const all = (await check(t, screen)).map(({ node }) => node)
      const landmarks = all.map(({ role }) => role).filter((role) => /^(banner|main|navigation)$/.test(role))
      t.same(landmarks.slice(0, 3), ['navigation', 'banner', 'main'])
      const titles = all.filter(({ role, level }) => role === 'heading' && level === 1)
      t.same(
        titles.map(({ name }) => name),
        [screen]
      )
    })

  t.test('so have menus, panels and questions', async (t) => {
    await visitor.follow('Overview')
    await visitor.press('More')
    await check(t, 'a menu')
    await visitor.press('Force off')
    await page.waitForSelector('dialog')
    await check(t, 'a question')
    await visitor.agree('Cancel')
    await visitor.press('Search Ctrl K')
    await page.waitForSelector('dialog:modal input')
    await check(t, 'the search')
    await visitor.keys('Escape')
    await visitor.follow('Accounts')
    await visitor.press('Edit: admin')
    await page.waitForSelector('dialog:modal input')
    const dialog = (await check(t, 'a panel')).find(({ node }) => node.role === 'dialog')
    t.match(dialog?.node, { name: 'admin', modal: true })
    await visitor.press('Close')
    await visitor.press('Edit: LDAP')
    for (let count = 0; count < 2; count += 1) await visitor.press('Add a role')
    await page.waitForSelector('dialog:modal .member ~ .member')
    await check(t, 'a panel with a list')
    await visitor.press('Close')
  })

  /** Marks the live regions that are there, so that a later text is said: a region that comes with it is often silent. */
  const listen = () =>
    page.evaluate(`document.querySelectorAll('[role=status], [aria-live]').forEach((each) => { each.isHeard = true })`)
  /** Waits until a text is said: in a region that was there before, or in an alert. */
  const hears = async (text: string) => {
    const isSaid = (each: string) =>
      `[...document.querySelectorAll('[role=status], [role=alert], [aria-live]')]
        .some((each) => (${each}) && each.textContent.includes(${JSON.stringify(text)}))`
    await page.waitForFunction(isSaid(`each.isHeard || each.role === 'alert'`))
    const live = (await tree(visitor)).filter(({ live }) => live?.includes(text))
    return live.length > 0
  }

  t.test('that a form is stored is said, and so is what is wrong with a field', async (t) => {
    await visitor.follow('Network')
    await visitor.fill('Host name', 'rack-7', 'Name')
    await listen()
    await visitor.press('Save', 'Name')
    t.ok(await hears('Saved'))
    await visitor.fill('Largest packet (MTU), bytes', '5', 'Port')
    await visitor.press('Save', 'Port')
    t.ok(await hears('MTUSize'))
    const field = (await tree(visitor)).find(
      ({ node: { role, name } }) => role === 'spinbutton' && name === 'Largest packet (MTU), bytes'
    )?.node
    t.match(field, { invalid: 'true', focused: true, description: /MTUSize/ })
    await visitor.press('Discard', 'Port')
  })

  t.test('an action that fails says why', async (t) => {
    await page.setRequestInterception(true)
    page.on('request', (request) => {
      void (request.method() === 'PATCH' ? request.respond({ status: 500, body: '' }) : request.continue())
    })
    await visitor.follow('Overview')
    await visitor.press('Turn lamp on')
    t.ok(await hears('The service answered with status 500.'))
    page.removeAllListeners('request')
    await page.setRequestInterception(false)
  })

  t.test('that a task began is said, and how it ended', async (t) => {
    await listen()
    const drive = '/redfish/v1/Systems/1/Storage/slot3/Drives/6/'
    const body = { SanitizationType: 'CryptographicErase' }
    const { headers } = await server.post(`${drive}Actions/Drive.SecureErase/`, body)
    const { json } = await server.get(String(headers.location))
    t.ok(await hears('Tasks: 1'))
    t.ok(await hears(`${json.Name}: done`))
  })

  t.test('that the connection is lost is said', async (t) => {
    await listen()
    await server.stop()
    t.ok(await hears('Trying again'))
    t.same(visitor.faults, [])
  })
})

/** A node with the names of what it is in, and what is said of it when it changes. */
interface Placed {
  readonly node: SerializedAXNode
  readonly within: string
  /** The text of the live region, if it is one. */
  readonly live: string | undefined
}

/** All that the page has in the accessibility tree, as a screen reader gets to it. */
async function tree({ page }: Visitor): Promise<readonly Placed[]> {
  const root = await page.accessibility.snapshot({ interestingOnly: false })
  const all = (node: SerializedAXNode, within: string): Placed[] => {
    const { role, name = '', children = [] } = node
    const inner = containers.has(role) ? `${within} ${name || textOf(node)}` : within
    const live = /^(status|alert)$/.test(role) ? textOf(node) : undefined
    return [{ node, within, live }, ...children.flatMap((each) => all(each, inner))]
  }
  return root === null ? [] : all(root, '')
}

/** The text of a node and all that is in it. */
function textOf({ role, name = '', children = [] }: SerializedAXNode): string {
  return role === 'StaticText' ? name : children.map(textOf).join(' ')
}
