import t from 'tap'
import { Repeats } from '#runtime/listen/repeats.ts'
import { Revisions } from '#runtime/store/revisions.ts'

t.test('callers stay known while sensors are read, until a record changes', async (t) => {
  const revisions = new Revisions(1)
  const done: string[] = []
  const server = { forget: () => done.push('forget'), forgetCallers: () => done.push('forget callers') }
  const sessions = { untilStored: () => undefined }
  const repeats = new Repeats(server, { handling: { onDropped: () => () => {} }, sessions, store: { revisions } })
  const answer = { status: 200, headers: [], body: undefined, lasting: '/redfish/v1/Systems/1' }
  const caller = { account: 'ann', user: 'ann', privileges: new Set<never>(), address: '192.0.2.1' }
  repeats.allow({ repeatable: (_, who) => done.push(who) }, answer, caller as never)
  for (const path of ['readings/1', 'metricReport/FanSpeed']) revisions.moved(path)
  t.same(done, ['ann 0'])
  revisions.moved('account/ann')
  t.same(done, ['ann 0', 'forget callers'])
  repeats.allow({ repeatable: () => {} }, answer, caller as never)
  repeats.close()
  revisions.moved('account/ann')
  t.same(done, ['ann 0', 'forget callers', 'forget'], 'nothing is heard of once it is closed')
})

t.test('without a cache that says what it drops, a reading ends answers as well', async (t) => {
  const revisions = new Revisions(1)
  const done: string[] = []
  const server = { forget: () => done.push('forget') }
  const repeats = new Repeats(server, {
    handling: {},
    sessions: { untilStored: () => undefined },
    store: { revisions }
  })
  const caller = { account: 'ann', user: 'ann', privileges: new Set<never>(), address: '192.0.2.1' }
  const answer = { status: 200, headers: [], body: undefined, lasting: '/redfish/v1/Chassis/1/Thermal' }
  for (const path of ['readings/1', 'metricReport/FanSpeed']) {
    repeats.allow({ repeatable: () => {} }, answer, caller as never)
    revisions.moved(path)
  }
  t.same(done, ['forget', 'forget'])
})
