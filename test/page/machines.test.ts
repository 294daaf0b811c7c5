import type { Browser } from 'puppeteer-core'
import { hosts } from '#test/host/hosts.ts'
import { type Scope, start } from '#test/host/server.ts'
import { cut } from './barriers.ts'
import { screens, Visitor, withBrowser } from './browser.ts'
import { boardFile, type machines } from './machines.ts'

const [node] = hosts as [(typeof hosts)[number]]

/** The machines, with the screens of which they have nothing, and texts that a screen has. */
const expected: Readonly<
  Record<keyof typeof machines, { absent: readonly string[]; texts: Readonly<Record<string, readonly string[]>> }>
> = {
  contoso: {
    absent: [],
    texts: {
      Overview: ['The machine names no cause.', '132'],
      Sensors: ['CPU1 Temp', '93 °C', 'Fan1A', '5,880 RPM'],
      Power: ['132', 'PSU.Slot.1', '750 W'],
      Inventory: ['Disk in bay 0'],
      'BIOS settings': ['NumLock']
    }
  },
  fabrikam: {
    absent: ['Media'],
    texts: { Sensors: ['Voltages', 'Speeds', '9,120 RPM'], Power: ['PSU0'], Overview: ['temperature_Core_0'] }
  },
  litware: { absent: ['Sensors', 'Power', 'Media'], texts: {} },
  northwind: { absent: ['Sensors', 'Power', 'Media'], texts: { Inventory: ['Bay1'] } },
  enclosure: {
    absent: ['BIOS settings', 'Boot', 'Console', 'Media', 'Power', 'Secure boot', 'Sensors'],
    texts: { Overview: ['Controller and firmware'], Log: ['The management controller started.'] }
  }
}

/** Lists the display mistakes of a screen: invalid values, empty elements, endless progress bars, cut-off content. */
const mistakes = `(() => {
  const main = document.querySelector('main')
  const isEmpty = (part) => part.innerText.trim() === '' && !part.querySelector('svg, input, meter')
  const body = (card) => [...card.children].filter((each) => !each.matches('h2, header'))
  const shows = /.*(\\bundefined\\b|\\bNaN\\b|\\[object |\\bnull\\b|Infinity|Invalid Date).*/g
  const text = [main, document.querySelector('header')].map((each) => each.innerText).join('\\n')
  return [
    ...(location.hash.includes('explorer') ? [] : (text.match(shows) ?? [])),
    ...[...main.querySelectorAll('progress')].map((each) => each.outerHTML),
    ...[...main.querySelectorAll('.card')].filter((each) => body(each).every(isEmpty)).map((each) => 'empty: ' + each.innerText),
    ...[...main.querySelectorAll('dd, h2')].filter(isEmpty).map((each) => 'empty: ' + each.parentElement.outerHTML),
    ...(document.querySelector('header strong').innerText === '…' ? ['no name'] : []),
    ...${cut}
  ]
})()`

const northwind = Array.from({ length: 8 }, (_, at) => `#/systems/Blade${at + 1}/overview`)

withBrowser('machines in the shape of those of other makers', async (t, browser) => {
  const names = Object.keys(expected) as (keyof typeof machines)[]
  // All at once: most of the time is that of waiting for what does not come.
  const looks = await Promise.all(names.map((name) => look(t, browser, name)))

  for (const { name, shown, faults } of looks) {
    const { absent, texts } = expected[name]
    t.test(`${name} has screens that show what there is, and say what is lacking`, async (t) => {
      const own = shown.slice(0, screens.length)
      t.same(own.map(({ screen }) => screen).sort(), [...screens].sort())
      for (const { screen, text, wrong } of own) {
        t.same(wrong, [], screen)
        for (const each of texts[screen] ?? []) t.ok(text.includes(each), `${screen}: ${each}`)
      }
      const lacking = own.filter(
        ({ screen, text }) => text.replace(screen, '').trim() === 'Not available on this machine.'
      )
      t.same(lacking.map(({ screen }) => screen).sort(), [...absent].sort())
      t.same(faults, [])
    })
  }

  t.test('northwind has eight systems, each with its own name, state and health', async (t) => {
    const own = looks.find(({ name }) => name === 'northwind')?.shown.slice(screens.length) ?? []
    t.same(
      own.flatMap(({ wrong }) => wrong),
      []
    )
    t.same(
      own.map(({ header }) =>
        ['bay \\d|Blade\\d', '^(On|Off)$', '^(OK|Critical)$'].map((each) => RegExp(each, 'm').exec(header)?.[0])
      ),
      [
        ['bay 1', 'On', 'OK'],
        ['bay 2', 'On', 'Critical'],
        ['bay 3', 'Off', 'OK'],
        ['bay 4', 'On', 'OK'],
        ['bay 5', 'On', 'OK'],
        ['bay 6', 'On', 'OK'],
        ['bay 7', 'On', 'OK'],
        ['Blade8', 'On', 'OK']
      ]
    )
  })
})

/** Opens each screen of a machine on a phone, and after them the overview of each system of the largest one. */
async function look(t: Scope, browser: Browser, name: keyof typeof machines) {
  const server = await start(t, node, { args: ['--board', boardFile(t, name)] })
  const visitor = await Visitor.open(t, browser, server)
  const { page, faults } = visitor
  page.on('response', (answer) => answer.status() >= 400 && faults.push(`${answer.status()} ${answer.url()}`))
  await visitor.logIn()
  await visitor.sees('live')
  const links = (await page.$$eval('nav.side a', (all) =>
    all.map((each) => [each.innerText.trim(), each.getAttribute('href')])
  )) as [string, string][]
  await page.setViewport({ width: 390, height: 800 })
  const shown = []
  const more = name === 'northwind' ? northwind.map((address) => ['Overview', address] as const) : []
  for (const [screen, address] of [...links, ...more]) {
    await page.evaluate(`location.hash = ${JSON.stringify(address)}`)
    await page.waitForSelector('main h1 ~ *')
    await visitor.settled()
    const text = (await page.$eval('main', (main) => main.innerText)) as string
    const header = (await page.$eval('header', (top) => top.innerText)) as string
    shown.push({ screen, text, header, wrong: await page.evaluate(mistakes) })
  }
  return { name, shown, faults }
}
