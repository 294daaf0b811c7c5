import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { hosts } from '#test/host/hosts.ts'
import { directory, start } from '#test/host/server.ts'
import { partOf, Visitor, withBrowser } from './browser.ts'

const [node] = hosts as [(typeof hosts)[number]]
const metrics = '/redfish/v1/Chassis/1/EnvironmentMetrics/'

/** The simulated machine with a drive that has failed. */
const failing = structuredClone(sim) as { chassis: Record<string, { sensors: object }> }
failing.chassis['1']!.sensors = { type: 'sim', faults: { parts: { 'drives/nvme/2': 'failed' } } }

withBrowser('the hardware', async (t, browser) => {
  const board = join(directory(t), 'board.json')
  writeFileSync(board, JSON.stringify(failing))
  const server = await start(t, node, { args: ['--board', board] })
  const visitor = await Visitor.loggedIn(t, browser, server, '#/inventory')
  const { page } = visitor

  t.test('what has a fault is on top of all parts, which have numbers and places', async (t) => {
    const faults = `${partOf('Parts with a fault')} tbody tr`
    const rows = await page
      .waitForSelector(faults)
      .then(() => page.$$eval(faults, (all) => all.map((each) => (each as unknown as { innerText: string }).innerText)))
    t.equal(rows.length, 1)
    t.match(rows[0], /Drive in bay 2.*Critical.*Bay 2.*1\.92 TB, SSD, NVMe/s)
    for (const text of ['S6NV25101417', 'P50311-B21', '32 GiB, DDR5, 4,800 MHz', 'PCIe 4.0 ×16'])
      await visitor.sees(text)
    t.match(
      await page.$eval('main nav', (nav) => (nav as unknown as { innerText: string }).innerText),
      /Drives\s+\d+\s+Critical/
    )
  })

  t.test('one kind of parts is shown alone, and outlives a reload', async (t) => {
    await visitor.follow('Memory')
    await visitor.sees('PROC 1 DIMM 1')
    await visitor.misses('Power supply 1')
    t.match(page.url(), /#\/inventory\/memory$/)
    await visitor.follow('All parts')
    await visitor.sees('Power supply 1')
  })

  t.test('a part at the side has a locator lamp', async (t) => {
    await visitor.press('Drive in bay 1')
    await page.waitForSelector('dialog.panel')
    await visitor.press('Turn lamp on')
    await visitor.sees('Turn lamp off')
    await visitor.press('Close')
    await visitor.sees('lamp on')
    t.equal((await server.get('/redfish/v1/Systems/1/Storage/nvme/Drives/1/')).json.LocationIndicatorActive, true)
  })

  t.test('power is limited, also where another client changes the limit meanwhile', async (t) => {
    await visitor.follow('Power')
    await visitor.sees('1 of 2 needed')
    await visitor.sees('230 V')
    await visitor.tick('Limit the power')
    await visitor.fill('Limit in watts', '400')
    await visitor.press('Save', 'Power limit')
    await visitor.settled()
    const limit = async () => (await server.get(metrics)).json.PowerLimitWatts
    t.match(await limit(), { ControlMode: 'Automatic', SetPoint: 400 })
    await visitor.fill('Limit in watts', '20')
    await visitor.press('Save', 'Power limit')
    await page.waitForSelector('input[aria-invalid=true]')
    await visitor.fill('Limit in watts', '500')
    await server.patch(metrics, { PowerLimitWatts: { SetPoint: 450 } })
    await visitor.sees('Changed elsewhere to: 450.')
    await visitor.press('Keep mine: Limit in watts')
    await visitor.press('Save', 'Power limit')
    await visitor.misses('Changed elsewhere')
    await visitor.settled()
    t.match(await limit(), { SetPoint: 500 })
    t.same(visitor.faults, [])
  })
})
