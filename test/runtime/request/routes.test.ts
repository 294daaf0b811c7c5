import t from 'tap'
import { changed } from '#runtime/contract'
import { Routes } from '#runtime/request/routes.ts'

const template = '/redfish/v1/Systems/{ComputerSystemId}/Processors/{ProcessorId}'
const entries = [{ template, module: { privileges: { GET: 'LoginPriv' }, GET: () => ({}) } }] as const
const routes = () => new Routes(entries, 64)
const schema = (title: string) => ({ title, type: 'object', properties: {} }) as const

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

t.test('of many paths the oldest is dropped, and resolved again', async (t) => {
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

t.test('services with the same handlers and the same longest identifier share their routes', async (t) => {
  const [short, long] = [Routes.of(entries, 4), Routes.of(entries, 8)]
  for (const [routes, longest] of [
    [short, 4],
    [long, 8]
  ] as const) {
    t.equal(Routes.of(entries, longest), routes)
    t.ok(routes.find(`/redfish/v1/Systems/1/Processors/${'x'.repeat(longest)}`))
    t.notOk(routes.find(`/redfish/v1/Systems/1/Processors/${'x'.repeat(longest + 1)}`))
  }
})

t.test('a type is described by the first of its handlers that takes changes, or else by the first', async (t) => {
  const ship = (name: string) => ({
    template: `/redfish/v1/${name}`,
    module: { privileges: { GET: 'LoginPriv', PATCH: 'LoginPriv' }, schema: schema('#Ship.v1_0_0.Ship') } as const
  })
  const writable = (name: string) => {
    const { template, module } = ship(name)
    return { template, module: { ...module, PATCH: () => changed({}) } }
  }
  const [wreck, hulk, sail, motor] = [ship('Wreck'), ship('Hulk'), writable('Sail'), writable('Motor')]
  t.equal(new Routes([wreck, sail, hulk, motor], 64).describing('Ship'), sail.module)
  t.equal(new Routes([wreck, hulk], 64).describing('Ship'), wreck.module)
  t.equal(new Routes([wreck], 64).describing('Shi'), undefined)
})

t.test('members of a collection are also added at its Members', async (t) => {
  const module = {
    privileges: { GET: 'LoginPriv', POST: 'LoginPriv' },
    GET: () => ({}),
    POST: () => changed({})
  } as const
  const [template, single] = ['/redfish/v1/Fleet', '/redfish/v1/Ship']
  const all = new Routes(
    [
      { template, module: { ...module, schema: schema('#ShipCollection.ShipCollection') } },
      { template: single, module: { ...module, schema: schema('#Ship.v1_0_0.Ship') } }
    ],
    64
  )
  t.match(all.find(`${template}/Members`), { uri: template, methods: ['POST'], allow: 'POST' })
  t.match(all.find(template), { methods: ['GET', 'POST'], allow: 'GET, HEAD, POST' })
  t.equal(all.find(`${single}/Members`), undefined)
})
