import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Board } from '#data/board'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { withoutVariables } from '#test/data/board/without-variables.ts'
import { hosts } from '#test/host/hosts.ts'
import { directory, start } from '#test/host/server.ts'
import { Visitor, withBrowser } from './browser.ts'

const [node] = hosts as [(typeof hosts)[number]]

withBrowser('a machine without UEFI variables', async (t, browser) => {
  const board = join(directory(t), 'board.json')
  writeFileSync(board, JSON.stringify(withoutVariables(sim as Board)))
  const server = await start(t, node, { args: ['--board', board] })
  const visitor = await Visitor.loggedIn(t, browser, server, '#/overview')

  t.test('its screens say what is not there, and offer nothing of it', async (t) => {
    await visitor.sees('Dual-socket rack server')
    for (const screen of ['BIOS settings', 'Boot', 'Secure boot']) {
      await visitor.follow(screen)
      await visitor.sees('Not available on this machine.')
      await visitor.misses('Save')
    }
    await visitor.follow('Media')
    await visitor.sees('Insert')
    await visitor.misses('Boot from it at the next reset')
    t.same(visitor.faults, [])
  })
})
