import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { updateFile } from '#runtime/build/update-file.mjs'
import { Authority, serverExtensions } from '#test/host/authority.ts'
import { makeSigner } from '#test/host/certificates.ts'
import { hosts } from '#test/host/hosts.ts'
import { directory, start } from '#test/host/server.ts'
import { Subscriber } from '#test/runtime/service/events/subscriber.ts'
import { isForAll, partOf, Visitor, withBrowser, withFirefox } from './browser.ts'

const [node, x86] = hosts as [(typeof hosts)[number], (typeof hosts)[number]]
const system = '/redfish/v1/Systems/1/'
const bios = `${system}Bios/`
const driveUri = '/redfish/v1/Managers/1/VirtualMedia/1/'
const secret = 'Oboe-and-Harp-9'
const account = { UserName: 'kim', Password: secret, RoleId: 'Administrator' }

/** The number of actions that each task takes, as the documentation says. */
const taken = new Map(
  [...readFileSync('docs/page.md', 'utf8').matchAll(/^\| (.*) \| (\d+) \| (\d+) \|$/gm)].map(
    ([, task = '', mouse, keyboard]) => [task, { mouse: Number(mouse), keyboard: Number(keyboard) }]
  )
)

/** Each browser, host and hand has its turn in two runs; the other six are for `MINNOW_BROWSERS=all`. */
const runs = [
  [withBrowser, 'Chromium', node, 'keyboard'],
  [withFirefox, 'Firefox', x86, 'mouse']
] as const
const others = [
  [withBrowser, 'Chromium', node, 'mouse'],
  [withBrowser, 'Chromium', x86, 'mouse'],
  [withBrowser, 'Chromium', x86, 'keyboard'],
  [withFirefox, 'Firefox', node, 'mouse'],
  [withFirefox, 'Firefox', node, 'keyboard'],
  [withFirefox, 'Firefox', x86, 'keyboard']
] as const

for (const [within, name, host, hand] of isForAll ? [...runs, ...others] : runs) {
  within(`the tasks of an administrator, by ${hand}, from ${host.name}, in ${name}`, async (t, browser) => {
    const files = directory(t)
    const server = await start(t, host, { configuration: { sensors: { interval: 1 } } })
    await server.post('/redfish/v1/AccountService/Accounts/', account)
    const visitor = await Visitor.open(t, browser, server, '', hand)
    const { page } = visitor
    const left = new Set(taken.keys())

    /** A task, which begins at the overview and takes as many actions as the documentation says. */
    const task = (name: string, run: (t: Test) => Promise<void>) =>
      t.test(name, async (t) => {
        await page.evaluate(`location.hash = '#/overview'`)
        await visitor.settled()
        const before = visitor.actions
        await run(t)
        t.equal(visitor.actions - before, taken.get(name)?.[hand], 'as many actions as the documentation says')
        left.delete(name)
      })

    task('log in', async () => {
      await visitor.logIn(secret, 'kim')
      await visitor.sees('live')
    })

    task('power-cycle the machine', async () => {
      const booted = async () => (await server.get(`${system}LogServices/SystemLog/Entries/`)).json.Members.length
      const before = await booted()
      await visitor.press('More')
      await visitor.press('Force restart')
      await visitor.agree('Force restart')
      await server.until(booted, (now) => now > before)
    })

    task('change a BIOS setting, and apply it', async () => {
      await visitor.follow('BIOS settings')
      await visitor.fill('Search names, help and values', 'QuietBoot')
      await visitor.tick('Quiet boot')
      await visitor.press('Save changes (1)')
      await visitor.press('Restart now')
      await visitor.agree('Restart now')
      await server.until(
        () => server.get(bios),
        ({ json }) => json.Attributes.QuietBoot === false
      )
    })

    task('enrol a key', async () => {
      writeFileSync(join(files, 'key.pem'), makeSigner(t, { subject: '/CN=Racks' }).certificate)
      await visitor.follow('Secure boot')
      await visitor.give('Certificate, PEM or DER', 'Keys of a database', join(files, 'key.pem'))
      await page.waitForSelector(`${partOf('Keys of a database')} dd`)
      await visitor.press('Enrol a certificate', 'Keys of a database')
      await page.waitForSelector(`::-p-xpath(//tr[td[normalize-space()='db']][contains(., 'CN=Racks')])`)
    })

    task('mount an image from this computer', async () => {
      // A host sees this drive, and reads the file.
      const seenDrive = 'Virtual removable media'
      writeFileSync(join(files, 'disc.iso'), Buffer.alloc(2048 * 500, 'sector'))
      await visitor.follow('Media')
      await visitor.give('Image file', seenDrive, join(files, 'disc.iso'))
      await visitor.press('Insert', seenDrive)
      await page.waitForFunction(`document.querySelector('.reading progress')?.value > 0`)
      await server.post(`${driveUri}Actions/VirtualMedia.EjectMedia/`, {})
    })

    task('mount an image by URL', async () => {
      const drive = 'Virtual optical drive'
      await visitor.follow('Media')
      await visitor.fill('URL of an image', 'https://127.0.0.1:1/disc.iso', drive)
      await visitor.press('Insert', drive)
      await page.waitForSelector(partOf(drive, 'https://127.0.0.1:1/disc.iso'))
    })

    task('read the log, filtered', async () => {
      const line = 'The server 1 started to boot after a reset'
      await visitor.follow('Log')
      await visitor.sees(line)
      await visitor.choose('Severity', 'OK')
      await visitor.fill('Search in All logs and tasks', 'to boot after')
      await visitor.misses('Installed')
      await visitor.sees(line)
    })

    task('update the controller', async () => {
      const image = { board: 'sim', component: 'controller', version: '1.63' }
      writeFileSync(join(files, 'sim.update'), updateFile(sim.updateKey, image, { kernel: new Uint8Array(100_000) }))
      await visitor.follow('Updates')
      await visitor.give('Update file', 'Upload', join(files, 'sim.update'))
      await visitor.press('Update', 'Upload')
      await visitor.sees('starts at the next restart')
    })

    task('add a user', async () => {
      await visitor.follow('Accounts')
      await visitor.fill('User name', 'visitor')
      await visitor.fill('Password', secret)
      await visitor.press('Create')
      await page.waitForSelector(partOf('Accounts', 'visitor'))
    })

    task('change your own password', async () => {
      await visitor.press('kim')
      await page.waitForSelector('header input[type=password]')
      await visitor.fill('New password', 'Viola-and-Horn-8')
      await visitor.press('Change password')
      await visitor.sees('Your password was changed.')
    })

    task('set a static address', async () => {
      const part = 'IPv4'
      await visitor.follow('Network')
      await visitor.tick('Manual')
      await visitor.fill('Address', '192.0.2.7/24', part)
      await visitor.fill('Gateway', '192.0.2.1', part)
      await visitor.press('Save', part)
      await server.until(
        () => server.get('/redfish/v1/Managers/1/EthernetInterfaces/1/'),
        ({ json }) => json.IPv4StaticAddresses[0]?.Address === '192.0.2.7'
      )
    })

    task("see a sensor's last hour", async () => {
      await visitor.follow('Sensors')
      await visitor.tick('Chart Fan 1')
      await page.waitForFunction(`document.querySelectorAll('.graph .line').length === 2`)
      await visitor.sees('Fan 1: highest')
    })

    task('cap the power', async () => {
      await visitor.follow('Power')
      await visitor.tick('Limit the power')
      await visitor.fill('Limit in watts', '400')
      await visitor.press('Save', 'Power limit')
      await server.until(
        () => server.get('/redfish/v1/Chassis/1/EnvironmentMetrics/'),
        ({ json }) => json.PowerLimitWatts.SetPoint === 400
      )
    })

    task('replace the certificate', async () => {
      const part = 'Certificate of this page'
      await visitor.follow('Certificates')
      await visitor.press('Signing request')
      // The host name is that of the address.
      for (const each of ['Organization', 'Department', 'City', 'State or province']) {
        await visitor.fill(each, 'rack-7')
      }
      await visitor.fill('Country, two letters', 'AT')
      await visitor.press('Create')
      const area = await page.waitForSelector('textarea[readonly]')
      await page.waitForFunction(`document.querySelector('textarea[readonly]').value.includes('CERTIFICATE REQUEST')`)
      const request = await area!.evaluate((each) => (each as unknown as { readonly value: string }).value)
      const authority = new Authority(t, 'Racks')
      writeFileSync(join(files, 'server.pem'), authority.sign(request, { extensions: serverExtensions }))
      await visitor.press('Close')
      await visitor.press('Replace the certificate')
      await visitor.give('Certificate, PEM or DER', undefined, join(files, 'server.pem'))
      await visitor.sees('CN=Racks')
      await visitor.press('Replace')
      await visitor.agree('Replace')
      await page.waitForSelector(`::-p-xpath(//section[.//h2='${part}']/dl[contains(., 'CN=Racks')])`)
    })

    task('send a test event, and see its delivery', async (t) => {
      const { certificate: cert, key } = makeSigner(t, {
        subject: '/CN=hub',
        extensions: ['subjectAltName=IP:127.0.0.1']
      })
      const subscriber = await Subscriber.open(t, { key, cert })
      await server.post('/redfish/v1/EventService/Subscriptions/', {
        Destination: subscriber.uri,
        VerifyCertificate: false
      })
      await visitor.follow('Notifications')
      await visitor.press('Send a test event')
      await visitor.sees('The test event was delivered.')
    })

    t.test('no task of the documentation is left out, and nothing went wrong in the page', async (t) => {
      t.same([...left], [])
      t.same(visitor.faults, [])
    })
  })
}
