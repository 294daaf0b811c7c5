import { openBrowser } from '#test/page/chromium.ts'
import { type Figure, median } from './figures.ts'
import { hostNamed, type Measurement, startAsShipped } from './measurement.ts'

const times = 9

/**
 * Milliseconds until a browser that has nothing of the page yet paints it, over loopback. The browser shows something
 * else of the service before, so that the start of its processes is not in it.
 */
export async function* page(measurement: Measurement): AsyncGenerator<Figure> {
  const browser = await openBrowser(measurement)
  for (const name of ['x86-64', 'Node.js']) {
    const server = await startAsShipped(measurement, hostNamed(name))
    const taken: number[] = []
    for (let n = 0; n < times; n++) {
      const context = await browser.createBrowserContext()
      const tab = await context.newPage()
      await tab.goto(`https://127.0.0.1:${server.port}/redfish/v1/`)
      await tab.goto(`https://127.0.0.1:${server.port}/`)
      await tab.waitForFunction(`performance.getEntriesByName('first-contentful-paint').length > 0`)
      taken.push((await tab.evaluate(`performance.getEntriesByName('first-contentful-paint')[0].startTime`)) as number)
      await context.close()
    }
    yield { name: `first paint of the page, ${name}`, value: median(taken), unit: 'ms' }
  }
}
