import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'puppeteer-core'
import type { Test } from 'tap'
import { Agent, request } from 'undici'
import type { ControllerSummary } from '#data/fleet'
import { sleep } from '#runtime/base/sleep.ts'
import { type Host, hosts } from '#test/host/hosts.ts'
import { Process } from '#test/host/process.ts'
import { admin, directory, password, type Server } from '#test/host/server.ts'
import { barriers, cut } from './barriers.ts'
import { type Hand, Visitor, withBrowser } from './browser.ts'

const count = 1000

/** `MINNOW_PICTURES=docs/pictures npm test -- test/page/fleet` takes that of the documentation anew. */
const pictures = process.env.MINNOW_PICTURES
const json = { 'content-type': 'application/json' }

/** A fleet with its page, and a client of it beside the browser. */
async function startFleet(t: Test, host: Host) {
  const data = directory(t)
  const run = async (control: string) => {
    const addresses = ['--network', '127.20.0.0/16', '--port', '0', '--control', control]
    const args = ['fleet', '--count', String(count), ...addresses, '--data', data]
    const program = new Process(host, args, { MINNOW_ADMIN_PASSWORD: password })
    t.teardown(() => program.kill('SIGKILL'))
    await program.ready()
    return program
  }
  const started = await run('127.0.0.1:0')
  const [origin = ''] = /https:\S+(?=\/)/.exec(await started.saying(/ in a browser$/)) ?? []
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } })
  t.teardown(() => dispatcher.destroy())
  const ask = async (method: 'GET' | 'POST' | 'PATCH', url: string, headers: Record<string, string>, body?: object) => {
    const given = body === undefined ? {} : { body: JSON.stringify(body) }
    const answer = await request(url, { method, headers: { ...json, ...headers }, dispatcher, ...given })
    return { status: answer.statusCode, headers: answer.headers, json: JSON.parse((await answer.body.text()) || '{}') }
  }
  const login = { UserName: 'admin', Password: password }
  const { headers } = await ask('POST', `${origin}/redfish/v1/SessionService/Sessions`, {}, login)
  const token = { 'x-auth-token': String(headers['x-auth-token']) }
  const urls = JSON.parse(readFileSync(join(data, 'inventory.json'), 'utf8')) as { readonly url: string }[]
  return {
    process: started,
    origin,
    token,
    /** Ends it, and starts it again at the same address. */
    async restart() {
      await started.kill('SIGTERM')
      await run(new URL(origin).host)
    },
    /** A request to a controller, as another client sends it. */
    controller: (number: number, method: 'GET' | 'POST' | 'PATCH', path: string, body?: object) =>
      ask(method, urls[number - 1]!.url + path, admin, body),
    row: async (number: number): Promise<ControllerSummary> =>
      (await ask('GET', `${origin}/fleet/?after=${number - 1}`, token)).json.controllers[0]
  }
}

type Fleet = Awaited<ReturnType<typeof startFleet>>

async function visit(t: Test, browser: Browser, fleet: Fleet, hand: Hand): Promise<Visitor> {
  const visitor = await Visitor.open(t, browser, { process: fleet.process } as Server, '', hand)
  await logIn(visitor)
  return visitor
}

async function logIn(visitor: Visitor): Promise<void> {
  await visitor.fill('Password', password)
  await visitor.press('Log in')
  await visitor.sees('live')
  await visitor.sees('bmc-00001')
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(50)
}

for (const [host, hand] of [
  [hosts[0], 'mouse'],
  [hosts[1], 'keyboard']
] as const) {
  withBrowser(`the page of a fleet on ${host?.name}, by ${hand}`, async (t, browser) => {
    if (host?.missing !== undefined) return void t.fail(host.missing)
    const fleet = await startFleet(t, host!)
    const visitor = await visit(t, browser, fleet, hand)
    const { page } = visitor
    // A thousand controllers are opened.
    page.setDefaultTimeout(240_000)

    t.test('a thousand controllers are listed, none of which is open, and all of which can be', async (t) => {
      await visitor.sees('0 open')
      t.equal((await page.$$('tbody tr')).length, 50, 'the others are on other pages')
      await visitor.press('Open all')
      await visitor.sees('Open all – done for 1,000 controllers.')
      await visitor.sees('1,000 open')
      await visitor.press('Dismiss')
      const link = await page.$eval('tbody a', (a) => (a as unknown as { readonly href: string }).href)
      t.equal(link, (await fleet.row(1)).url, 'the name leads to the page of the controller')
    })

    t.test('those that a search finds are switched off together', async (t) => {
      await visitor.fill('Search in Controllers', 'bmc-0012')
      await visitor.misses('bmc-00001')
      await visitor.tick('Select all')
      await visitor.sees('10 selected')
      await visitor.press('Switch power')
      await visitor.press('Force off')
      await visitor.agree('Force off')
      await visitor.sees('Force off – done for 10 controllers.')
      await until(async () => (await fleet.row(129)).power?.Off === 1)
      await page.waitForFunction(`document.querySelectorAll('tbody td:nth-child(6) .badge').length === 10 &&
        [...document.querySelectorAll('tbody td:nth-child(6)')].every((each) => each.innerText === 'Off')`)
      t.same((await fleet.row(130)).power, { On: 1 })
    })

    t.test('a fault is put on and off', async (t) => {
      await visitor.press('Change faults')
      await visitor.choose('Fault', 'Requests: delayed')
      await visitor.fill('Seconds', '0.3')
      await visitor.press('Put on')
      await visitor.sees('Requests: delayed – done for 10 controllers.')
      const rules = async () => (await fleet.controller(120, 'GET', 'Oem/Vendor/Faults/')).json.Rules
      t.same(await rules(), [{ delay: 0.3 }])
      await visitor.press('Put off Requests: delayed')
      await visitor.sees('No fault is on.')
      t.same(await rules(), [])
      await visitor.press('Close')
    })

    t.test('controllers restart, and are away meanwhile', async () => {
      await visitor.press('Restart controllers')
      await visitor.agree('Restart controllers')
      await visitor.sees('Restarting')
      await visitor.misses('Restarting')
      await visitor.press('Clear selection')
      await visitor.sees('Select controllers to do something with them.')
    })

    t.test('controllers with which an action fails are named, and can be selected', async () => {
      await visitor.fill('Search in Controllers', 'bmc-0013')
      await visitor.misses('bmc-00129')
      await visitor.tick('Select all')
      await fleet.controller(131, 'POST', 'Systems/1/Actions/ComputerSystem.Reset', { ResetType: 'ForceOff' })
      await until(async () => (await fleet.row(131)).power?.Off === 1)
      await visitor.press('Switch power')
      await visitor.press('Restart')
      await visitor.agree('Restart')
      await visitor.sees('131: The operation is not possible in the present state of the system.')
      await visitor.sees('Not done for 1 controllers:')
      await visitor.press('Select these')
      await visitor.sees('1 selected')
      await visitor.press('Dismiss')
    })

    t.test(
      'what other clients change is seen without a request, and nothing is asked when nothing changes',
      async (t) => {
        const asked: string[] = []
        const note = (each: { url(): string }) => void asked.push(each.url())
        await visitor.settled()
        page.on('request', note)
        await fleet.controller(131, 'PATCH', 'Oem/Vendor/Faults/', {
          Devices: { power: { faults: { stuckOn: true } } }
        })
        await visitor.sees('Power: cannot be switched off')
        await sleep(3000)
        page.off('request', note)
        t.same(asked, [])
        if (pictures === undefined || hand === 'keyboard') return
        await page.setViewport({ width: 1280, height: 800 })
        await page.screenshot({ path: join(pictures, 'fleet.webp') as `${string}.webp`, type: 'webp', quality: 40 })
        await page.setViewport({ width: 1100, height: 760 })
      }
    )

    t.test('filters leave those that are wanted', async (t) => {
      await visitor.fill('Search in Controllers', ' ')
      await visitor.choose('Fault', 'Any fault')
      await visitor.misses('bmc-00001')
      t.equal((await page.$$('tbody tr')).length, 1)
      await visitor.press('Clear filters')
      await visitor.sees('bmc-00001')
    })

    t.test('two tabs share a stream, and both show a change', async (t) => {
      const beside = await visitor.beside()
      const streams: string[] = []
      beside.page.on('request', (each) => each.url().endsWith('/fleet/events') && streams.push(each.url()))
      await logIn(beside)
      await fleet.controller(1, 'PATCH', 'Oem/Vendor/Faults/', { Rules: [{ quirks: ['NoETag'] }] })
      await beside.sees('Requests: no entity tags')
      await visitor.page.bringToFront()
      await visitor.sees('Requests: no entity tags')
      t.same(streams, [])
      t.same(beside.faults, [])
      await beside.page.close()
    })

    t.test('no barrier is found, dark or light, and the page fits a telephone', async (t) => {
      await visitor.tick('Select bmc-00002')
      t.same(await barriers(visitor), [])
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }])
      t.same(await barriers(visitor), [], 'dark')
      await visitor.press('Change faults')
      await page.waitForSelector('dialog')
      t.same(await barriers(visitor), [], 'the panel')
      await visitor.press('Close')
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'light' }])
      for (const width of [320, 1900]) {
        await page.setViewport({ width, height: 900 })
        t.same(await page.evaluate(cut), [], `${width} pixels`)
      }
      await page.setViewport({ width: 1100, height: 760 })
    })

    t.test('the page is German as well', async () => {
      await visitor.press('admin')
      await visitor.choose('Language', 'Deutsch')
      await visitor.sees('Filter löschen')
      await visitor.choose('Sprache', 'English')
      await visitor.sees('Clear filters')
    })

    t.test('after a restart of the fleet the user logs in again, and is where the work was', async () => {
      await visitor.fill('Search in Controllers', 'bmc-00131')
      await fleet.restart()
      await visitor.sees('Your session is over.')
      await visitor.fill('Password', password)
      await visitor.press('Log in')
      await visitor.sees('0 open')
      await visitor.sees('bmc-00131')
      await visitor.misses('bmc-00001')
      await visitor.sees('Power: cannot be switched off')
    })

    t.same(visitor.faults, [])
  })
}
