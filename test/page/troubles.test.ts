import type { HTTPRequest } from 'puppeteer-core'
import { hosts } from '#test/host/hosts.ts'
import { directory, password, start } from '#test/host/server.ts'
import { Visitor, withBrowser } from './browser.ts'

const [node] = hosts as [(typeof hosts)[number]]

/** Does something where it is taken for more than text. */
const hostile = `"><img src=x onerror="document.title='taken'"><script>document.title='taken'</script>{{7*7}}`

withBrowser('the page in trouble', async (t, browser) => {
  const data = directory(t)
  let server = await start(t, node, { data })
  const visitor = await Visitor.loggedIn(t, browser, server)
  const { page } = visitor
  const system = '/redfish/v1/Systems/1/'

  t.test('hostile texts in names and messages are shown as they are, and do nothing', async (t) => {
    await server.patch(system, { AssetTag: hostile.slice(0, 63) })
    await server.post('/redfish/v1/EventService/Actions/EventService.SubmitTestEvent/', {
      MessageId: 'Base.1.0.Success',
      Message: hostile,
      OriginOfCondition: `/redfish/v1/${encodeURIComponent(hostile)}`
    })
    await visitor.sees(hostile.slice(0, 63))
    await visitor.sees(hostile)
    await page.goto(`https://127.0.0.1:${server.port}/#/log`)
    await visitor.follow('Explorer')
    await page.evaluate(`location.hash = '#/explorer${system}'`)
    await visitor.sees('AssetTag')
    await page.evaluate(`location.hash = '#/bios/' + encodeURIComponent(${JSON.stringify(hostile)})`)
    await visitor.sees('Nothing found.')
    t.notMatch(await page.title(), /taken/)
    t.equal(await page.evaluate(`document.querySelectorAll('img, body script').length`), 0)
    t.same(visitor.faults, [])
  })

  t.test('a failure is told in the words of the registry, beside what caused it', async () => {
    await visitor.follow('Overview')
    await page.setRequestInterception(true)
    const answer = (request: HTTPRequest) => {
      const isReset = request.method() === 'POST' && request.url().includes('ComputerSystem.Reset')
      const body = JSON.stringify({
        error: { '@Message.ExtendedInfo': [{ MessageId: 'Base.1.12.InternalError', MessageArgs: [] }] }
      })
      void (isReset ? request.respond({ status: 500, contentType: 'application/json', body }) : request.continue())
    }
    page.on('request', answer)
    await visitor.press('Press power button')
    await visitor.agree('Press power button')
    await page.locator('.action .problem').wait()
    await visitor.sees('The service failed while it worked on the request.')
    page.off('request', answer)
    await page.setRequestInterception(false)
  })

  t.test('a session that is over asks for the password, and goes on where it was', async (t) => {
    await page.evaluate(`location.hash = '#/bios'`)
    await page.locator('input[type=search]').fill('QuietBoot')
    await page.locator('#QuietBoot').click()
    await visitor.sees('Save changes (1)')
    const { json } = await server.get('/redfish/v1/SessionService/Sessions/')
    for (const each of json.Members) await server.delete(each['@odata.id'])
    await visitor.sees('Your session is over')
    await visitor.fill('Password', password)
    await page.locator('dialog button[type=submit]').click()
    await visitor.misses('Your session is over')
    await visitor.press('Save changes (1)')
    await visitor.sees('Save changes (0)')
    const settings = await server.get(`${system}Bios/Settings/`)
    t.equal(settings.json.Attributes.QuietBoot, false)
    t.same(visitor.faults, [])
  })

  t.test('a service that goes and comes back is followed, with what changed meanwhile', async () => {
    await visitor.follow('Overview')
    await visitor.sees('live')
    const { port } = server
    await server.kill()
    await visitor.sees('Connection lost')
    server = await start(t, node, { data, args: ['--port', String(port)] })
    await server.patch(system, { AssetTag: 'seen again' })
    await visitor.sees('live')
    await visitor.sees('seen again')
  })

  t.test('on a slow link what was asked for is shown to be under way, and is asked for once', async (t) => {
    await page.setRequestInterception(true)
    const held: HTTPRequest[] = []
    page.on('request', (request) => {
      if (request.method() === 'PATCH') held.push(request)
      else void request.continue()
    })
    await visitor.press('Turn lamp on')
    await page.waitForSelector('button[aria-busy=true]')
    await visitor.press('Turn lamp on')
    t.equal(held.length, 1)
    await held[0]!.continue()
    await visitor.sees('Turn lamp off')
    t.same(visitor.faults, [])
  })
})
