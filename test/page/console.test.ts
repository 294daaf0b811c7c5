import { sleep } from '#runtime/base/sleep.ts'
import { hosts } from '#test/host/hosts.ts'
import { start } from '#test/host/server.ts'
import { openTerminal } from '#test/host/terminal.ts'
import { Visitor, withBrowser } from './browser.ts'

const [node] = hosts as [(typeof hosts)[number]]
const console = '/redfish/v1/Systems/1/SerialConsole'

withBrowser('the console', async (t, browser) => {
  const server = await start(t, node)
  const visitor = await Visitor.loggedIn(t, browser, server, '#/console')
  const { page } = visitor
  await visitor.sees('Connected.')
  await page
    .browserContext()
    .overridePermissions(new URL(page.url()).origin, ['clipboard-read', 'clipboard-sanitized-write'])
  const says = (text: string) =>
    server.until(
      () => server.get(console),
      (answer) => answer.text.includes(text)
    )
  const shows = (text: string, tab = visitor) => tab.seesInTerminal(text)

  await t.test('fits its frame, also when the window changes, with at least 80 columns and 24 lines', async (t) => {
    const measure = () =>
      page.evaluate(`(() => {
        const frame = document.querySelector('.console')
        const rows = document.querySelectorAll('.xterm-rows > div').length
        return [rows, frame.scrollWidth - frame.clientWidth, frame.scrollHeight - frame.clientHeight]
      })()`) as Promise<[number, number, number]>
    for (const [width, height] of [
      [1100, 760],
      [1600, 1200],
      [900, 700]
    ] as const) {
      await page.setViewport({ width, height })
      await page.waitForFunction(`(() => {
        const [frame, drawn] = ['.console', '.xterm-screen'].map((each) => document.querySelector(each))
        const free = frame.clientHeight - drawn.clientHeight
        return free >= 0 && free < 60
      })()`)
      const [rows, right, below] = await measure()
      t.ok(rows >= 24, `${rows} lines`)
      t.same([right, below], [0, 0], `${width} by ${height}`)
    }
  })

  await t.test('sends keys that the browser keeps to itself', async () => {
    await visitor.press('Keys')
    await visitor.press('F2')
    await says('\x1bOQ')
    await visitor.tick('VT100+')
    await visitor.press('F2')
    await visitor.press('Del')
    await says('\x1b2\x1b-')
    await page.keyboard.press('Escape')
  })

  await t.test('sends a break, and commands of SysRq after one', async () => {
    await visitor.press('Keys')
    await visitor.press('Break')
    await visitor.press('Write caches')
    await says('sysrq: s')
    await page.keyboard.press('Escape')
  })

  await t.test('what is pasted arrives at a rate, and can be stopped', async (t) => {
    await visitor.press('Paste')
    await visitor.fill('Text', 'one line\nanother line')
    await visitor.press('Send')
    await says('one line\ranother line')
    await visitor.press('Paste')
    await visitor.fill('Text', `<${'x'.repeat(400)}>`)
    await visitor.tick('50')
    await visitor.press('Send')
    await visitor.sees('characters left')
    await says('<xxxx')
    await visitor.press('Stop')
    await visitor.misses('characters left')
    t.notMatch((await server.get(console)).text, '>')
  })

  await t.test('nothing is lost or shown twice while a terminal opens and the host goes on', async (t) => {
    const terminal = await openTerminal(t, server)
    for (let round = 0; round < 5; round += 1) {
      await visitor.follow('Overview')
      let isOver = false
      const talk = async () => {
        for (let count = 0; !isOver; count += 1) {
          terminal.type(`<${round}:${count}>`)
          await terminal.until(`<${round}:${count}>`)
          // As slow as a serial line: a browser whose accessibility tree is read takes no more.
          await sleep(10)
        }
      }
      const talking = talk()
      await visitor.follow('Console')
      await visitor.sees('Connected.')
      isOver = true
      await talking
      terminal.type(`<end of ${round}>`)
      await shows(`<end of ${round}>`)
      await visitor.press('Copy')
      await visitor.sees('Copied')
      const since = (text: string) => text.slice(text.indexOf(`<${round}:0>`)).replace(/\n/g, '')
      const shown = (await page.evaluate('navigator.clipboard.readText()')) as string
      t.equal(since(shown), since((await server.get(console)).text))
      await visitor.misses('Copied')
    }
    terminal.socket.close()
    await terminal.closed
  })

  await t.test('is copied, by the lines that the host wrote', async (t) => {
    const long = `<long ${'x'.repeat(300)}>`
    const terminal = await openTerminal(t, server)
    terminal.type(long)
    await shows('xxx>')
    terminal.socket.close()
    await terminal.closed
    await visitor.press('Copy')
    await visitor.sees('Copied')
    const copied = await page.evaluate('navigator.clipboard.readText()')
    t.match(copied, /another line/)
    t.match(copied, long)
  })

  await t.test('is shown on the whole screen', async (t) => {
    await visitor.press('Full screen')
    await page.waitForFunction('document.fullscreenElement !== null')
    t.equal(await page.evaluate(`document.fullscreenElement.querySelectorAll('.xterm-rows').length`), 1)
    await page.evaluate('document.exitFullscreen()')
    await page.waitForFunction('document.fullscreenElement === null')
  })

  await t.test('is the same in several tabs, and says how the host is', async () => {
    const other = await Visitor.loggedIn(t, browser, server, '#/console')
    await shows('another line', other)
    await other.sees('Connected.')
    await other.page.locator('.console').click()
    await other.page.keyboard.type('from the other tab')
    await shows('from the other tab')
    await server.post('/redfish/v1/Systems/1/Actions/ComputerSystem.Reset/', { ResetType: 'ForceOff' })
    await page.waitForFunction(`document.querySelector('.terminal .badge').innerText === 'Off'`)
    await server.post('/redfish/v1/Systems/1/Actions/ComputerSystem.Reset/', { ResetType: 'On' })
    await page.waitForFunction(`document.querySelector('.terminal .row').innerText.includes('Operating system')`)
  })

  await t.test('its last lines stand on the overview, as text', async (t) => {
    await visitor.follow('Overview')
    await page.waitForFunction(`document.querySelector('.tail').innerText.includes('login:')`)
    t.same(visitor.faults, [])
  })
})
