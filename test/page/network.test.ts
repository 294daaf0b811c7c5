import { start } from '#test/host/server.ts'
import { Visitor, withBrowsers } from './browser.ts'

const port = '/redfish/v1/Managers/1/EthernetInterfaces/1/'

withBrowsers('a static IPv4 address', async (t, browser, host) => {
  const server = await start(t, host)
  const visitor = await Visitor.loggedIn(t, browser, server, '#/network')
  await visitor.settled()

  t.test('is entered as one, with what is wrong told at its field', async (t) => {
    const part = 'IPv4'
    await visitor.tick('Manual')
    await visitor.fill('Address', '192.0.2/24', part)
    await visitor.fill('Gateway', '192.0.2.1', part)
    await visitor.press('Save', part)
    await visitor.page.waitForSelector('.field input[aria-invalid=true] ~ span .problem')
    await visitor.fill('Address', '192.0.2.7/25', part)
    const mask = `document.querySelector('input:disabled')?.value`
    await visitor.page.waitForFunction(`${mask} === '255.255.255.128'`)
    await visitor.fill('Address', '192.0.2.7/24', part)
    await visitor.press('Save', part)
    const { json } = await server.until(
      () => server.get(port),
      ({ json }) => json.IPv4StaticAddresses[0]?.Address === '192.0.2.7'
    )
    t.same(json.IPv4StaticAddresses, [{ Address: '192.0.2.7', SubnetMask: '255.255.255.0', Gateway: '192.0.2.1' }])
    t.equal(json.DHCPv4.DHCPEnabled, false)
    t.same(visitor.faults, [])
  })

  t.test('is on trial: the page counts down, and keeps it or shows that it was rolled back', async (t) => {
    const change = (Address: string, RollbackTime: number) =>
      server.patch(port, {
        IPv4StaticAddresses: [{ Address, SubnetMask: '255.255.255.0', Gateway: '192.0.2.1' }],
        Oem: { Vendor: { RollbackTime } }
      })
    await change('192.0.2.8', 60)
    await visitor.page.waitForFunction(
      `/within (5\\d|60) seconds/.test(document.querySelector('[role=timer]')?.innerText)`
    )
    await visitor.sees('Open https://192.0.2.8')
    await visitor.press('Keep it now')
    await visitor.page.waitForSelector('[role=timer]', { hidden: true })
    t.equal((await server.get(port)).json.Oem.Vendor.RollbackTime, null)
    await change('192.0.2.9', 3)
    await visitor.page.waitForFunction(`/within [12] seconds/.test(document.querySelector('[role=timer]')?.innerText)`)
    await visitor.page.waitForSelector('[role=timer]', { hidden: true })
    await visitor.page.waitForFunction(
      `[...document.querySelectorAll('input')].some(({ value }) => value === '192.0.2.8')`
    )
    t.equal((await server.get(port)).json.IPv4StaticAddresses[0].Address, '192.0.2.8')
    t.same(visitor.faults, [])
  })
})
