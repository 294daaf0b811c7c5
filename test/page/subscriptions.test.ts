import { makeSigner } from '#test/host/certificates.ts'
import { start } from '#test/host/server.ts'
import { Subscriber } from '#test/runtime/service/events/subscriber.ts'
import { Visitor, withBrowsers } from './browser.ts'

withBrowsers('a test event', async (t, browser, host) => {
  const { certificate: cert, key } = makeSigner(t, {
    subject: '/CN=subscriber',
    extensions: ['subjectAltName=IP:127.0.0.1']
  })
  const subscriber = await Subscriber.open(t, { key, cert })
  const server = await start(t, host)
  const subscribe = (Destination: string, more = {}) =>
    server.post('/redfish/v1/EventService/Subscriptions/', { Destination, VerifyCertificate: false, ...more })
  await subscribe(subscriber.uri, { Context: 'listens' })
  await subscribe('https://127.0.0.1:1/', { Context: 'dead' })
  await subscribe(subscriber.uri, { Context: 'elsewhere', RegistryPrefixes: ['MgmtEvents'] })
  const visitor = await Visitor.loggedIn(t, browser, server, '#/notifications')

  t.test('shows for each subscription whether it was delivered', async (t) => {
    await visitor.settled()
    await visitor.press('Send a test event')
    const sees = (context: string, text: string) =>
      visitor.page.waitForFunction(
        `[...document.querySelectorAll('tbody tr')].some(({ innerText }) =>
          innerText.includes('${context}') && innerText.includes('${text}'))`,
        { timeout: 120_000 }
      )
    await sees('listens', 'The test event was delivered.')
    await sees('dead', 'The test event is not delivered yet: ')
    await sees('elsewhere', 'This subscription does not ask for test events.')
    t.ok(subscriber.received.some(({ text }) => text.includes('TestMessage')))
    t.same(visitor.faults, [])
  })

  t.test('fits beside long addresses into a window of 1024 pixels', async (t) => {
    const long = `https://collector-17.monitoring.example.net:8443/${'redfish-events/'.repeat(6)}`
    await subscribe(long, { Context: 'long' })
    await visitor.page.setViewport({ width: 1024, height: 640 })
    await visitor.sees(long)
    const [width, needed] = await visitor.page.$eval('main section.scroll', (each) => [
      each.clientWidth,
      each.scrollWidth
    ])
    t.ok(needed! <= width!, `${needed} of ${width} pixels`)
  })
})
