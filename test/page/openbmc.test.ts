import type { Page } from 'puppeteer-core'
import { sleep } from '#runtime/base/sleep.ts'
import { needing } from '#test/host/every-host.ts'
import { hosts } from '#test/host/hosts.ts'
import { changes } from '#test/openbmc/changes.ts'
import { servedMachine } from '#test/openbmc/machine.ts'
import { missingPam } from '#test/openbmc/pam.ts'
import { Visitor, withBrowser } from './browser.ts'

const [node] = hosts as [(typeof hosts)[number]]
const missing = missingPam()

withBrowser('the page shows what other programs change on the bus, without being loaded again', async (t, browser) => {
  if (missing !== undefined) return needing('with users of the machine', missing, async () => {})
  const { bus, daemons, server } = await servedMachine(t, node)
  const visitor = await Visitor.open(t, browser, server)
  const { page } = visitor
  await visitor.logIn()
  await visitor.sees('live')
  await page.evaluate('globalThis.isSame = true')
  const show = async (address: string) => {
    await page.evaluate(`location.hash = '#/${address}'`)
    await visitor.settled()
  }

  t.test('a reading', async () => {
    await show('sensors')
    await daemons.set('/xyz/openbmc_project/sensors/altitude/Altitude', 'Sensor.Value', 'Value', 777)
    await visitor.sees('777 m')
  })

  for (const [what, { by, page: sight }] of Object.entries(changes))
    t.test(what, async (t) => {
      const { at, in: place = '#main', text, gone } = sight
      const isThere = (shown: string) =>
        (text === undefined || shown.includes(text)) && (gone === undefined || !shown.includes(gone))
      await show(at)
      const before = await shownIn(page, place)
      t.ok(gone === undefined || before.includes(gone), `before: ${gone}`)
      t.notOk(text !== undefined && before.includes(text), `not before: ${text}`)
      bus.busctl(...by)
      t.ok(await becomes(() => shownIn(page, place), isThere), `${text ?? `without ${gone}`}`)
    })

  t.test('all of it in one visit', async (t) => {
    t.ok(await page.evaluate('globalThis.isSame'))
    t.same(visitor.faults, [])
  })
})

/** The text of the first element of a selector; of a field what is entered or chosen. */
async function shownIn(page: Page, selector: string): Promise<string> {
  const element = await page.waitForSelector(selector)
  return element!.evaluate((each) => {
    const { selectedOptions, value, innerText } = each as unknown as Shown
    return selectedOptions?.[0]?.text ?? value ?? innerText
  })
}

interface Shown {
  readonly selectedOptions?: ArrayLike<{ readonly text: string }>
  readonly value?: string
  readonly innerText: string
}

/** Whether something is as expected within a minute. */
async function becomes(look: () => Promise<string>, isExpected: (shown: string) => boolean): Promise<boolean> {
  for (let tries = 0; tries < 1200; tries += 1) {
    if (isExpected(await look())) return true
    await sleep(50)
  }
  return false
}
