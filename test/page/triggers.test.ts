import { EventSource } from '#test/host/event-source.ts'
import { hosts } from '#test/host/hosts.ts'
import { start } from '#test/host/server.ts'
import { barriers } from './barriers.ts'
import { Visitor, withBrowser } from './browser.ts'

const [node, x86] = hosts as [(typeof hosts)[number], (typeof hosts)[number]]
const triggers = '/redfish/v1/TelemetryService/Triggers/'
const sensor = '/redfish/v1/Chassis/1/Sensors/2/'

for (const [hand, host] of [
  ['mouse', node],
  ['keyboard', x86]
] as const) {
  withBrowser(`triggers, by ${hand}, from ${host.name}`, async (t, browser) => {
    const server = await start(t, host, { configuration: { sensors: { interval: 1 } } })
    const { Name } = (await server.get(sensor)).json
    const all = async () => (await server.get(`${triggers}?$expand=.`)).json.Members
    const visitor = await Visitor.open(t, browser, server, '#/notifications', hand)
    await visitor.logIn()

    t.test('one is made for a sensor, and tells that its threshold is crossed', async (t) => {
      const source = await EventSource.open(t, server)
      await visitor.sees('No trigger watches a sensor.')
      await visitor.press('New trigger')
      await visitor.fill('Name', 'hot')
      await visitor.choose('Sensor', Name)
      t.same(await barriers(visitor), [], 'the panel')
      await visitor.press('Create')
      await visitor.sees('Fill in this field.')
      await visitor.fill('Upper, critical', '1')
      await visitor.fill('Upper, warning', '2')
      await visitor.press('Create')
      await visitor.sees('UpperWarning')
      t.same(await all(), [], 'what the service refuses is said')
      await visitor.fill('Upper, critical', '200.5')
      await visitor.press('Create')
      await visitor.sees('Upper, critical 200.5, Upper, warning 2')
      await visitor.sees(Name)
      t.match(await all(), [
        {
          Name: 'hot',
          MetricType: 'Numeric',
          MetricProperties: [`${sensor}#/Reading`],
          TriggerActions: ['RedfishEvent', 'LogToLogService']
        }
      ])
      t.ok(await source.find(({ MessageId }) => MessageId === 'Telemetry.1.0.TriggerNumericAboveUpperWarning'))
    })

    t.test('it is disabled, enabled and deleted', async (t) => {
      await visitor.press('Disable: hot')
      await visitor.sees('disabled')
      t.match(await all(), [{ TriggerEnabled: false }])
      await visitor.press('Enable: hot')
      await visitor.misses('disabled')
      await visitor.press('Delete: hot')
      await visitor.agree('Delete')
      await visitor.sees('No trigger watches a sensor.')
      t.same(await all(), [])
    })

    t.test('one waits for values, or for any change', async (t) => {
      for (const [name, values, shown] of [
        ['some', '40\n41', '40, 41'],
        ['any', '', 'any change']
      ] as const) {
        await visitor.press('New trigger')
        await visitor.fill('Name', name)
        await visitor.choose('Condition', 'The reading has a value')
        if (values !== '') await visitor.fill('Values', values)
        await visitor.tick('Log entry')
        await visitor.press('Create')
        await visitor.page.waitForFunction(
          `[...document.querySelectorAll('tbody tr')].some(({ innerText }) =>
            innerText.includes('${name}') && innerText.includes('${shown}'))`
        )
      }
      const shown = (await all()).map(({ Name, DiscreteTriggerCondition, DiscreteTriggers, TriggerActions }: never) => [
        Name,
        DiscreteTriggerCondition,
        (DiscreteTriggers as { readonly Value: string }[]).map(({ Value }) => Value),
        TriggerActions
      ])
      t.same(shown.sort(), [
        ['any', 'Changed', [], ['RedfishEvent']],
        ['some', 'Specified', ['40', '41'], ['RedfishEvent']]
      ])
      t.same(visitor.faults, [])
    })
  })
}
