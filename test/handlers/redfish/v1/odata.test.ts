import t from 'tap'
import { GET, privileges } from '#handlers/redfish/v1/odata.ts'
import { context } from '#test/handlers/context.ts'

t.test('the service document lists the services as singletons', async (t) => {
  const { value } = GET(context())
  t.same(value[0], { name: 'Service', kind: 'Singleton', url: '/redfish/v1/' })
  t.same(
    value.find(({ name }) => name === 'Sessions'),
    { name: 'Sessions', kind: 'Singleton', url: '/redfish/v1/SessionService/Sessions/' }
  )
  const names = value.map(({ name }) => name)
  for (const name of ['AccountService', 'EventService', 'Tasks', 'TelemetryService', 'UpdateService'])
    t.ok(names.includes(name), name)
  t.equal(new Set(value.map(({ url }) => url)).size, value.length, 'each of them once')
})

t.test('anybody may read the service document', async (t) => {
  t.same(privileges, { GET: 'NoAuth' })
})
