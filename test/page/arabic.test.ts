import { hosts } from '#test/host/hosts.ts'
import { start } from '#test/host/server.ts'
import { barriers, cut } from './barriers.ts'
import { screens, Visitor, withBrowser } from './browser.ts'

const [node] = hosts as [(typeof hosts)[number]]

withBrowser('the page in Arabic', async (t, browser) => {
  const server = await start(t, node)
  await server.post('/redfish/v1/Systems/1/Actions/ComputerSystem.Reset/', { ResetType: 'ForceRestart' })
  const visitor = await Visitor.loggedIn(t, browser, server)
  const { page } = visitor
  await visitor.press('admin')
  await visitor.choose('Language', 'العربية')
  await visitor.sees('نظرة عامة')
  await page.keyboard.press('Escape')
  const places = await page.$$eval('nav a', (links) => links.map((each) => each.getAttribute('href')))
  const opens = async (place: string | null) => {
    await page.evaluate(`location.hash = ${JSON.stringify(place)}`)
    await page.waitForSelector('main h1 ~ *')
    await visitor.settled()
  }
  const directionOf = (selector: string) =>
    page.evaluate(`getComputedStyle(document.querySelector('${selector}')).direction`)
  /** How far an element is from the left and from the right edge of the window. */
  const edgesOf = (selector: string) =>
    page.evaluate(`(() => {
      const { left, right } = document.querySelector('${selector}').getBoundingClientRect()
      return { left, right: innerWidth - right }
    })()`) as Promise<{ readonly left: number; readonly right: number }>

  t.test('it says its language and direction, and so does the login of another tab', async (t) => {
    const root = () => page.evaluate('[document.documentElement.lang, document.documentElement.dir]')
    t.same(await root(), ['ar', 'rtl'])
    const other = await visitor.beside()
    await other.sees('تسجيل الدخول')
    t.same(await other.page.evaluate('document.documentElement.dir'), 'rtl', 'the login')
  })

  for (const width of [1440, 390]) {
    t.test(`no screen has a barrier or is cut at a width of ${width} pixels`, async (t) => {
      await page.setViewport({ width, height: 900 })
      for (const place of places) {
        await opens(place)
        t.same(await page.evaluate(cut), [], `${place}`)
        t.same(await barriers(visitor), [], `${place}`)
        t.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${place} does not scroll`)
      }
      t.equal(places.length, screens.length)
    })
  }

  t.test('navigation begins at the right edge, and a panel opens at the left one', async (t) => {
    await page.setViewport({ width: 1440, height: 900 })
    await opens('#/accounts')
    t.equal((await edgesOf('nav.side')).right, 0)
    await visitor.press('دور جديد')
    t.equal((await edgesOf('dialog.panel')).left, 0)
    await page.keyboard.press('Escape')
    await page.setViewport({ width: 390, height: 900 })
    await page.click('.drawer')
    t.equal((await edgesOf('nav.side')).right, 0)
    await page.keyboard.press('Escape')
  })

  t.test('menus stay inside of a narrow window', async (t) => {
    // With a change that waits the header has several lines.
    await server.patch('/redfish/v1/Systems/1/Bios/Settings/', { Attributes: { QuietBoot: false } })
    await visitor.sees('تغييرات معلّقة')
    await visitor.press('admin')
    t.same(await page.evaluate(cut), [])
    await page.keyboard.press('Escape')
    await page.setViewport({ width: 1440, height: 900 })
  })

  t.test('code, the console and time run from left to right', async (t) => {
    await opens('#/explorer')
    for (const each of ['.curl code', '.json']) t.equal(await directionOf(each), 'ltr', each)
    await opens('#/sensors')
    for (const each of ['.graph svg', '.graph input']) t.equal(await directionOf(each), 'ltr', each)
    await opens('#/console')
    await visitor.sees('تم الاتصال.')
    t.equal(await directionOf('.console'), 'ltr')
  })

  t.test('a text of the service keeps its punctuation at its end', async (t) => {
    await opens('#/log')
    const text = 'The server 1 started to boot after a reset.'
    await visitor.sees(text)
    const [first, last] = (await page.evaluate(endsOf, text)) as [number, number]
    t.ok(first < last, 'the period is right of the first letter')
    t.same(visitor.faults, [])
  })
})

/** How far from the left the first and the last letter of a text stand in a table. */
const endsOf = (text: string): unknown => {
  const { document } = globalThis as unknown as Sight
  const cell = [...document.querySelectorAll('td')].find((each) => each.textContent === text)!
  const node = document.createTreeWalker(cell, 4).nextNode()
  return [0, text.length - 1].map((at) => {
    const range = document.createRange()
    range.setStart(node, at)
    range.setEnd(node, at + 1)
    return range.getBoundingClientRect().left
  })
}

/** The members of a page that tests read; this process has no DOM types. */
interface Sight {
  readonly document: {
    querySelectorAll(selector: string): Iterable<{ readonly textContent: string }>
    createTreeWalker(root: unknown, what: number): { nextNode(): unknown }
    createRange(): {
      setStart(node: unknown, at: number): void
      setEnd(node: unknown, at: number): void
      getBoundingClientRect(): { readonly left: number }
    }
  }
}
