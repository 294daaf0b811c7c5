import axe from 'axe-core'
import { hosts } from '#test/host/hosts.ts'
import { start } from '#test/host/server.ts'
import { Visitor, withBrowser } from './browser.ts'

const [node] = hosts as [(typeof hosts)[number]]

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

withBrowser('the screens of the page', async (t, browser) => {
  const server = await start(t, node)

  t.test('no screen has a barrier that axe finds, dark or light, and none is wider than a telephone', async (t) => {
    const visitor = await Visitor.open(t, browser, server)
    t.same(await barriers(visitor), [], 'the login')
    await visitor.logIn()
    await visitor.sees('live')
    for (const screen of screens) {
      await visitor.follow(screen)
      await visitor.page.waitForSelector('main h1 ~ *')
      await visitor.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'light' }])
      t.same(await barriers(visitor), [], screen)
      // Nothing but the colours is otherwise.
      await visitor.page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }])
      t.same(await barriers(visitor, 'color-contrast'), [], `${screen}, dark`)
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
    await visitor.follow('Overview')
    await visitor.press('Power off hard')
    await visitor.page.waitForSelector('dialog')
    t.same(await barriers(visitor), [], 'a question')
    t.same(visitor.faults, [])
  })
})

/** What axe-core finds in the page as it is, by all of its rules or by one. */
async function barriers({ page }: Visitor, ...rules: readonly string[]): Promise<string[]> {
  const options = rules.length === 0 ? {} : { runOnly: rules }
  if (!(await page.evaluate(`'axe' in globalThis`))) await page.evaluate(axe.source)
  return page.evaluate(`axe.run(${JSON.stringify(options)}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html.slice(0, 160))))`) as Promise<
    string[]
  >
}
