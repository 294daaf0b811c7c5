import axe from 'axe-core'
import { hosts } from '#test/host/hosts.ts'
import { start } from '#test/host/server.ts'
import { screens, Visitor, withBrowser } from './browser.ts'

const [node] = hosts as [(typeof hosts)[number]]

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
    await visitor.press('More')
    await visitor.press('Force off')
    await visitor.page.waitForSelector('dialog')
    t.same(await barriers(visitor), [], 'a question')
    t.same(visitor.faults, [])
  })
})

withBrowser('the page in German, narrow and wide', async (t, browser) => {
  const server = await start(t, node)
  await server.post('/redfish/v1/Systems/1/Actions/ComputerSystem.Reset/', { ResetType: 'ForceRestart' })
  const visitor = await Visitor.loggedIn(t, browser, server)
  const { page } = visitor
  await visitor.press('admin')
  await visitor.choose('Language', 'Deutsch')
  const places = await page.$$eval('nav a', (links) => links.map((each) => each.getAttribute('href')))

  for (const width of [320, 1400, 1900]) {
    t.test(`nothing is cut at a width of ${width} pixels`, async (t) => {
      await page.setViewport({ width, height: 900 })
      for (const place of places) {
        await page.evaluate(`location.hash = ${JSON.stringify(place)}`)
        await page.waitForSelector('main h1 ~ *')
        await visitor.settled()
        t.same(await page.evaluate(cut), [], `${place}`)
        t.ok(await page.evaluate(`document.querySelector('main').offsetWidth >= ${Math.min(width, 1400) - 240}`))
      }
      t.same(places.length, screens.length)
    })
  }

  t.test('a wide window has parts side by side', async (t) => {
    await page.setViewport({ width: 1400, height: 900 })
    await page.evaluate(`location.hash = '#/overview'`)
    await visitor.settled()
    const [power, hottest] = (await page.evaluate(
      `[...document.querySelectorAll('.card')].map((each) => each.getBoundingClientRect().top)`
    )) as number[]
    t.equal(power, hottest)
    t.same(visitor.faults, [])
  })
})

/**
 * What is wider than its place, and what stands beyond the window. Tables and fields scroll by themselves, and so does the
 * console; what is for screen readers alone is not seen.
 */
const cut = `(() => {
  const width = document.documentElement.clientWidth
  return [...document.querySelectorAll('body *')]
    .filter((each) => !each.closest('.scroll, .console, .skip, svg'))
    .filter((each) => {
      const isField = /^(SELECT|INPUT|TEXTAREA)$/.test(each.tagName)
      const isWider = !isField && each.clientWidth > 0 && each.scrollWidth > each.clientWidth + 1
      return isWider || each.getBoundingClientRect().right > width + 1
    })
    .map((each) => each.outerHTML.slice(0, 120))
})()`

/** What axe-core finds in the page as it is, by all of its rules or by one. */
async function barriers({ page }: Visitor, ...rules: readonly string[]): Promise<string[]> {
  const options = rules.length === 0 ? {} : { runOnly: rules }
  if (!(await page.evaluate(`'axe' in globalThis`))) await page.evaluate(axe.source)
  return page.evaluate(`axe.run(${JSON.stringify(options)}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html.slice(0, 160))))`) as Promise<
    string[]
  >
}
