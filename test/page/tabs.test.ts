import { setTimeout as sleep } from 'node:timers/promises'
import { type Json, password, start } from '#test/host/server.ts'
import { Visitor, withBrowsers } from './browser.ts'

const system = '/redfish/v1/Systems/1/'

withBrowsers('the tabs of a browser', async (t, browser, host) => {
  const server = await start(t, host, { configuration: { sensors: { interval: 1 } } })
  const first = await Visitor.open(t, browser, server)
  const tabs = [first]
  /** Waits until the service has a number of streams. */
  const streams = (many: number) =>
    server.until(
      () => server.get('/redfish/v1/EventService/Subscriptions/'),
      ({ json }) => json.Members.filter((each: Json) => each['@odata.id'].includes('/SSE')).length === many
    )
  const shows = async (text: string, ...visitors: readonly Visitor[]) => {
    await server.patch(system, { AssetTag: text })
    await Promise.all(visitors.map((each) => each.sees(text)))
  }

  t.test('seven load, share one stream, and all show a change', async () => {
    await first.logIn()
    await first.sees('live')
    while (tabs.length < 7) {
      const next = await first.beside()
      await next.logIn()
      await next.sees('live')
      tabs.push(next)
    }
    await shows('seen by seven', ...tabs)
    await streams(1)
  })

  t.test('another one takes over from the one that holds the stream', async () => {
    await tabs.shift()?.page.close()
    await shows('seen by six', ...tabs)
    await streams(1)
    await Promise.all(tabs.map((each) => each.sees('live')))
  })

  t.test('readings come by the same stream', async () => {
    const [holder, other] = tabs as [Visitor, Visitor]
    for (const each of [other, holder]) {
      await each.follow('Sensors')
      const lines = `[...document.querySelectorAll('td .spark path')].map((each) => each.getAttribute('d'))`
      const before = JSON.stringify(await each.page.evaluate(lines))
      await each.page.waitForFunction(`${lines}.every((line, at) => line !== ${before}[at])`)
      await streams(1)
    }
    for (const each of [holder, other]) await each.follow('Overview')
    await shows('after the readings', ...tabs)
    await streams(1)
  })

  t.test('a tab whose session was ended asks for the password, although another one holds the stream', async () => {
    const ended = tabs.pop()!
    const answer = ended.page.waitForRequest((each) => each.headers()['x-auth-token'] !== undefined)
    await ended.follow('Boot')
    const token = (await answer).headers()['x-auth-token']!
    const { json } = await server.get('/redfish/v1/SessionService/Sessions/?$expand=.', { 'x-auth-token': token })
    const own = json.Members.find((each: Json) => each.Oem.Vendor.MySession)
    await server.delete(own['@odata.id'])
    await ended.sees('Your session is over')
    await shows('seen by the others', ...tabs)
    t.notMatch(await ended.text(), 'seen by the others')
    await ended.fill('Password', password)
    await ended.page.locator('dialog button[type=submit]').click()
    await ended.misses('Your session is over')
    await ended.follow('Overview')
    await shows('seen by all', ended, ...tabs)
    tabs.push(ended)
  })

  t.test('a tab of another user has a stream of its own', async (t) => {
    await server.post('/redfish/v1/AccountService/Accounts/', {
      UserName: 'guest',
      Password: 'Oboe-and-Harp-9',
      RoleId: 'ReadOnly'
    })
    const guest = await tabs[0]!.beside()
    await guest.logIn('Oboe-and-Harp-9', 'guest')
    await guest.sees('live')
    await streams(2)
    await server.delete('/redfish/v1/AccountService/Accounts/guest/')
    await shows('seen by one user', ...tabs)
    t.notMatch(await guest.text(), 'seen by one user')
    await guest.page.close()
  })

  t.test('nothing is open while no tab is seen, and what was missed is there on return', async (t) => {
    for (const each of tabs) await turn(each, 'hidden')
    await streams(0)
    await server.patch(system, { AssetTag: 'missed' })
    await turn(tabs[2]!, 'visible')
    await tabs[2]!.sees('missed')
    await streams(1)
    for (const each of tabs) t.same(each.faults, [])
  })
})

withBrowsers('a browser without locks', async (t, browser, host) => {
  const server = await start(t, host)
  const visitor = await Visitor.open(t, browser, server)
  await visitor.page.evaluateOnNewDocument(`Object.defineProperty(navigator, 'locks', { value: undefined })`)
  await visitor.page.reload()

  t.test('shows changes as well', async (t) => {
    await visitor.logIn()
    await visitor.sees('live')
    await server.patch(system, { AssetTag: 'alone' })
    await visitor.sees('alone')
    t.same(visitor.faults, [])
  })
})

withBrowsers('what changes while the page is loading', async (t, browser, host) => {
  const server = await start(t, host)
  const visitor = await Visitor.open(t, browser, server)
  await visitor.page.evaluateOnNewDocument(`{
    const ask = fetch
    const released = new Promise((resolve) => { globalThis.release = resolve })
    globalThis.fetch = async (uri, options) => {
      const answer = await ask(uri, options)
      if (String(uri).includes('/Systems/?$expand')) await released
      return answer
    }
  }`)
  await visitor.page.reload()

  t.test('is shown, although the answer with it was on its way', async (t) => {
    await visitor.logIn()
    await visitor.sees('live')
    await server.patch(system, { AssetTag: 'meanwhile' })
    await sleep(500)
    await visitor.page.evaluate('release()')
    await visitor.sees('meanwhile')
    t.same(visitor.faults, [])
  })
})

/** Simulates a switch to another tab (hidden) or to this one (visible). */
async function turn({ page }: Visitor, state: 'hidden' | 'visible'): Promise<void> {
  await page.evaluate(`
    Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true })
    document.dispatchEvent(new Event('visibilitychange'))`)
}
