import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'puppeteer-core'
import type { Test } from 'tap'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { updateFile } from '#runtime/build/update-file.mjs'
import { logsInByCertificate } from '#test/host/certificate-users.ts'
import { needing } from '#test/host/every-host.ts'
import { hosts } from '#test/host/hosts.ts'
import { type Json, password, type Server, start } from '#test/host/server.ts'
import { withBrowser } from './browser.ts'
import { missingCertificates, openBrowserWith } from './chromium.ts'

const [node, x86] = hosts as [(typeof hosts)[number], (typeof hosts)[number]]
const accounts = '/redfish/v1/AccountService/Accounts/'
const bios = '/redfish/v1/Systems/1/Bios/'
const log = '/redfish/v1/Managers/1/LogServices/EventLog/'
const clear = `${log}Actions/LogService.ClearLog/`
const reset = `${bios}Actions/Bios.ResetBios/`
const update = '/redfish/v1/UpdateService/update-multipart'
const stream = '/redfish/v1/EventService/SSE'

const mallory = JSON.stringify({ UserName: 'mallory', Password: 'Tin-Whistle-9', RoleId: 'Administrator' })
const older = updateFile(
  sim.updateKey,
  { board: 'sim', component: 'controller', version: '1.61' },
  { kernel: new Uint8Array(1000).fill(7) }
)

/** Attacks by another site's page: the requested path, and the page's script; its `url` is that path on the service. */
const attacks: readonly (readonly [what: string, path: string, script: string])[] = [
  ['an administrator, as a body without a type', accounts, sent(`body: new Blob([${JSON.stringify(mallory)}])`)],
  ['a log that is cleared, without a body', clear, sent('')],
  ['BIOS settings that are reset, by a page that names no origin', reset, sent(`referrerPolicy: 'no-referrer'`)],
  ['BIOS settings that are reset, by a form', reset, submitted()],
  ['a log that is cleared, by a form in a frame', clear, submitted('frame')],
  [
    'firmware that is older',
    update,
    `const form = new FormData()
    form.append('UpdateParameters', JSON.stringify({ '@Redfish.OperationApplyTime': 'OnReset' }))
    form.append('UpdateFile', new Blob([Uint8Array.from(${JSON.stringify([...older])})]), 'older.bin')
    ${sent('body: form')}`
  ],
  ['an event stream', stream, `void fetch(url, { mode: 'no-cors', credentials: 'include' }).catch(() => {})`],
  ['a serial console', '/redfish/v1/Systems/1/SerialConsole', `new WebSocket(url.replace('https', 'wss'))`]
]

/** A script that sends what no browser asks a server about before. @param options of `fetch` */
function sent(options: string): string {
  return `void fetch(url, { method: 'POST', mode: 'no-cors', credentials: 'include', ${options} }).catch(() => {})`
}

/** A script that submits an empty form, into a frame of a name if there is one. */
function submitted(target = ''): string {
  return `const form = document.createElement('form')
  Object.assign(form, { method: 'POST', action: url, target: ${JSON.stringify(target)} })
  document.body.append(form)
  form.submit()`
}

/** The URL of a page of another site. */
async function anotherSite(t: Test): Promise<string> {
  const server = createServer((_, response) => {
    response.setHeader('Content-Type', 'text/html')
    response.end('<!doctype html><title>Another site</title><iframe name="frame"></iframe>')
  })
  t.teardown(() => server.close())
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://localhost:${(server.address() as AddressInfo).port}/`
}

/** The status of the service's answer to what a script of a page does; a WebSocket's too. */
async function status(page: Page, url: string, script: string): Promise<number> {
  const session = await page.createCDPSession()
  await session.send('Network.enable')
  const answered = new Promise<number>((resolve, reject) => {
    setTimeout(() => reject(new Error(`no answer to ${script}`)), 60_000).unref()
    session.on('Network.responseReceived', ({ response }) => {
      if (response.url === url) resolve(response.status)
    })
    session.on('Network.webSocketHandshakeResponseReceived', ({ response }) => resolve(response.status))
    // If the status is not 101, the error message ends with it: `Unexpected response code: 403`.
    session.on('Network.webSocketFrameError', ({ errorMessage }) => resolve(Number(errorMessage.slice(-3))))
  })
  await page.evaluate(`{ const url = ${JSON.stringify(url)}; ${script} }`)
  const result = await answered
  await session.detach()
  return result
}

/** The state that the attacks would change. */
async function state(server: Server): Promise<Json> {
  const paths = [accounts, `${bios}Settings/`, `${log}Entries/`, '/redfish/v1/TaskService/Tasks/']
  const shown = await Promise.all(paths.map(async (path) => (await server.get(path)).json))
  return shown.map(({ Members, Attributes }) => Members ?? Attributes)
}

/** The attacks on a user whom the browser logs in by itself. @param logIn once, as the user does */
async function attacked(t: Test, browser: Browser, server: Server, logIn: (page: Page) => Promise<void>) {
  const at = `https://127.0.0.1:${server.port}`
  const own = await browser.newPage()
  await logIn(own)
  t.equal((await own.goto(`${at}${accounts}`))?.status(), 200)
  await server.patch(`${bios}Settings/`, { Attributes: { ServerName: 'db7' } })
  const before = await state(server)
  const other = await anotherSite(t)
  const page = await browser.newPage()
  for (const [what, path, script] of attacks) {
    await page.goto(other)
    t.equal(await status(page, `${at}${path}`, script), 403, what)
  }
  t.same(await state(server), before)
  t.equal(await status(own, `${at}${reset}`, sent('')), 200, 'the browser does log its user in')
}

withBrowser('a page of another site, while the browser remembers a password', async (t, browser) => {
  const server = await start(t, node)
  await attacked(t, browser, server, async (page) => {
    await page.authenticate({ username: 'admin', password })
    await page.goto(`https://127.0.0.1:${server.port}${accounts}`)
    await page.authenticate(null)
  })
})

needing('a page of another site, while the browser presents a certificate', missingCertificates, async (t) => {
  const server = await start(t, x86)
  const { own } = await logsInByCertificate(t, server, 'admin')
  await attacked(t, await openBrowserWith(t, own), server, async () => {})
})
