import type { HTTPRequest } from 'puppeteer-core'
import { hosts } from '#test/host/hosts.ts'
import { start } from '#test/host/server.ts'
import { screens, Visitor, withBrowser } from './browser.ts'

const [node] = hosts as [(typeof hosts)[number]]

/** The most that may move while a screen opens (Cumulative Layout Shift: 0.1 is called good). */
const most = 0.05

/** Sums layout shifts without recent input; `shifted()` returns the sum and the moved nodes, and resets both. */
const observe = `(() => {
  let entries = []
  new PerformanceObserver((list) => entries.push(...list.getEntries())).observe({ type: 'layout-shift', buffered: true })
  globalThis.shifted = () => {
    const own = entries.filter(({ hadRecentInput }) => !hadRecentInput)
    entries = []
    return {
      sum: own.reduce((sum, { value }) => sum + value, 0),
      moved: own.flatMap(({ sources }) => sources.map(({ node }) => node?.outerHTML?.slice(0, 80)))
    }
  }
})()`

withBrowser('while a screen opens and its resources come one by one', async (t, browser) => {
  const server = await start(t, node)
  const visitor = await Visitor.open(t, browser, server)
  const { page } = visitor
  await page.evaluateOnNewDocument(observe)
  await page.reload()
  await visitor.logIn()
  await visitor.sees('live')
  await visitor.settled()
  // The answers come one by one, those last that were asked for first.
  const waiting: HTTPRequest[] = []
  await page.setRequestInterception(true)
  page.on('request', (request) => waiting.push(request))
  const timer = setInterval(() => void waiting.pop()?.continue(), 50)
  t.teardown(() => clearInterval(timer))
  const links = (await page.$$eval('nav.side a', (all) =>
    all.map((each) => [each.innerText, each.getAttribute('href')])
  )) as [string, string][]
  t.same(links.map(([name]) => name.trim()).sort(), [...screens].sort())

  for (const [screen, address] of links) {
    t.test(`${screen}: the layout shift is at most ${most}`, async (t) => {
      await page.evaluate('shifted()')
      // Without a hand: what moves after a click does not count.
      await page.evaluate(`location.hash = ${JSON.stringify(address)}`)
      await page.waitForSelector('main h1 ~ *')
      await visitor.settled()
      const { sum, moved } = (await page.evaluate('shifted()')) as { readonly sum: number; readonly moved: string[] }
      t.ok(sum <= most, `${sum.toFixed(3)} ${moved.join(' ')}`)
    })
  }
})
