import t from 'tap'
import { password } from '#test/runtime/service.ts'
import { others } from './machines.ts'
import { writeResources } from './mockups.ts'
import { recorded } from './recorded.ts'
import { serve } from './served.ts'

for (const [kind, resources] of Object.entries(others))
  t.test(`a ${kind} is served without a computer system`, async (t) => {
    const { file, said } = recorded(writeResources(t.testdir(), resources))
    t.strictSame(said, [])
    t.strictSame(file.systems, {})
    const { ask, events, restart } = await serve(t, file)
    for (const path of Object.keys(resources))
      t.match(await ask('GET', path), { status: 200, json: { '@odata.id': path } })
    const { json: root } = await ask('GET', '/redfish/v1/')
    t.equal('Systems' in root, 'Systems' in resources['/redfish/v1']!, 'it shows the collections that were recorded')
    t.strictSame((await ask('GET', '/redfish/v1/Systems/')).json.Members, [])
    const login = { UserName: 'admin', Password: password }
    t.equal((await ask('POST', '/redfish/v1/SessionService/Sessions/', login, { authorization: '' })).status, 201)
    await restart()
    t.ok(events().length > 0)
    for (const { origin } of events()) t.equal((await ask('GET', `${origin}/`)).status, 200, origin)
  })

t.test('what has no service root is not recorded', async (t) => {
  t.throws(() => recorded(t.testdir()), /there is no service root/)
})
