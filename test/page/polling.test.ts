import { hosts } from '#test/host/hosts.ts'
import { start } from '#test/host/server.ts'
import { screens, Visitor, withBrowser } from './browser.ts'

const [node] = hosts as [(typeof hosts)[number]]

/** Gives a page `passes(milliseconds)`, which runs what its timers would run in this time, and what that starts. */
const clock = `(() => {
  const waiting = new Map()
  const wrap = (set, clear, isRepeated) => {
    const [begin, end] = [globalThis[set], globalThis[clear]]
    globalThis[set] = (run, delay = 0, ...rest) => {
      const id = begin(() => {
        if (!isRepeated) waiting.delete(id)
        run(...rest)
      }, delay)
      waiting.set(id, { run: () => run(...rest), delay, left: delay, isRepeated, end })
      return id
    }
    globalThis[clear] = (id) => {
      waiting.delete(id)
      end(id)
    }
  }
  wrap('setTimeout', 'clearTimeout', false)
  wrap('setInterval', 'clearInterval', true)
  globalThis.passes = (time) => {
    const second = 1000
    // Each time anew: what looks after the stream, which is quiet meanwhile, waits longer than a minute.
    for (const each of waiting.values()) each.left = each.delay
    for (let passed = 0; passed < time; passed += second) {
      for (const [id, each] of [...waiting]) {
        each.left -= second
        if (each.left > 0) continue
        each.left += each.delay
        if (!each.isRepeated) {
          waiting.delete(id)
          each.end.call(globalThis, id)
        }
        each.run()
      }
    }
  }
})()`

withBrowser('the page receives events of what it shows', async (t, browser) => {
  const server = await start(t, node, { configuration: { sensors: { interval: 1 } } })
  const visitor = await Visitor.open(t, browser, server)
  const { page } = visitor
  await page.evaluateOnNewDocument(clock)
  await page.reload()
  await visitor.logIn()
  await visitor.sees('live')
  const asked: string[] = []
  page.on('request', (request) => asked.push(`${request.method()} ${new URL(request.url()).pathname}`))

  for (const screen of screens) {
    t.test(`${screen}: a minute passes, and the page asks for nothing`, async (t) => {
      await visitor.follow(screen)
      await page.waitForSelector('main h1 ~ *')
      await visitor.settled()
      asked.length = 0
      await page.evaluate('passes(60_000)')
      // Earlier requests were told before this one.
      await page.evaluate(`fetch('/redfish')`)
      t.same(asked, ['GET /redfish'])
    })
  }

  t.test('the charts of the sensors move all the while', async (t) => {
    await visitor.follow('Sensors')
    await page.waitForSelector('td .spark path')
    await visitor.settled()
    asked.length = 0
    const lines = `[...document.querySelectorAll('td .spark path')].map((each) => each.getAttribute('d'))`
    const before = JSON.stringify(await page.evaluate(lines))
    await page.waitForFunction(`${lines}.every((line, at) => line !== ${before}[at])`)
    t.same(asked, [])
    t.same(visitor.faults, [])
  })
})
