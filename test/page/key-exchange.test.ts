import { needing } from '#test/host/every-host.ts'
import { hosts } from '#test/host/hosts.ts'
import { start } from '#test/host/server.ts'
import { missing, openBrowser } from './chromium.ts'

const binary = hosts.find(({ name }) => name === 'x86-64')!

needing('a browser and the binary', missing ?? binary.missing, async (t) => {
  const server = await start(t, binary)
  const browser = await openBrowser(t)

  t.test('agree on X25519MLKEM768, which Chromium offers first', async (t) => {
    const page = await browser.newPage()
    const tools = await page.createCDPSession()
    await tools.send('Network.enable')
    const group = new Promise<string | undefined>((resolve) =>
      tools.once('Network.responseReceived', ({ response }) => resolve(response.securityDetails?.keyExchangeGroup))
    )
    await page.goto(`https://127.0.0.1:${server.port}/redfish`)
    t.equal(await group, 'X25519MLKEM768')
  })
})
