import { mkdirSync } from 'node:fs'
import t from 'tap'
import { describeFleet } from '#data/fleet'
import { addressOf, planReach } from '#runtime/fleet/plan.ts'
import { checkWorkers, shareOf, workerIn } from '#runtime/fleet/workers.ts'

const fleet = (more: object = {}, groups: readonly object[] = [{ count: 4, port: 9000 }]) =>
  describeFleet({ groups: groups as [{ count: number }], ...more })

t.test('a worker has controllers with numbers one after another', async (t) => {
  const groups = [
    { count: 3, network: '127.20.0.0/24', port: 8443 },
    { count: 4, address: '127.0.0.1', port: 9000 },
    { count: 1, address: '127.0.0.1', port: 0 }
  ]
  const scenario = [{ at: '00:01' }, { at: '00:02', controllers: [1, 4, 8] }]
  const description = fleet({ scenario, data: 'all', open: 100 }, groups)
  const shares = [1, 2, 3].map((number) => shareOf(description, planReach(groups), { number, of: 3 }))
  const placed = shares.map(({ reaches }) =>
    reaches.flatMap((reach) =>
      Array.from({ length: reach.group.count }, (_, index) => {
        const port = reach.network === undefined && reach.port !== 0 ? reach.port + index : reach.port
        return `${reach.first + index} ${addressOf(reach, index)}:${port}`
      })
    )
  )
  t.same(placed, [
    ['1 127.20.0.1:8443', '2 127.20.0.2:8443'],
    ['3 127.20.0.3:8443', '4 127.0.0.1:9000', '5 127.0.0.1:9001'],
    ['6 127.0.0.1:9002', '7 127.0.0.1:9003', '8 127.0.0.1:0']
  ])
  t.same(
    shares.map(({ description: { data, open, scenario } }) => [data, open, scenario.map((step) => step.controllers)]),
    [
      ['all/worker-1', 34, [undefined, [1]]],
      ['all/worker-2', 34, [undefined, [4]]],
      ['all/worker-3', 34, [undefined, [8]]]
    ]
  )
})

t.test('the pages and metrics of workers have ports one after another', async (t) => {
  const { groups } = fleet()
  const placesOf = (control: string, metrics: string) =>
    [1, 2].map((number) => {
      const { description } = shareOf(fleet({ control, metrics }), planReach(groups), { number, of: 2 })
      return [description.control, description.metrics]
    })
  t.same(placesOf('127.0.0.1:9443', '[::1]:9464'), [
    ['127.0.0.1:9443', '[::1]:9464'],
    ['127.0.0.1:9444', '[::1]:9465']
  ])
  t.same(
    placesOf('127.0.0.1:0', '0.0.0.0:0'),
    [1, 2].map(() => ['127.0.0.1:0', '0.0.0.0:0']),
    'each has a free one'
  )
  t.equal(shareOf(fleet(), planReach(groups), { number: 2, of: 2 }).description.metrics, '')
  t.equal(shareOf(fleet({ control: true }), planReach(groups), { number: 2, of: 2 }).description.control, true)
})

t.test('the numbers of a part of several fleets begin after those of others', async (t) => {
  const { groups } = fleet()
  const { reaches } = shareOf(fleet(), planReach(groups, 2), { number: 2, of: 2 })
  t.match(reaches, [{ first: 11, port: 9002, group: { count: 2 } }])
})

t.test('a command line says which worker it is of', async (t) => {
  t.same(workerIn(['a.json', '--worker', '2/3']), { own: ['a.json'], worker: { number: 2, of: 3 } })
  t.same(workerIn(['a.json']), { own: ['a.json'] })
  t.same(workerIn(['--worker', 'x']), { own: ['--worker', 'x'] })
})

t.test('what processes do not have in common is refused', async (t) => {
  const data = t.testdir()
  const faultOf = (more: object, groups?: readonly object[]) => {
    const description = fleet({ data, workers: 2, ...more }, groups)
    try {
      checkWorkers(description, planReach(description.groups), 'Tin-Whistle-7')
      return ''
    } catch (error) {
      return (error as Error).message
    }
  }
  t.equal(faultOf({}), '')
  t.equal(faultOf({ control: true }), '')
  t.match(faultOf({}, [{ count: 4, domain: 'lab' }]), /^groups\.0: workers cannot share a listener/)
  const network = { count: 4, network: '127.20.0.0/24' }
  t.match(
    faultOf({}, [
      { count: 4, port: 9000 },
      { ...network, address: '0.0.0.0' }
    ]),
    /^groups\.1: workers cannot share/
  )
  t.equal(faultOf({}, [network]), '')
  const racks = [{ name: 'A1', servers: [{ count: 4 }], network: '127.21.0.0/24' }]
  t.match(faultOf({ racks }, [network]), /^racks\.0\.servers\.0: the controllers of a rack are in one process/)
  t.match(faultOf({ workers: 5 }), /^workers: there are fewer controllers than 5$/)
  t.match(faultOf({ workers: 5, data: `${data}/none` }), /^workers: there are fewer/)
  mkdirSync(`${data}/worker-1/store`, { recursive: true })
  t.match(faultOf({}), /^workers: .* has the state of 1, not of 2/)
  mkdirSync(`${data}/worker-2/store`, { recursive: true })
  t.equal(faultOf({}), '')
  t.match(faultOf({ workers: 1 }), /has the state of 2, not of 1/)
  mkdirSync(`${data}/store`)
  t.match(faultOf({}), /has the state of 1, not of 2/)
})

t.test('workers need a password to have in common', async (t) => {
  const description = fleet({ data: t.testdir(), workers: 2 })
  t.throws(
    () => checkWorkers(description, planReach(description.groups), undefined),
    /^workers: set MINNOW_ADMIN_PASSWORD/
  )
})
