import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '#test/conformance/free-port.ts'
import { hosts } from '#test/host/hosts.ts'
import { basic, directory, type Json, start } from '#test/host/server.ts'
import { Visitor, withBrowser } from './browser.ts'

const drive = '/redfish/v1/Managers/1/VirtualMedia/1/'
const part = 'Virtual removable media'

for (const [index, host] of hosts.filter(({ slowness }) => slowness === 1).entries()) {
  withBrowser(`a file of this computer, on ${host.name}`, async (t, browser) => {
    const files = directory(t)
    const disc = join(files, 'disc.iso')
    writeFileSync(disc, Buffer.alloc(4_000_000 - (4_000_000 % 2048), 'sector'))
    writeFileSync(join(files, 'ragged.iso'), 'x'.repeat(2049))
    const port = await freePort()
    const options = { data: directory(t), port, configuration: { port } }
    let server = await start(t, host, options)
    const becomes = (expected: (json: Json) => boolean) =>
      server.until(
        () => server.get(drive),
        ({ json }) => expected(json)
      )
    const visitor = await Visitor.loggedIn(t, browser, server, '#/media', index === 0 ? 'mouse' : 'keyboard')
    const { page } = visitor
    const read = () => page.evaluate(`document.querySelector('.reading progress')?.value ?? -1`) as Promise<number>
    const isReading = (least: number) =>
      page.waitForFunction(`(document.querySelector('.reading progress')?.value ?? -1) >= ${least}`, {
        timeout: 60_000
      })

    await t.test('one that the controller does not take says why', async () => {
      await visitor.give('Image file', part, join(files, 'ragged.iso'))
      await visitor.press('Insert', part)
      await visitor.sees('The controller did not take ragged.iso: its size is not a multiple of 2048 bytes.')
    })

    await t.test('the host reads it, while other screens are shown too, and waits while it is paused', async (t) => {
      await visitor.give('Image file', part, disc)
      await visitor.press('Insert', part)
      await isReading(100_000)
      await becomes(({ Inserted, ImageName }) => Inserted && ImageName === 'disc.iso')
      await visitor.follow('Boot')
      await visitor.follow('Media')
      await visitor.press('Pause', part)
      await visitor.sees('Paused.')
      await new Promise((resolve) => setTimeout(resolve, 1000))
      const before = await read()
      await new Promise((resolve) => setTimeout(resolve, 1000))
      t.equal(await read(), before)
      await visitor.press('Go on', part)
      await isReading(before + 1)
      t.same(visitor.faults, [])
    })

    await t.test('after a restart of the service the host reads on', async () => {
      await server.stop()
      await visitor.sees('Connection lost.')
      server = await start(t, host, options)
      await isReading(3_999_000)
      await becomes(({ Inserted }) => Inserted)
    })

    await t.test('it can be ejected', async () => {
      await visitor.press('Eject', part)
      await becomes(({ ConnectedVia }) => ConnectedVia === 'NotConnected')
      await page.waitForSelector('.drop')
    })

    await t.test('the page shows a ReadOnly user that the role may only read', async () => {
      const reader = { UserName: 'ann', Password: 'Green-Door-4', RoleId: 'ReadOnly' }
      await server.post('/redfish/v1/AccountService/Accounts', reader)
      t.equal((await server.get(drive, basic('ann', 'Green-Door-4'))).status, 200)
      const other = await Visitor.open(t, browser, server, '#/media')
      await other.logIn('Green-Door-4', 'ann')
      await other.sees('your role may only read')
    })

    await t.test('the browser asks before the tab is closed, which empties the drive', async (t) => {
      await visitor.give('Image file', part, disc)
      await visitor.press('Insert', part)
      await becomes(({ Inserted }) => Inserted)
      await isReading(1)
      const asked = new Promise<string>((resolve) =>
        page.once('dialog', (dialog) => {
          resolve(dialog.type())
          void dialog.accept()
        })
      )
      await page.close({ runBeforeUnload: true })
      t.equal(await asked, 'beforeunload')
      await becomes(({ ConnectedVia }) => ConnectedVia === 'NotConnected')
    })
  })
}
