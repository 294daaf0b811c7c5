import t from 'tap'
import { Repeats } from '#runtime/listen/repeats.ts'
import { Revisions } from '#runtime/store/revisions.ts'

t.test('callers stay known until something changes on which one of them rests', async (t) => {
  const revisions = new Revisions(1)
  const done: string[] = []
  const server = { forget: () => done.push('forget'), forgetCallers: () => done.push('forget callers') }
  const sessions = { untilStored: () => ({ time: 1000 }) }
  const repeats = new Repeats(server, { handling: { onDropped: () => () => {} }, sessions, store: { revisions } })
  const answer = { status: 200, headers: [], body: undefined, lasting: '/redfish/v1/Systems/1' }
  const ann = { account: 'ann', user: 'ann', privileges: new Set<never>(), address: '192.0.2.1' }
  const allow = (caller: object) =>
    repeats.allow({ repeatable: (_, who) => done.push(who) }, answer, caller as never, {})
  allow({ ...ann, session: 'ann-1' })
  const machine = ['readings/1', 'metricReport/FanSpeed', 'power/1', 'system/1', 'system/', 'logEntry/1/7', 'task/3']
  for (const path of [...machine, 'session/bob-2', 'session/']) revisions.moved(path)
  t.same(done, ['ann 0 0'])
  for (const path of ['session/ann-1', 'account/bob', 'accountService/settings', 'portTrial/1/1', 'license/1']) {
    allow({ ...ann, session: 'ann-1' })
    done.length = 0
    revisions.moved(path)
    t.same(done, ['forget callers'], path)
  }
  allow(ann)
  done.length = 0
  revisions.moved('session/ann-1')
  t.same(done, [], 'a caller with HTTP Basic rests on no session')
  repeats.close()
  revisions.moved('account/ann')
  t.same(done, ['forget'], 'nothing is heard of once it is closed')
})

t.test('without a cache that reports dropped answers, a reading ends repeated answers as well', async (t) => {
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
    repeats.allow({ repeatable: () => {} }, answer, caller as never, {})
    revisions.moved(path)
  }
  t.same(done, ['forget', 'forget'])
})

t.test('a request without credentials has answers of its own, which end with those in the cache', async (t) => {
  const revisions = new Revisions(1)
  const done: string[] = []
  const server = {
    forgetCallers: () => done.push('forget callers'),
    drop: (subject: string) => done.push(`drop ${subject}`)
  }
  let dropped = (_: string) => {}
  const onDropped = (listener: (uri: string) => void) => {
    dropped = listener
    return () => {}
  }
  const sessions = { untilStored: () => undefined }
  const repeats = new Repeats(server, { handling: { onDropped }, sessions, store: { revisions } })
  const answer = { status: 200, headers: [], body: undefined, lasting: '/redfish/v1' }
  const response = { repeatable: (_: number, who: string, subject: string) => done.push(`'${who}' ${subject}`) }
  for (const headers of [{ authorization: 'Basic eDp5' }, { 'x-auth-token': 'guessed' }])
    repeats.allow(response, answer, undefined, headers)
  t.same(done, [], 'credentials that are not known to be right may be so later')
  repeats.allow(response, answer, undefined, { host: 'bmc' })
  revisions.moved('account/ann')
  dropped('/redfish/v1')
  t.same(done, ["'' /redfish/v1", 'drop /redfish/v1'], 'they rest on no account')
})
