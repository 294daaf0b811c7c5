import { de } from '#runtime/page/words/de.ts'
import { hosts } from '#test/host/hosts.ts'
import { start } from '#test/host/server.ts'
import { shownEnumerations } from '#test/runtime/page/enumerations.ts'
import { barriers, cut } from './barriers.ts'
import { screens, Visitor, withBrowser, withBrowsers } from './browser.ts'

const [node] = hosts as [(typeof hosts)[number]]

withBrowsers('the screens of the page', async (t, browser) => {
  const server = await start(t, node)

  t.test('no screen has a barrier that axe finds, light or dark, and none is wider than its window', async (t) => {
    const visitor = await Visitor.open(t, browser, server)
    const { page } = visitor
    /** Says so where the document scrolls sideways, from left to right or from right to left. */
    const fits = async (what: string) => {
      for (const direction of ['rtl', 'ltr']) {
        await page.evaluate(`document.documentElement.dir = '${direction}'`)
        t.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${what}, ${direction}`)
      }
    }
    t.same(await barriers(visitor), [], 'the login')
    await visitor.logIn()
    await visitor.sees('live')
    for (const screen of screens) {
      await visitor.follow(screen)
      await page.waitForSelector('main h1 ~ *')
      for (const theme of ['light', 'dark']) {
        await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`)
        t.same(await barriers(visitor), [], `${screen}, ${theme}`)
      }
      await page.evaluate(`document.documentElement.style.fontSize = '200%'`)
      await fits(`${screen} fits with letters of twice the size`)
      await page.evaluate(`document.documentElement.style.fontSize = ''`)
      await page.setViewport({ width: 320, height: 640 })
      await fits(`${screen} fits 320 pixels`)
      await page.setViewport({ width: 1100, height: 760 })
    }
    await visitor.follow('Overview')
    await visitor.press('More')
    t.same(await barriers(visitor), [], 'a menu')
    await visitor.press('Force off')
    await page.waitForSelector('dialog')
    t.same(await barriers(visitor), [], 'a question')
    t.same(visitor.faults, [])
  })
})

withBrowser('the page in colours that the operating system forces', async (t, browser) => {
  const server = await start(t, node)
  const visitor = await Visitor.loggedIn(t, browser, server)
  const { page } = visitor
  // The library knows no such feature.
  const session = await page.createCDPSession()
  await session.send('Emulation.setEmulatedMedia', { features: [{ name: 'forced-colors', value: 'active' }] })
  t.ok(await page.evaluate(`matchMedia('(forced-colors: active)').matches`))

  for (const screen of screens) {
    t.test(`${screen}: what has the focus has an outline`, async (t) => {
      await visitor.follow(screen)
      const unmarked = new Set<string>()
      for (let tries = 0; tries < 80; tries += 1) {
        await page.keyboard.press('Tab')
        const [mark, html] = (await page.evaluate(focusMark)) as [string, string]
        if (mark === 'none') unmarked.add(html)
      }
      t.same([...unmarked], [])
    })
  }
})

withBrowser('the page in German, narrow and wide', async (t, browser) => {
  const server = await start(t, node)
  await server.post('/redfish/v1/Systems/1/Actions/ComputerSystem.Reset/', { ResetType: 'ForceRestart' })
  const visitor = await Visitor.loggedIn(t, browser, server)
  const { page } = visitor
  await visitor.press('admin')
  await visitor.choose('Language', 'Deutsch')
  const places = await page.$$eval('nav a', (links) => links.map((each) => each.getAttribute('href')))
  const labels: Readonly<Record<string, string>> = de.labels
  const raw = new Set(
    [...shownEnumerations().values()]
      .flatMap((each) => [...each])
      .filter((each) => /[a-z\d][A-Z]|_/.test(each) && labels[each] !== each)
  )

  for (const width of [320, 1400, 1900]) {
    t.test(`nothing is cut at a width of ${width} pixels, and no value is shown as the service says it`, async (t) => {
      await page.setViewport({ width, height: 900 })
      for (const place of places) {
        await page.evaluate(`location.hash = ${JSON.stringify(place)}`)
        await page.waitForSelector('main h1 ~ *')
        await visitor.settled()
        t.same(await page.evaluate(cut), [], `${place}`)
        // The explorer shows resources as they are.
        const words = place?.includes('explorer') ? [] : ((await visitor.text()).match(/\w+/g) ?? [])
        t.same(
          words.filter((each) => raw.has(each)),
          [],
          `${place} has words for the values of enumerations`
        )
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

/** How the element with the focus is outlined, and what it is. */
const focusMark = `(() => {
  const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement)
  const isMarked = outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1
  return [isMarked || document.activeElement === document.body ? outlineStyle + ' ' : 'none', document.activeElement.outerHTML.slice(0, 120)]
})()`
