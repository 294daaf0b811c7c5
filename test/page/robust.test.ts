import type { HTTPRequest } from 'puppeteer-core'
import { hosts } from '#test/host/hosts.ts'
import { start } from '#test/host/server.ts'
import { screens, Visitor, withBrowser, withBrowsers } from './browser.ts'

const [node] = hosts as [(typeof hosts)[number]]

withBrowser('each screen, opened by its address before the login', async (t, browser) => {
  const server = await start(t, node)
  const visitor = await Visitor.loggedIn(t, browser, server)
  const places = new Map(
    (await visitor.page.evaluate(
      `[...document.querySelectorAll('nav a')].map((each) => [each.innerText.trim(), each.getAttribute('href')])`
    )) as [string, string][]
  )
  await visitor.page.close()

  for (const screen of screens) {
    t.test(`${screen} is shown after the login, and reads nothing twice`, async (t) => {
      const visitor = await Visitor.open(t, browser, server, places.get(screen))
      await visitor.sees('User name')
      await visitor.settled()
      const read: string[] = []
      visitor.page.on('request', (each) => each.method() === 'GET' && read.push(pathOf(each)))
      await visitor.logIn()
      await visitor.page.waitForSelector(`::-p-xpath(//main//h1[normalize-space()="${screen}"])`)
      await visitor.page.waitForSelector('main h1 ~ *')
      await visitor.settled()
      t.ok(read.length > 2, 'it reads something')
      t.same(
        read.filter((each, at) => read.indexOf(each) !== at),
        []
      )
      t.same(visitor.faults, [])
    })
  }
})

withBrowsers('a browser', async (t, browser) => {
  const server = await start(t, node, { configuration: { sensors: { interval: 1 } } })
  await server.post('/redfish/v1/Systems/1/Actions/ComputerSystem.Reset/', { ResetType: 'ForceRestart' })
  const visitor = await Visitor.loggedIn(t, browser, server)
  const { page } = visitor
  const shows = (screen: string) => page.waitForSelector(`::-p-xpath(//main//h1[normalize-space()="${screen}"])`)

  t.test('has connections for the first requests before the password is entered', async (t) => {
    const visitor = await Visitor.open(t, browser, server)
    const answers: number[] = []
    visitor.page.on('response', (answer) => {
      if (answer.request().method() === 'HEAD') answers.push(answer.status())
    })
    await visitor.fill('User name', 'admin')
    t.same(answers, [])
    await visitor.page.keyboard.press('Tab')
    await visitor.settled()
    t.same(answers, [200, 200, 200, 200])
    t.same(visitor.faults, [])
  })

  t.test('goes back and forward among the screens', async (t) => {
    await visitor.follow('Sensors')
    await visitor.follow('Boot')
    await page.evaluate('history.back()')
    await shows('Sensors')
    await page.evaluate('history.back()')
    await shows('Overview')
    await page.evaluate('history.forward()')
    await shows('Sensors')
    await visitor.sees('Fan 1')
    t.same(visitor.faults, [])
  })

  for (const hours of [-7, 7]) {
    t.test(`whose clock is off by ${hours} hours shows readings and the log as the service has them`, async (t) => {
      const visitor = await Visitor.open(t, browser, server)
      const { page } = visitor
      await page.evaluateOnNewDocument(`{
        const Right = Date
        const off = ${hours * 3_600_000}
        globalThis.Date = class extends Right {
          constructor(...rest) {
            if (rest.length === 0) super(Right.now() + off)
            else super(...rest)
          }
          static now() {
            return Right.now() + off
          }
        }
      }`)
      await page.reload()
      await visitor.logIn()
      await visitor.sees('live')
      await visitor.follow('Sensors')
      const points = `(line) => (line.getAttribute('d').match(/[ML]/g) ?? []).length > 1`
      await page.waitForFunction(`[...document.querySelectorAll('td .spark path')].slice(0, 8).every(${points})`)
      await visitor.follow('Log')
      await visitor.choose('Time', 'Last hour')
      await visitor.sees('The server 1 started to boot after a reset')
      t.same(visitor.faults, [])
    })
  }
})

withBrowser('a service that answers with 500', async (t, browser) => {
  const server = await start(t, node)
  const visitor = await Visitor.open(t, browser, server)
  const { page } = visitor
  let failing: string | undefined
  const read = new Set<string>()
  const tried = new Set<string>()
  await page.setRequestInterception(true)
  page.on('request', (request: HTTPRequest) => {
    const path = pathOf(request)
    if (request.method() === 'GET' && path.startsWith('/redfish/') && !path.includes('/SSE')) read.add(path)
    if (request.method() === 'GET' && path === failing) void request.respond({ status: 500, body: '' })
    else void request.continue()
  })
  await page.locator('input[name=keep]').click()
  await visitor.logIn()
  await visitor.sees('live')

  for (const screen of screens) {
    t.test(
      `for any resource that ${screen} reads first leaves neither an endless wait nor an undefined value`,
      async (t) => {
        failing = undefined
        await visitor.follow(screen)
        read.clear()
        await page.reload()
        await visitor.sees('live')
        await visitor.settled()
        for (failing of [...read].filter((each) => !tried.has(each))) {
          tried.add(failing)
          await page.reload()
          await page.waitForSelector('main h1 ~ *')
          await visitor.settled()
          // A page that has just no request under way can still be about to show what it was sent.
          const loads = await page.waitForSelector('main progress', { hidden: true }).catch((error: Error) => error)
          t.notOk(loads, failing)
          t.notMatch(await visitor.text(), nonsense, failing)
        }
        t.same(visitor.faults, [])
      }
    )
  }
})

const pathOf = (request: HTTPRequest) => {
  const { pathname, search } = new URL(request.url())
  return `${pathname}${search}`
}

/** Values that a page shows only by mistake. */
const nonsense = /\b(undefined|NaN)\b|\[object Object\]/
