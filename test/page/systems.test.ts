import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sim from '#data/boards/sim.json' with { type: 'json' }
import { hosts } from '#test/host/hosts.ts'
import { directory, start } from '#test/host/server.ts'
import { Visitor, withBrowsers } from './browser.ts'

const [node, x86] = hosts as [(typeof hosts)[number], (typeof hosts)[number]]
const [first, second] = ['/redfish/v1/Systems/1/', '/redfish/v1/Systems/2/']

/** A board with a second system, as a blade enclosure has. */
const board = {
  ...sim,
  systems: {
    ...sim.systems,
    2: { ...sim.systems[1], name: 'Second server', uuid: '3f0c5d1e-7a52-4c1b-9d38-5b1f6e2a9c05' }
  }
}

for (const [hand, host] of [
  ['mouse', node],
  ['keyboard', x86]
] as const) {
  withBrowsers(`a controller of two systems, by ${hand}, from ${host.name}`, async (t, browser) => {
    const file = join(directory(t), 'board.json')
    writeFileSync(file, JSON.stringify(board))
    const server = await start(t, host, { args: ['--board', file] })
    const visitor = await Visitor.loggedIn(t, browser, server, '', hand)

    t.test('the one that is chosen is shown, and switched', async (t) => {
      await visitor.sees('Dual-socket rack server')
      await choose(visitor, 'Dual-socket rack server', 'Second server On OK')
      await visitor.sees('Second server')
      await visitor.press('More')
      await visitor.press('Force off')
      await visitor.sees('Second server: Goes off at once. Unsaved data is lost.')
      await visitor.agree('Force off')
      await server.until(
        () => server.get(second),
        ({ json }) => json.PowerState === 'Off'
      )
      t.equal((await server.get(first)).json.PowerState, 'On')
    })

    t.test('a reload shows the same system, and so does its address elsewhere', async (t) => {
      t.match(visitor.page.url(), /#\/systems\/2\//)
      const other = await Visitor.loggedIn(t, browser, server, '#/systems/2/bios')
      await other.sees('Second server')
      const unknown = await Visitor.open(t, browser, server, '#/systems/9/overview')
      await unknown.logIn()
      await unknown.page.waitForSelector('main .problem')
      t.same([...other.faults, ...unknown.faults], [])
    })

    t.test('a value entered for one system does not appear for the other', async (t) => {
      await visitor.follow('BIOS settings')
      await visitor.fill('Search names, help and values', 'QuietBoot')
      await visitor.tick('Quiet boot')
      await visitor.sees('Save changes (1)')
      await choose(visitor, 'Second server', 'Dual-socket rack server On OK')
      await visitor.sees('Save changes (0)')
      await choose(visitor, 'Dual-socket rack server', 'Second server Off OK')
      await visitor.press('Save changes (1)')
      await visitor.sees('Save changes (0)')
      const quiet = async (system: string) => (await server.get(`${system}Bios/Settings/`)).json.Attributes.QuietBoot
      t.same([await quiet(first), await quiet(second)], [true, false])
      t.same(visitor.faults, [])
    })
  })
}

/** Chooses another system in the header, as soon as its state is there. */
async function choose(visitor: Visitor, from: string, to: string): Promise<void> {
  await visitor.press(`System: ${from}`)
  await visitor.sees(to)
  await visitor.follow(to)
}
