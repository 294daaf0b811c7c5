import { hosts } from '#test/host/hosts.ts'
import { start } from '#test/host/server.ts'
import { Visitor, withBrowser } from './browser.ts'

const [node] = hosts as [(typeof hosts)[number]]
const port = '/redfish/v1/Managers/1/EthernetInterfaces/1/'

withBrowser('a static IPv4 address', async (t, browser) => {
  const server = await start(t, node)
  const visitor = await Visitor.loggedIn(t, browser, server, '#/settings')
  await visitor.settled()

  t.test('is entered as one, with what is wrong told at its field', async (t) => {
    const part = 'Dedicated port'
    await visitor.unfold('Change', part)
    await visitor.page.locator('::-p-xpath(//label[normalize-space()="fixed"])').click()
    await visitor.fill('IPv4 address, such as 192.0.2.7/24', '192.0.2/24', part)
    await visitor.fill('Gateway', '192.0.2.1', part)
    await visitor.press('Set IPv4 address', part)
    await visitor.page.waitForSelector('.field input[aria-invalid=true] + .problem')
    await visitor.fill('IPv4 address, such as 192.0.2.7/24', '192.0.2.7/24', part)
    await visitor.press('Set IPv4 address', part)
    const { json } = await server.until(
      () => server.get(port),
      ({ json }) => json.IPv4StaticAddresses[0]?.Address === '192.0.2.7'
    )
    t.same(json.IPv4StaticAddresses, [{ Address: '192.0.2.7', SubnetMask: '255.255.255.0', Gateway: '192.0.2.1' }])
    t.equal(json.DHCPv4.DHCPEnabled, false)
    t.same(visitor.faults, [])
  })
})
