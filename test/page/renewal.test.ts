import { hosts } from '#test/host/hosts.ts'
import { Pebble, TestDns } from '#test/host/pebble.ts'
import { start } from '#test/host/server.ts'
import { barriers } from './barriers.ts'
import { partOf, Visitor, withBrowser } from './browser.ts'

const [node, x86] = hosts as [(typeof hosts)[number], (typeof hosts)[number]]
const enrollment = '/redfish/v1/CertificateService/CertificateEnrollments/HTTPS/'
const name = 'bmc-1.example.net'

for (const [hand, host] of [
  ['mouse', node],
  ['keyboard', x86]
] as const) {
  withBrowser(`a certificate that renews itself, by ${hand}, from ${host.name}`, async (t, browser) => {
    const dns = await TestDns.start(t)
    const server = await start(t, host, { configuration: { enrollment: { poll: 0.05, retryAfter: 3600 } } })
    const pebble = await Pebble.start(t, { dns, tlsPort: server.port })
    const visitor = await Visitor.open(t, browser, server, '#/certificates', hand)
    await visitor.logIn()

    t.test('without a server there is nothing to renew', async () => {
      await visitor.sees('Renewal (ACME)')
      await visitor.page.waitForSelector(`${partOf('Renewal (ACME)')} ::-p-xpath(.//button[@aria-disabled="true"])`)
    })

    t.test('an attempt that fails says why', async (t) => {
      await visitor.press('Edit: Renewal (ACME)')
      await visitor.fill('Server', pebble.directory)
      await visitor.fill('Names', name)
      t.same(await barriers(visitor), [], 'the panel')
      await visitor.tick('The certificate renews itself')
      await visitor.press('Save')
      await visitor.sees('the server cannot be reached, or is not trusted')
      await visitor.sees('failed')
    })

    t.test('renewed at once, it is shown with its names and its end', async (t) => {
      await pebble.trustedBy(server)
      await visitor.press('Renew now')
      await server.until(
        () => server.get(enrollment),
        ({ json }) => json.EnrollmentState.LastOperationStatus === 'Success'
      )
      await visitor.sees('Pebble Intermediate')
      await visitor.sees('renewed')
      await visitor.misses('the server cannot be reached')
      t.same(visitor.faults, [])
    })
  })
}
