import t from 'tap'
import { Routes } from '#runtime/request/routes.ts'

const template = '/redfish/v1/Systems/{ComputerSystemId}/Processors/{ProcessorId}'
const routes = () => new Routes([{ template, module: { privileges: { GET: 'LoginPriv' }, GET: () => ({}) } }], 64)

t.test('a path is resolved once, with and without its last slash', async (t) => {
  const all = routes()
  const found = all.find('/redfish/v1/Systems/1/Processors/CPU%201')
  t.match(found, {
    uri: '/redfish/v1/Systems/1/Processors/CPU%201',
    params: { ProcessorId: 'CPU 1' },
    allow: 'GET, HEAD'
  })
  t.equal(all.find('/redfish/v1/Systems/1/Processors/CPU%201/'), found)
})

t.test('of many paths the oldest is forgotten, and resolved anew', async (t) => {
  const all = routes()
  const uris = Array.from({ length: 1025 }, (_, number) => `/redfish/v1/Systems/1/Processors/${number}`)
  const [first, second] = uris.map((uri) => all.find(uri))
  t.equal(all.find(uris[1]!), second)
  const again = all.find(uris[0]!)
  t.not(again, first)
  t.same(again, first)
})

t.test('a path that leads nowhere is nowhere, however often it is asked for', async (t) => {
  const all = routes()
  for (const path of ['/redfish/v1/Systems', '/redfish/v1/Systems/1/Processors/1//', '/', '//']) {
    t.equal(all.find(path), undefined, path)
    t.equal(all.find(path), undefined, path)
  }
})
