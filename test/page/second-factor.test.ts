// needs: zbarimg
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { hosts } from '#test/host/hosts.ts'
import { directory, start } from '#test/host/server.ts'
import { codeOf } from '#test/runtime/service/accounts/authenticator.ts'
import { Visitor, withBrowsers } from './browser.ts'

const [node] = hosts as [(typeof hosts)[number]]
const step = 30_000

withBrowsers('the second factor', async (t, browser) => {
  const server = await start(t, node, { configuration: { secondFactor: { enabled: true } } })
  const visitor = await Visitor.open(t, browser, server)
  const { page } = visitor
  const texts = () => page.$$eval('dialog code', (all) => all.map(({ textContent }) => textContent ?? ''))
  let key = ''

  t.test('without a key a login leads to one, which an authenticator reads from a QR code', async (t) => {
    await visitor.logIn()
    await visitor.sees('Set up a second factor first')
    await visitor.press('Make a new key')
    await visitor.sees('Scan this')
    const picture = join(directory(t), 'code.png')
    await (await page.waitForSelector('dialog svg[role=img]'))!.screenshot({ path: picture })
    const [uri = ''] = execFileSync('zbarimg', ['--quiet', '--raw', picture], { encoding: 'utf8' }).split('\n')
    key = new URL(uri).searchParams.get('secret') ?? ''
    t.match(uri, /^otpauth:\/\/totp\/[^?]+:admin\?/)
    t.equal((await texts()).join('').replaceAll(' ', ''), key, 'it can be typed as well')
  })

  t.test('its first code shows recovery codes, once, and opens the page', async (t) => {
    await visitor.fill('Code that the authenticator shows', '000000')
    await visitor.press('Save')
    await page.waitForSelector('dialog [aria-invalid=true]')
    await visitor.fill('Code that the authenticator shows', codeOf(key, Date.now()))
    await visitor.press('Save')
    await visitor.sees('Keep these codes')
    t.equal((await texts()).length, 10)
    await visitor.press('I have kept them')
    await visitor.sees('live')
  })

  t.test('the next login asks for a code, and says when it is wrong', async () => {
    await page.reload()
    await visitor.logIn()
    await visitor.sees('One-time code')
    await visitor.fill('One-time code', '000000')
    await visitor.press('Log in')
    await visitor.sees('The one-time code is wrong')
    await visitor.fill('One-time code', codeOf(key, Date.now() + step))
    await visitor.press('Log in')
    await visitor.sees('live')
  })

  t.test('users see their second factor, and remove the key', async (t) => {
    await visitor.press('admin')
    await visitor.press('Second factor')
    await visitor.sees('Recovery codes left: 10')
    await visitor.press('Remove the key')
    await visitor.agree('Remove the key')
    await visitor.sees('Set up a second factor first')
    t.same(visitor.faults, [])
  })
})
