import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { hosts } from '#test/host/hosts.ts'
import { start } from '#test/host/server.ts'
import { Visitor, withBrowser } from './browser.ts'

const [node] = hosts as [(typeof hosts)[number]]

/** The places of the screens, by the names of their pictures. */
const places = {
  overview: '#/overview',
  sensors: '#/sensors',
  power: '#/power',
  inventory: '#/inventory',
  bios: `#/bios/${encodeURIComponent('./PowerOptions')}`,
  boot: '#/boot',
  'secure-boot': '#/secure-boot',
  console: '#/console',
  media: '#/media',
  log: '#/log',
  tasks: '#/tasks',
  updates: '#/updates',
  accounts: '#/accounts',
  sessions: '#/sessions',
  certificates: '#/certificates',
  network: '#/network',
  time: '#/time',
  notifications: '#/notifications',
  license: '#/license',
  explorer: '#/explorer/redfish/v1/Systems/1/'
}

/** Whether the chart has a line that is long enough to be seen. */
const hasLines = `document.querySelector('.graph .line path:last-child')?.getAttribute('d').split('L').length > 20`

const kept = 'docs/pictures'
/** `MINNOW_PICTURES=docs/pictures npm test -- test/page/pictures` takes those of the documentation anew. */
const folder = process.env.MINNOW_PICTURES

t.test('each screen has small pictures in both themes in the documentation', async (t) => {
  const both = Object.keys(places).flatMap((name) => [name, `${name}-dark`])
  // test/page/fleet takes that of a fleet.
  const names = [...both, 'arabic', 'fleet'].map((name) => `${name}.webp`)
  t.same(readdirSync(kept).sort(), names.sort())
  for (const name of names) {
    const { size } = statSync(join(kept, name))
    t.ok(size < 40_000, `${name} has ${size} bytes`)
  }
})

if (folder !== undefined) {
  withBrowser('pictures', async (t, browser) => {
    const server = await start(t, node, { configuration: { sensors: { interval: 1 } } })
    await server.post('/redfish/v1/Systems/1/Actions/ComputerSystem.Reset/', { ResetType: 'ForceRestart' })
    const visitor = await Visitor.loggedIn(t, browser, server)
    await server.patch('/redfish/v1/Systems/1/Bios/Settings/', { Attributes: { QuietBoot: false } })
    await server.post('/redfish/v1/EventService/Subscriptions/', {
      Destination: 'https://events.example.net/redfish',
      Context: 'monitoring'
    })
    const { page } = visitor
    await page.setViewport({ width: 1024, height: 640 })
    mkdirSync(folder, { recursive: true })
    const take = (name: string) =>
      page.screenshot({ path: join(folder, `${name}.webp`) as `${string}.webp`, type: 'webp', quality: 40 })
    const dark = (isDark: boolean) =>
      page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: isDark ? 'dark' : 'light' }])
    for (const [name, place] of Object.entries(places)) {
      await page.evaluate(`location.hash = ${JSON.stringify(place)}`)
      await page.waitForSelector('main h1 ~ *')
      if (name === 'bios') await page.locator('#TurboBoost').fill('Disabled')
      if (name === 'console') await visitor.sees('Connected.')
      if (name === 'sensors') {
        await visitor.tick('10 minutes')
        await page.waitForFunction(hasLines, { timeout: 60_000 })
      }
      await visitor.settled()
      await take(name)
      await dark(true)
      await page.waitForSelector('[data-theme=dark]')
      await take(`${name}-dark`)
      await dark(false)
      await page.waitForSelector('[data-theme=light]')
    }
    await visitor.follow('Overview')
    await visitor.press('admin')
    await visitor.choose('Language', 'العربية')
    await visitor.sees('نظرة عامة')
    await page.keyboard.press('Escape')
    await take('arabic')
    t.same(visitor.faults, [])
  })
}
