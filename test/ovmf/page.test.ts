import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { needing } from '#test/host/every-host.ts'
import { hosts } from '#test/host/hosts.ts'
import { directory, start } from '#test/host/server.ts'
import { Visitor } from '#test/page/browser.ts'
import { missing as noBrowser, openBrowser } from '#test/page/chromium.ts'
import { missingMachine } from './machine.ts'

const [node] = hosts as [(typeof hosts)[number]]

needing('a virtual machine by the page', missingMachine ?? noBrowser, async (t) => {
  const data = directory(t)
  t.teardown(() => {
    try {
      process.kill(Number(readFileSync(join(data, 'machine/vm-1.pid'), 'utf8')), 'SIGKILL')
    } catch {
      // It is off.
    }
  })
  const server = await start(t, node, { data, args: ['--board', 'qemu'] })
  const visitor = await Visitor.loggedIn(t, await openBrowser(t), server)
  visitor.page.setDefaultTimeout(60_000)
  const stateIs = (state: string) =>
    visitor.page.waitForFunction(`document.getElementById('power-state')?.innerText === '${state}'`)

  await t.test('it is switched on, its firmware talks to the terminal, and it is switched off', async (t) => {
    await stateIs('Off')
    await visitor.press('Power on')
    await stateIs('On')
    await visitor.follow('Console')
    await visitor.seesInTerminal('UEFI')
    await visitor.follow('Overview')
    await visitor.press('More')
    await visitor.press('Force off')
    await visitor.agree('Force off')
    await stateIs('Off')
    t.same(visitor.faults, [])
  })
})
