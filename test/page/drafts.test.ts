import { hosts } from '#test/host/hosts.ts'
import { start } from '#test/host/server.ts'
import { partOf, Visitor, withBrowser } from './browser.ts'

const [node] = hosts as [(typeof hosts)[number]]
const protocols = '/redfish/v1/Managers/1/NetworkProtocol/'
const settings = '/redfish/v1/Systems/1/Bios/Settings/'

withBrowser('what is being entered while another client changes the same resource', async (t, browser) => {
  const server = await start(t, node)
  const visitor = await Visitor.loggedIn(t, browser, server)
  const hostName = async () => {
    const field = await visitor.page.waitForSelector(
      `${partOf('Network')} ::-p-aria([name="Host name"][role="textbox"])`
    )
    return field!.evaluate((input) => (input as unknown as { readonly value: string }).value)
  }

  t.test('stays in a form, and is stored with what the other one changed', async (t) => {
    await visitor.follow('Settings')
    await visitor.fill('Host name', 'mine', 'Network')
    await server.patch(protocols, { SSDP: { NotifyTTL: 7 } })
    await visitor.page.waitForFunction(`[...document.querySelectorAll('input')].some(({ value }) => value === '7')`)
    t.equal(await hostName(), 'mine')
    t.notMatch(await visitor.text(), 'Changed elsewhere')
    await visitor.press('Save', 'Network')
    await server.until(
      () => server.get(protocols),
      ({ json }) => json.HostName === 'mine' && json.SSDP.NotifyTTL === 7
    )
  })

  t.test('is offered beside the new value of the same field, to take the one or the other', async (t) => {
    await visitor.settled()
    for (const [theirs, choice, then] of [
      ['theirs', 'Take the new value: Host name', 'theirs'],
      ['their-second', 'Keep mine: Host name', 'my-own']
    ] as const) {
      await visitor.fill('Host name', 'my-own', 'Network')
      await server.patch(protocols, { HostName: theirs })
      await visitor.sees(`Changed elsewhere to: ${theirs}.`)
      t.equal(await hostName(), 'my-own')
      await visitor.press(choice)
      await visitor.misses('Changed elsewhere')
      t.equal(await hostName(), then)
    }
    await visitor.press('Save', 'Network')
    await server.until(
      () => server.get(protocols),
      ({ json }) => json.HostName === 'my-own'
    )
    await visitor.settled()
    await server.patch(protocols, { HostName: 'the-last' })
    await visitor.page.waitForFunction(
      `[...document.querySelectorAll('input')].some(({ value }) => value === 'the-last')`
    )
    t.notMatch(await visitor.text(), 'Changed elsewhere', 'what is stored is no draft any more')
  })

  t.test('is offered likewise among the settings of the BIOS', async (t) => {
    const chosen = () => visitor.page.$eval('#WorkloadProfile', (select) => (select as unknown as Choice).value)
    await visitor.follow('BIOS settings')
    await visitor.fill('Search names, help and values', 'WorkloadProfile')
    await visitor.choose('Workload profile', 'Maximum performance')
    await server.patch(settings, { Attributes: { WorkloadProfile: 'PowerSaving' } })
    await visitor.sees('Changed elsewhere to:')
    t.equal(await chosen(), 'MaximumPerformance')
    await visitor.press('Take the new value: Workload profile')
    await visitor.misses('Changed elsewhere')
    t.equal(await chosen(), 'PowerSaving')
    await visitor.sees('Save changes (0)')
    t.same(visitor.faults, [])
  })
})

interface Choice {
  readonly value: string
}
