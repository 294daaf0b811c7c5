import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { updateFile } from '#runtime/build/update-file.mjs'
import { hosts } from '#test/host/hosts.ts'
import { directory, password, start } from '#test/host/server.ts'
import { partOf, Visitor, withBrowser } from './browser.ts'

const [node] = hosts as [(typeof hosts)[number]]
const system = '/redfish/v1/Systems/1/'
const databases = `${system}SecureBoot/SecureBootDatabases/`

withBrowser('what the screens are for', async (t, browser) => {
  const server = await start(t, node)
  const visitor = await Visitor.loggedIn(t, browser, server)
  const { page } = visitor
  const files = directory(t)

  const order = async () => (await server.get(system)).json.Boot.BootOrder.slice(0, 3).join()

  t.test('the boot order changes by buttons, by keyboard and by drag', async (t) => {
    await visitor.follow('Boot')
    await visitor.press('Move NVMe drive, bay 2 up')
    await visitor.pressIn('Boot order', 'Save')
    await server.until(
      () => server.get(system),
      ({ json }) => json.Boot.BootOrder[1] === 'Boot0002'
    )
    await visitor.tabTo('Move NVMe drive, bay 2 up')
    await visitor.keys('Enter')
    await visitor.tabTo('Save')
    await visitor.keys('Enter')
    await server.until(
      () => server.get(system),
      ({ json }) => json.Boot.BootOrder[0] === 'Boot0002'
    )
    t.equal(await order(), 'Boot0002,Boot0000,Boot0001')
    await visitor.settled()
    const [from, to] = [await page.$('.order li:nth-child(3)'), await page.$('.order li:nth-child(1)')]
    await from?.hover()
    await page.mouse.down()
    await to?.hover()
    await page.mouse.up()
    await visitor.pressIn('Boot order', 'Save')
    await server.until(
      () => server.get(system),
      ({ json }) => json.Boot.BootOrder[0] === 'Boot0001'
    )
    t.equal(await order(), 'Boot0001,Boot0002,Boot0000')
  })

  t.test('an image is inserted, and ejected', async () => {
    await visitor.follow('Boot')
    await page.locator(`${partOf('Virtual optical drive')} input`).fill('https://127.0.0.1:1/disc.iso')
    await visitor.pressIn('Virtual optical drive', 'Insert')
    await visitor.pressIn('Virtual optical drive', 'Eject')
    await page.waitForSelector(`${partOf('Virtual optical drive')} input`)
  })

  t.test('a key is enrolled from a file, PEM or DER, once it was shown, and deleted', async (t) => {
    const { json } = await server.get(`${databases}dbDefault/Certificates/?$expand=.`)
    const [{ CertificateString: pem, Subject: subject }] = json.Members
    const der = Buffer.from(pem.replace(/-----.*-----|\s/g, ''), 'base64')
    writeFileSync(join(files, 'key.pem'), pem)
    writeFileSync(join(files, 'key.der'), der)
    writeFileSync(join(files, 'none.der'), 'no certificate')
    await visitor.follow('Secure boot')
    for (const [database, file] of [
      ['db', 'key.der'],
      ['KEK', 'key.pem']
    ] as const) {
      await page.locator(`${partOf(`${database}:`)} summary`).click()
      await visitor.give(`${database}:`, join(files, 'none.der'))
      await visitor.sees('There is no certificate in this file.')
      await visitor.give(`${database}:`, join(files, file))
      await page.waitForSelector(`${partOf(`${database}:`)} details dd`)
      await visitor.pressIn(`${database}:`, 'Enrol a certificate')
      await page.waitForSelector(`${partOf(`${database}:`)} .member`)
      const enrolled = await server.get(`${databases}${database}/Certificates/?$expand=.`)
      t.equal(enrolled.json.Members[0].Subject.DisplayString, subject.DisplayString)
    }
    await visitor.pressIn('KEK:', 'Delete')
    await visitor.sees(subject.DisplayString)
    await visitor.agree('Delete')
    await server.until(
      () => server.get(`${databases}KEK/Certificates/`),
      ({ json }) => json.Members.length === 0
    )
  })

  t.test('a log is filtered by severity and words', async () => {
    await server.post('/redfish/v1/Systems/1/Actions/ComputerSystem.Reset/', { ResetType: 'ForceRestart' })
    await visitor.follow('Log')
    await visitor.sees('The server 1 began to boot after a reset')
    await visitor.fill('Filter', 'no such line')
    await visitor.misses('The server 1 began to boot after a reset')
  })

  t.test('an update file is sent, its task is seen, and what starts next', async () => {
    const image = { board: 'sim', component: 'controller', version: '1.63' }
    writeFileSync(join(files, 'sim.update'), updateFile(sim.updateKey, image, { kernel: new Uint8Array(100_000) }))
    writeFileSync(join(files, 'bad.update'), 'no update')
    await visitor.follow('Updates')
    await visitor.give('Upload', join(files, 'bad.update'))
    await visitor.pressIn('Upload', 'Update')
    await page.waitForSelector(`${partOf('Upload')} .problem`)
    await visitor.give('Upload', join(files, 'sim.update'))
    await visitor.pressIn('Upload', 'Update')
    await visitor.sees('1.63')
    await visitor.sees('starts at the next reset')
    await visitor.follow('Overview')
    await visitor.sees('Management controller 1.63 starts')
  })

  t.test('an account is made, seen by another browser, and deleted', async () => {
    const other = await Visitor.loggedIn(t, browser, server, '#/accounts')
    await visitor.follow('Accounts')
    await visitor.fill('User name', 'visitor')
    await page.locator(`${partOf('New account')} input[name=Password]`).fill('Oboe-and-Harp-9')
    await visitor.press('Create')
    await other.sees('visitor')
    await visitor.pressIn('visitor', 'Delete')
    await visitor.agree('Delete')
    await other.misses('visitor')
  })

  t.test('an account whose password has to be changed does that first', async () => {
    const account = {
      UserName: 'fresh',
      Password: 'Oboe-and-Harp-9',
      RoleId: 'Administrator',
      PasswordChangeRequired: true
    }
    await server.post('/redfish/v1/AccountService/Accounts/', account)
    const fresh = await Visitor.open(t, browser, server)
    await fresh.logIn(account.Password, 'fresh')
    await fresh.sees('Choose a new password first')
    await fresh.fill('New password', 'Viola-and-Horn-8')
    await fresh.press('Save')
    await fresh.sees('Dual-socket rack server')
  })

  t.test('a test event is seen to arrive', async () => {
    await visitor.follow('Settings')
    await visitor.press('Send a test event')
    await visitor.sees('It arrived:')
  })

  t.test('any resource is changed by a form made of its schema, with the same request for a shell', async () => {
    await page.evaluate(`location.hash = '#/explorer${system}'`)
    await visitor.fill('AssetTag', "it's mine")
    await visitor.sees(`-d '{"AssetTag":"it'\\''s mine"}'`)
    await visitor.press('Send PATCH')
    await server.until(
      () => server.get(system),
      ({ json }) => json.AssetTag === "it's mine"
    )
    await visitor.sees(`AssetTag: "it's mine"`)
  })

  t.test('the words are German for who wants that', async () => {
    await page.locator('select[aria-label=Language]').fill('de')
    await visitor.follow('Übersicht')
    await visitor.sees('Beim nächsten Reset')
    await page.locator('select[aria-label=Sprache]').fill('en')
  })

  t.test('who wants it stays logged in when the tab is reloaded, and nobody else', async (t) => {
    await page.reload()
    await visitor.sees('User name')
    await page.locator('input[name=keep]').click()
    await visitor.logIn(password)
    await visitor.sees('live')
    await page.reload()
    await visitor.sees('live')
    t.equal(await page.evaluate('document.cookie'), '')
    await Promise.all([page.waitForNavigation(), visitor.press('Log out')])
    await visitor.sees('User name')
    t.equal(await page.evaluate('sessionStorage.length'), 0)
  })

  t.test('nothing of this was against the policy of the page, or went wrong in it', async (t) => {
    t.same(visitor.faults, [])
  })
})
