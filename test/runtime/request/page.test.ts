import t from 'tap'
import { openFixture } from '#test/runtime/service.ts'

t.test('without the page, / redirects to the service root', async (t) => {
  const service = await openFixture((configuration) => {
    Object.assign(configuration, { page: false })
  })
  t.teardown(() => service.close())
  const { status, headers } = await service.ask('GET', '/', undefined, { accept: 'text/html' })
  t.equal(status, 308)
  t.equal(headers.location, '/redfish/v1/')
  for (const path of ['/page', '/page/index.html']) {
    t.equal((await service.ask('GET', path, undefined, {})).status, 404, path)
  }
})
