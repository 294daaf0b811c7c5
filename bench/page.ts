import type { Browser, CDPSession, Page } from 'puppeteer-core'
import { password } from '#test/host/server.ts'
import { openTrustingBrowser } from '#test/page/chromium.ts'
import { type Figure, median } from './figures.ts'
import { hostNamed, type Measurement, startAsShipped } from './measurement.ts'
import { slowLink } from './slow-link.ts'

const times = 5

/** As fast as a quick typist: milliseconds for each key. */
const typing = { delay: 100 }

/** A link to a controller far away: milliseconds there and back, bytes a second. */
const slow = { roundTrip: 400, rate: 50_000 }

/**
 * Times and requests of a browser with an empty cache, over loopback and over a slow link. The
 * browser shows something else of the service before, so that the start of its processes is not in it.
 */
export async function* page(measurement: Measurement): AsyncGenerator<Figure> {
  const browser = await openTrustingBrowser(measurement)
  for (const name of ['x86-64', 'Node.js']) {
    const server = await startAsShipped(measurement, hostNamed(name))
    const visits: Visit[] = []
    for (let n = 0; n < times; n++) visits.push(await visit(browser, server.port))
    const long = await visit(browser, server.port, true)
    const all = (of: (visit: Visit) => number) => median(visits.map(of))
    yield { name: `first paint of the page, ${name}`, value: all(({ paint }) => paint), unit: 'ms' }
    yield { name: `login form of the page, ${name}`, value: all(({ form }) => form), unit: 'ms' }
    yield { name: `overview after the login, ${name}`, value: all(({ overview }) => overview), unit: 'ms' }
    if (name === 'x86-64') yield* traffic(long)
    const far = await visit(browser, await slowLink(measurement, server.port, slow))
    yield { name: `slow link: login form of the page, ${name}`, value: far.form, unit: 'ms' }
    yield { name: `slow link: first numbers after the login, ${name}`, value: far.numbers, unit: 'ms' }
    yield { name: `slow link: overview after the login, ${name}`, value: far.overview, unit: 'ms' }
  }
}

function* traffic({ before, after, bytes, twice, idle, heap }: Visit): Generator<Figure> {
  yield { name: 'requests for the login form', value: before, unit: 'requests' }
  yield { name: 'requests for the overview', value: after, unit: 'requests' }
  yield { name: 'bytes of login form and overview', value: bytes, unit: 'B' }
  yield { name: 'requests that are made twice', value: twice, unit: 'requests' }
  yield { name: 'requests in ten idle seconds', value: idle, unit: 'requests' }
  yield { name: 'heap of the page after all screens', value: heap, unit: 'B' }
}

interface Visit {
  readonly paint: number
  readonly form: number
  /** After the answer to the login, as the next one. */
  readonly numbers: number
  readonly overview: number
  /** How many requests there were before the login, and after it until the overview is there. */
  readonly before: number
  readonly after: number
  readonly bytes: number
  readonly twice: number
  readonly idle: number
  readonly heap: number
}

/** @param isLong whether it is idle for a while, and looks at all screens */
async function visit(browser: Browser, port: number, isLong = false): Promise<Visit> {
  const context = await browser.createBrowserContext()
  const tab = await context.newPage()
  await tab.goto(`https://127.0.0.1:${port}/redfish/v1/`)
  const session = await tab.createCDPSession()
  const traffic = await Traffic.of(session)
  await tab.goto(`https://127.0.0.1:${port}/`)
  const [paint, form] = [await painted(tab), await appeared(tab, 'input[name=user]')]
  await traffic.ends()
  const before = traffic.asked.length
  await tab.type('input[name=user]', 'admin', typing)
  await tab.type('input[name=password]', password, typing)
  const login = tab.waitForResponse((answer) => answer.request().method() === 'POST')
  await tab.keyboard.press('Enter')
  await login
  const start = performance.now()
  await tab.waitForFunction(
    `[...document.querySelectorAll('.tile .figure')].some((each) => /\\d/.test(each.innerText))`
  )
  const numbers = performance.now() - start
  await tab.waitForFunction(`document.querySelectorAll('.tile').length > 3 && !document.querySelector('main progress')`)
  const overview = performance.now() - start
  const [after, bytes] = [traffic.asked.length - before, traffic.bytes]
  await traffic.ends()
  const [twice, all] = [traffic.twice(), traffic.asked.length]
  await new Promise((passed) => setTimeout(passed, isLong ? 10_000 : 0))
  const idle = traffic.asked.length - all
  const addresses = await tab.$$eval('nav.side a', (links) => links.map((each) => each.getAttribute('href')))
  for (const address of isLong ? addresses : []) {
    await tab.evaluate(`location.hash = ${JSON.stringify(address)}`)
    await traffic.ends()
  }
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize: heap } = await session.send('Runtime.getHeapUsage')
  await context.close()
  return { paint, form, numbers, overview, before, after, bytes, twice, idle, heap }
}

const painted = async (tab: Page): Promise<number> => {
  await tab.waitForFunction(`performance.getEntriesByName('first-contentful-paint').length > 0`)
  return (await tab.evaluate(`performance.getEntriesByName('first-contentful-paint')[0].startTime`)) as number
}

/** When an element was there, after the navigation began; as exact as a frame of the browser. */
const appeared = async (tab: Page, selector: string): Promise<number> => {
  const time = await tab.waitForFunction(`document.querySelector('${selector}') && performance.now()`)
  return (await time.jsonValue()) as number
}

/** The requests of a page, without its event streams, which do not end. */
class Traffic {
  readonly asked: string[] = []
  /** Of all answers, with their heads, as sent. */
  bytes = 0
  readonly #open = new Set<string>()

  static async of(session: CDPSession): Promise<Traffic> {
    const traffic = new Traffic()
    session.on('Network.requestWillBeSent', ({ requestId, request: { method, url } }) => {
      if (url.includes('/SSE')) return
      traffic.asked.push(`${method} ${url}`)
      traffic.#open.add(requestId)
    })
    session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      if (traffic.#open.delete(requestId)) traffic.bytes += encodedDataLength
    })
    session.on('Network.loadingFailed', ({ requestId }) => void traffic.#open.delete(requestId))
    await session.send('Network.enable')
    return traffic
  }

  /** How many requests were made before. */
  twice(): number {
    return this.asked.length - new Set(this.asked).size
  }

  /** Settles when the page asks for nothing. */
  async ends(): Promise<void> {
    for (let quiet = 0; quiet < 10; quiet = this.#open.size === 0 ? quiet + 1 : 0) {
      await new Promise((passed) => setTimeout(passed, 50))
    }
  }
}
