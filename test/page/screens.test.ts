import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'puppeteer-core'
import type { Test } from 'tap'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { writeBootNumbers } from '#hal/uefi/boot.ts'
import { bootOrder } from '#hal/uefi/variables.ts'
import { updateFile } from '#runtime/build/update-file.mjs'
import { Authority, serverExtensions } from '#test/host/authority.ts'
import { hosts } from '#test/host/hosts.ts'
import { directory, password, start } from '#test/host/server.ts'
import { change, newStore } from '#test/ovmf/stores.ts'
import { partOf, Visitor, withBrowser } from './browser.ts'

const [node, x86] = hosts as [(typeof hosts)[number], (typeof hosts)[number]]
const system = '/redfish/v1/Systems/1/'
const bios = `${system}Bios/`
const reset = `${system}Actions/ComputerSystem.Reset/`
const databases = `${system}SecureBoot/SecureBootDatabases/`

for (const [hand, host] of [
  ['mouse', node],
  ['keyboard', x86]
] as const) {
  withBrowser(`what the screens are for, by ${hand}, from ${host.name}`, async (t, browser) => {
    const server = await start(t, host, { configuration: { sensors: { interval: 1 } } })
    const visitor = await Visitor.open(t, browser, server, '', hand)
    const { page } = visitor
    const files = directory(t)
    const attributes = async (of = bios) => (await server.get(of)).json.Attributes
    /** Waits until the overview shows texts among what the next restart changes. */
    const changes = (...texts: readonly string[]) => page.waitForSelector(partOf('At the next restart', ...texts))
    const restarts = async () => {
      const transfer = async () => (await server.get(bios)).json['@Redfish.Settings'].Time
      const before = await transfer()
      await server.post(reset, { ResetType: 'ForceRestart' })
      await server.until(
        () => server.get(bios),
        ({ json }) => json['@Redfish.Settings'].Time !== before
      )
    }

    t.test('a wrong password is refused in words, and the right one shows the machine', async () => {
      await visitor.logIn('wrong')
      await visitor.sees('User name or password is wrong')
      await visitor.logIn()
      await visitor.sees('Dual-socket rack server')
      await visitor.sees('live')
    })

    t.test('the machine is switched off and on, and another browser sees it', async () => {
      const other = await Visitor.loggedIn(t, browser, server)
      await visitor.press('More')
      await visitor.press('Force off')
      await visitor.sees('Unsaved data is lost.')
      await visitor.agree('Force off')
      await stateIs(visitor, 'Off')
      await stateIs(other, 'Off')
      await visitor.press('Power on')
      await stateIs(other, 'On')
      await visitor.press('Turn lamp on')
      await other.sees('Turn lamp off')
    })

    t.test('sensors are in groups with lines that move, and several are compared in a chart', async (t) => {
      await visitor.follow('Sensors')
      const { json } = await server.get('/redfish/v1/Chassis/1/Sensors/?$expand=.')
      for (const { Name } of json.Members) await visitor.sees(Name)
      t.equal((await page.$$('td:first-child')).length, json.Members.length)
      t.equal((await page.$$('td meter')).length, 8, 'temperatures have limits')
      t.ok(await page.$('.graph rect.bad'), 'the critical range is marked')
      const moved = `(line) => (line.getAttribute('d').match(/[ML]/g) ?? []).length > 2`
      await page.waitForFunction(`document.querySelectorAll('td .spark path').length > 10`)
      await page.waitForFunction(`[...document.querySelectorAll('td .spark path')].slice(0, 8).every(${moved})`)
      await visitor.tick('Chart Fan 1')
      await visitor.tick('Chart Fan 2')
      await page.waitForFunction(`document.querySelectorAll('.graph .line').length === 3`)
      await visitor.tick('10 minutes')
      await visitor.sees('Fan 2: highest')
      await visitor.tick('1 hour')
    })

    t.test('the values at a time are read with the slider of the chart', async () => {
      await page.focus('.graph input')
      await visitor.keys('ArrowLeft')
      await page.waitForFunction(
        `/^\\d.* · .*Fan 1 [\\d.]+ %/.test(document.querySelector('.graph figcaption').innerText)`
      )
    })

    t.test('a setting of the BIOS is found, changed, and changed by the next reset', async (t) => {
      await visitor.follow('BIOS settings')
      await visitor.fill('Search names, help and values', 'QuietBoot')
      await visitor.sees('Quiet boot')
      await visitor.tick('Quiet boot')
      await visitor.sees('now: true')
      await visitor.press('Undo Quiet boot')
      await visitor.sees('Save changes (0)')
      await visitor.tick('Quiet boot')
      await visitor.press('Save changes (1)')
      await visitor.sees('Save changes (0)')
      t.equal((await attributes(`${bios}Settings/`)).QuietBoot, false)
      await visitor.follow('Overview')
      await changes('Quiet boot', 'Yes → No')
      await restarts()
      await changes('Nothing changes.')
      t.equal((await attributes()).QuietBoot, false)
    })

    t.test('a setting that closes a service closes it at once, and a refusal is shown beside its field', async () => {
      await server.patch(`${bios}Settings/`, { Attributes: { MemorySpeed: 'Ludicrous' } })
      await restarts()
      await visitor.follow('BIOS settings')
      await visitor.fill('Search names, help and values', 'MemorySpeed')
      await visitor.sees('Refused at the last reset:')
      await visitor.fill('Search names, help and values', 'WorkloadProfile')
      await visitor.choose('Workload profile', 'Maximum performance')
      await visitor.fill('Search names, help and values', 'TurboBoost')
      await page.waitForSelector('#TurboBoost:disabled')
      await visitor.press('Discard')
      await page.waitForSelector('#TurboBoost:enabled')
    })

    t.test('the settings get their defaults, and a password is changed', async (t) => {
      await visitor.press('Reset to defaults')
      await visitor.agree('Reset to defaults')
      await visitor.choose('Whose password (required)', 'User', 'BIOS passwords')
      await visitor.fill('New password', 'short', 'BIOS passwords')
      await visitor.press('Change password')
      await page.waitForSelector(`${partOf('BIOS passwords')} .problem`)
      await visitor.fill('New password', 'Sesame-123', 'BIOS passwords')
      await visitor.press('Change password')
      await page.waitForSelector(`${partOf('BIOS passwords')} .note`)
      await restarts()
      t.equal((await attributes()).QuietBoot, true)
    })

    t.test('the boot order changes by buttons, and by drag', async (t) => {
      const order = async () => (await server.get(system)).json.Boot.BootOrder.slice(0, 3).join()
      await visitor.follow('Boot')
      await visitor.press('Move NVMe drive, bay 2 up')
      await visitor.press('Move NVMe drive, bay 2 up')
      await visitor.press('Save', 'Boot order')
      await server.until(
        () => server.get(system),
        ({ json }) => json.Boot.BootOrder[0] === 'Boot0002'
      )
      t.equal(await order(), 'Boot0002,Boot0000,Boot0001')
      if (hand === 'keyboard') return
      await visitor.settled()
      const [from, to] = [await page.$('.order li:nth-child(3)'), await page.$('.order li:nth-child(1)')]
      await from?.hover()
      await page.mouse.down()
      await to?.hover()
      await page.mouse.up()
      await visitor.press('Save', 'Boot order')
      await server.until(
        () => server.get(system),
        ({ json }) => json.Boot.BootOrder[0] === 'Boot0001'
      )
      t.equal(await order(), 'Boot0001,Boot0002,Boot0000')
    })

    t.test('an option outside the boot order is put into it', async (t) => {
      const data = directory(t)
      mkdirSync(join(data, 'machine'))
      const firmware = { ...bootOrder, data: writeBootNumbers([4]) }
      await change(newStore('4M'), join(data, 'machine/nvram-1.fd'), (nvram) => nvram.set([firmware]))
      const server = await start(t, host, { data })
      const visitor = await Visitor.loggedIn(t, browser, server, '', hand)
      await visitor.follow('Boot')
      await visitor.sees('Not in the order:')
      await visitor.press('Put NVMe drive, bay 2 into the boot order')
      await visitor.press('Move NVMe drive, bay 2 up')
      await visitor.press('Save', 'Boot order')
      await server.until(
        () => server.get(system),
        ({ json }) => json.Boot.BootOrder.join() === 'Boot0002,Boot0004'
      )
    })

    t.test('the next boot is another one', async () => {
      await visitor.choose('Boot from', 'Network (PXE)')
      await visitor.choose('How often', 'Once')
      await visitor.press('Save', 'Boot override')
      await visitor.settled()
      await visitor.follow('Overview')
      await changes('Network (PXE) · Once')
    })

    t.test('an image is inserted, and ejected', async () => {
      const drive = 'Virtual optical drive'
      await visitor.follow('Media')
      await visitor.fill('URL of an image', 'https://127.0.0.1:1/disc.iso', drive)
      await visitor.press('Insert', drive)
      await visitor.press('Eject', drive)
      await page.waitForSelector(`${partOf(drive)} input`)
    })

    t.test('a key is enrolled from a file, PEM or DER, once it was shown, and deleted', async (t) => {
      const { json } = await server.get(`${databases}dbDefault/Certificates/?$expand=.`)
      const [{ CertificateString: pem, Subject: subject }] = json.Members
      writeFileSync(join(files, 'key.pem'), pem)
      writeFileSync(join(files, 'key.der'), Buffer.from(pem.replace(/-----.*-----|\s/g, ''), 'base64'))
      writeFileSync(join(files, 'none.der'), 'no certificate')
      await visitor.follow('Secure boot')
      const part = 'Keys of a database'
      const row = (database: string) =>
        `::-p-xpath(//tr[td[normalize-space()='${database}']][contains(., '${subject.DisplayString}')])`
      for (const [database, file] of [
        ['db', 'key.der'],
        ['KEK', 'key.pem']
      ] as const) {
        const { json } = await server.get(`${databases}${database}/`)
        await visitor.choose('Database', `${database}: ${json.Name}`, part)
        await visitor.give('Certificate, PEM or DER', part, join(files, 'none.der'))
        await visitor.sees('There is no certificate in this file.')
        await visitor.give('Certificate, PEM or DER', part, join(files, file))
        await page.waitForSelector(`${partOf(part)} dd`)
        await visitor.press('Enrol a certificate', part)
        await page.waitForSelector(row(database))
        const enrolled = await server.get(`${databases}${database}/Certificates/?$expand=.`)
        t.equal(enrolled.json.Members[0].Subject.DisplayString, subject.DisplayString)
      }
      await visitor.press(`Delete: KEK, ${subject.DisplayString}`)
      await visitor.sees(`Delete ${subject.DisplayString}?`)
      await visitor.agree('Delete')
      await server.until(
        () => server.get(`${databases}KEK/Certificates/`),
        ({ json }) => json.Members.length === 0
      )
      await visitor.press('More')
      await visitor.press('Delete all keys')
      await visitor.sees('The machine is in setup mode: anybody can enrol keys.')
      await visitor.agree('Delete all keys')
      await server.until(
        () => server.get(`${databases}db/Certificates/`),
        ({ json }) => json.Members.length === 0
      )
    })

    t.test(
      'secure boot that is not enforced says what is missing, and the keys of the factory bring them all',
      async (t) => {
        await visitor.sees('Secure boot is not enforced.')
        await visitor.sees('The platform key (PK) is missing: anybody can enrol keys.')
        await visitor.sees('db has no certificates: no signed program may start.')
        t.equal(await page.$eval('main .primary', (button) => button.innerText), 'Reset keys to defaults')
        await visitor.press('Reset keys to defaults')
        await visitor.agree('Reset keys to defaults')
        await visitor.misses('The platform key (PK) is missing')
        await visitor.misses('db has no certificates')
        await visitor.press('Enable')
        await visitor.sees('it is enforced from the next boot on.')
      }
    )

    t.test('the terminal shows the output of the host, and sends it the input', async () => {
      await visitor.follow('Console')
      await visitor.sees('Connected.')
      await typeHello(visitor)
      await visitor.seesInTerminal('hello')
      await visitor.backTo('Console')
    })

    t.test('logs are filtered by severity and words, and the rest of them is exported', async (t) => {
      const line = 'The server 1 started to boot after a reset'
      await visitor.follow('Log')
      await visitor.sees(line)
      await visitor.choose('Severity', 'Critical')
      await visitor.misses(line)
      await visitor.choose('Severity', 'All severities')
      await visitor.choose('Log', 'System log of the host')
      await visitor.fill('Search in System log of the host', 'to boot after')
      await visitor.sees(line)
      const saved = await downloads(t, browser, visitor)
      await visitor.press('CSV')
      const [, ...lines] = (await saved()).trimEnd().split('\r\n')
      t.ok(lines.length > 0 && lines.every((each) => each.includes('to boot')))
      await visitor.follow('Tasks')
      await visitor.sees('There are no tasks.')
    })

    t.test('an update file is sent, and its task and the next version are shown', async () => {
      const image = { board: 'sim', component: 'controller', version: '1.63' }
      writeFileSync(join(files, 'sim.update'), updateFile(sim.updateKey, image, { kernel: new Uint8Array(100_000) }))
      writeFileSync(join(files, 'bad.update'), 'no update')
      await visitor.follow('Updates')
      if (hand === 'mouse') await visitor.drop('bad.update', 'no update')
      else await visitor.give('Update file', 'Upload', join(files, 'bad.update'))
      await visitor.sees('bad.update, 9 byte')
      await visitor.press('Update', 'Upload')
      await page.waitForSelector(`${partOf('Upload')} .problem`)
      await visitor.give('Update file', 'Upload', join(files, 'sim.update'))
      await visitor.press('Update', 'Upload')
      await visitor.sees('1.63')
      await visitor.sees('starts at the next restart')
      await page.waitForFunction(`document.querySelectorAll('.steps .done').length === 3`)
      await visitor.sees('Until the restart the update can be given up.')
      await visitor.follow('Overview')
      await changes('Management controller', '1.63')
    })

    t.test('an account is made that may only read, seen by another browser, changed, and deleted', async (t) => {
      const other = await Visitor.loggedIn(t, browser, server, '#/accounts')
      const role = async () => (await server.get('/redfish/v1/AccountService/Accounts/visitor/')).json.RoleId
      await visitor.follow('Accounts')
      await visitor.fill('User name', 'visitor')
      await visitor.fill('Password', 'Oboe-and-Harp-9')
      await visitor.press('Create')
      await other.sees('visitor')
      t.equal(await role(), 'ReadOnly')
      await visitor.press('Edit: visitor')
      await page.waitForSelector('dialog:modal')
      await visitor.choose('Role', 'Operator: Operates the host and its components')
      await visitor.press('Save')
      await server.until(
        () => server.get('/redfish/v1/AccountService/Accounts/visitor/'),
        ({ json }) => json.RoleId === 'Operator'
      )
      await other.page.waitForFunction(`document.querySelector('main table').innerText.includes('Operator')`)
      await visitor.press('Delete: visitor')
      await visitor.agree('Delete')
      await other.misses('visitor')
    })

    t.test('the session of another user is ended, and its page says so', async () => {
      const account = { UserName: 'guest', Password: 'Oboe-and-Harp-9', RoleId: 'ReadOnly' }
      await server.post('/redfish/v1/AccountService/Accounts/', account)
      await visitor.follow('Sessions')
      const guest = await Visitor.open(t, browser, server)
      await guest.logIn(account.Password, 'guest')
      await guest.sees('live')
      await visitor.press('End: guest')
      await visitor.agree('End')
      await guest.sees('Your session is over.')
    })

    t.test('a signing request is made, and the certificate is replaced by what was signed', async () => {
      await visitor.follow('Certificates')
      await visitor.press('Signing request')
      for (const each of ['Host name (CN)', 'Organization', 'Department', 'City', 'State or province']) {
        await visitor.fill(each, 'rack-7')
      }
      await visitor.fill('Country, two letters', 'AT')
      await visitor.press('Create')
      await page.waitForFunction(`document.querySelector('textarea[readonly]')?.value.includes('CERTIFICATE REQUEST')`)
      const request = (await page.$eval('textarea[readonly]', (area) => (area as unknown as Area).value)) as string
      await visitor.press('Close')
      const authority = new Authority(t, 'Racks')
      writeFileSync(join(files, 'server.pem'), authority.sign(request, { extensions: serverExtensions }))
      await visitor.press('Replace the certificate')
      await visitor.give('Certificate, PEM or DER', undefined, join(files, 'server.pem'))
      await visitor.sees('CN=Racks')
      await visitor.press('Replace')
      await visitor.sees('New connections use this certificate.')
      await visitor.agree('Replace')
      await page.waitForSelector(`::-p-xpath(//section[.//h2='Certificate of this page']/dl[contains(., 'CN=Racks')])`)
      await visitor.sees('live')
    })

    t.test('an authority is trusted, and a certificate assigned to a user', async () => {
      const authority = new Authority(t, 'Staff')
      writeFileSync(join(files, 'staff.pem'), authority.cert)
      await visitor.press('Import')
      await visitor.give('Certificate, PEM or DER', undefined, join(files, 'staff.pem'))
      await visitor.press('Save')
      await page.waitForSelector(`${partOf('Certification authorities')} td`)
      await visitor.press('Assign')
      await visitor.give('Certificate, PEM or DER', undefined, join(files, 'server.pem'))
      await visitor.press('Save')
      await page.waitForSelector(partOf('Certificates of users', 'admin'))
    })

    t.test('the controller is set up: time, network, license, and subscribers of events', async (t) => {
      const protocols = '/redfish/v1/Managers/1/NetworkProtocol/'
      await visitor.follow('Time')
      await visitor.sees('Both clocks agree.')
      await visitor.fill('Time servers', '192.0.2.1\nntp.example.net\n', 'Time servers')
      await visitor.press('Save', 'Time servers')
      await server.until(
        () => server.get(protocols),
        ({ json }) => json.NTP.NTPServers.join() === '192.0.2.1,ntp.example.net'
      )
      await visitor.choose('Offset from UTC', 'UTC+01:00')
      await visitor.press('Save', 'Time zone')
      await visitor.sees('(UTC+01:00)')
      await visitor.follow('Network')
      await visitor.fill('Largest packet (MTU), bytes', '1400', 'Port')
      await visitor.press('Save', 'Port')
      await visitor.fill('Static addresses', '2001:db8::7/64', 'IPv6')
      await visitor.press('Save', 'IPv6')
      await server.until(
        () => server.get('/redfish/v1/Managers/1/EthernetInterfaces/1/'),
        ({ json }) => json.MTUSize === 1400 && json.IPv6StaticAddresses[0]?.PrefixLength === 64
      )
      await visitor.fill('Host name', 'rack-7', 'Name')
      await visitor.press('Save', 'Name')
      await visitor.tick('Found by SSDP')
      await visitor.press('Save', 'Protocols')
      await server.until(
        () => server.get(protocols),
        ({ json }) => json.HostName === 'rack-7' && json.SSDP.ProtocolEnabled
      )
      await visitor.follow('License')
      await visitor.fill('License key', 'none')
      await visitor.press('Install')
      await page.waitForSelector(`${partOf('Install a license')} .problem`)
      await visitor.follow('Notifications')
      await visitor.press('New subscription')
      await visitor.fill('Destination', 'https://127.0.0.1:1/events')
      await visitor.press('Subscribe')
      await visitor.sees('https://127.0.0.1:1/events')
      await visitor.press('Send a test event')
      await visitor.sees('The test event is not delivered yet:')
      t.pass()
    })

    t.test('any resource is changed by a form made of its schema, with the same request for a shell', async () => {
      await page.evaluate(`location.hash = '#/explorer${system}'`)
      await visitor.settled()
      await visitor.fill('AssetTag', "it's mine")
      await visitor.sees(`-d '{"AssetTag":"it'\\''s mine"}'`)
      await visitor.press('Send PATCH')
      await visitor.sees(`AssetTag: "it's mine"`)
      await visitor.choose('ResetType (required)', 'ForceOff', 'ComputerSystem.Reset')
      await visitor.press('Send POST', 'ComputerSystem.Reset')
      await visitor.agree('Send POST')
      await visitor.sees('PowerState: "Off"')
    })

    t.test('nothing of this was against the policy of the page, or went wrong in it', async (t) => {
      t.same(visitor.faults, [])
    })
  })
}

withBrowser('who looks at the page', async (t, browser) => {
  const server = await start(t, node)
  const visitor = await Visitor.loggedIn(t, browser, server)
  const { page } = visitor

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
    await fresh.press('Change password')
    await fresh.sees('Dual-socket rack server')
  })

  t.test('logins by the page count for the lockout', async (t) => {
    const account = { UserName: 'guest', Password: 'Oboe-and-Harp-9', RoleId: 'ReadOnly' }
    await server.post('/redfish/v1/AccountService/Accounts/', account)
    await server.patch('/redfish/v1/AccountService/', { AccountLockoutThreshold: 2 })
    const guest = await Visitor.open(t, browser, server)
    for (const secret of ['wrong', 'wrong again', account.Password]) {
      const answer = guest.page.waitForResponse((each) => each.url().endsWith('/Sessions'))
      await guest.logIn(secret, 'guest')
      t.equal((await answer).status(), 401)
      await guest.page.waitForSelector('button[aria-busy=false]')
    }
    await server.patch('/redfish/v1/AccountService/', { AccountLockoutThreshold: 0 })
  })

  t.test('the words are German for who wants that', async () => {
    await visitor.press('admin')
    await visitor.choose('Language', 'Deutsch')
    await visitor.follow('Übersicht')
    await visitor.sees('Beim nächsten Neustart')
    await visitor.press('admin')
    await visitor.choose('Sprache', 'English')
  })

  t.test('a user who chose so stays logged in when the tab is reloaded; others do not', async (t) => {
    await page.reload()
    await visitor.sees('User name')
    await page.locator('input[name=keep]').click()
    await visitor.logIn(password)
    await visitor.sees('live')
    await page.reload()
    await visitor.sees('live')
    t.equal(await page.evaluate('document.cookie'), '')
    await visitor.press('admin')
    await Promise.all([page.waitForNavigation(), visitor.press('Log out')])
    await visitor.sees('User name')
    t.equal(await page.evaluate('sessionStorage.length'), 0)
  })

  t.test('a build without a terminal has a plain one', async () => {
    const visitor = await Visitor.open(t, browser, server, '#/console')
    await visitor.page.setRequestInterception(true)
    visitor.page.on('request', (request) => {
      void (request.url().includes('/page/terminal') ? request.respond({ status: 404 }) : request.continue())
    })
    await visitor.logIn()
    await visitor.sees('Connected.')
    await visitor.page.locator('.console input').click()
    await typeHello(visitor)
    await visitor.sees('hello')
  })
})

/** An area of text, as tests look at it. */
interface Area {
  readonly value: string
}

/** Waits until the overview shows a power state. */
async function stateIs({ page }: Visitor, state: string): Promise<void> {
  await page.waitForFunction(`document.getElementById('power-state')?.innerText === '${state}'`)
}

/** Types into the console, which the simulated host repeats. */
async function typeHello({ page }: Visitor): Promise<void> {
  await page.keyboard.type('hello')
  await page.keyboard.press('Enter')
}

/** Lets a page save files. @returns waits for the next file, and gives its text */
async function downloads(t: Test, browser: Browser, { page }: Visitor): Promise<() => Promise<string>> {
  const downloadPath = directory(t)
  const session = await browser.target().createCDPSession()
  const browserContextId = page.browserContext().id!
  await session.send('Browser.setDownloadBehavior', {
    behavior: 'allowAndName',
    browserContextId,
    downloadPath,
    eventsEnabled: true
  })
  const whole: string[] = []
  let wake = () => {}
  session.on('Browser.downloadProgress', ({ guid, state }) => {
    if (state !== 'completed') return
    whole.push(guid)
    wake()
  })
  return async () => {
    while (whole.length === 0) await new Promise<void>((resolve) => (wake = resolve))
    return readFileSync(join(downloadPath, whole.shift()!), 'utf8')
  }
}
