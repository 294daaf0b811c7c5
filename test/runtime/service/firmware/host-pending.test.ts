import t from 'tap'
import { type HostPending, hostPending } from '#data/boot'
import { afterHold } from '#runtime/service/firmware/host-pending.ts'
import { context } from '#test/handlers/context.ts'

/** The writes and events of a hold, given what waits and how the host started last. */
function after(pending: Partial<HostPending> | undefined, boots: boolean, stored: boolean, mode?: HostPending['mode']) {
  const { state } = context({
    tables: {
      ...(pending && { hostPending: { 1: { ...hostPending(undefined), ...pending } } }),
      ...(mode && { boot: { 1: { mode } } })
    }
  })
  const { writes, events } = afterHold(state, '1', { boots, stored })
  return { ...writes, events: events.map(({ message, origin }) => `${origin} ${message.key} ${message.args}`) }
}

t.test('a hold before which nothing waits writes nothing', async (t) => {
  for (const boots of [true, false])
    for (const stored of [true, false]) t.same(after(undefined, boots, stored), { events: [] })
})

t.test('a boot applies the pending changes, and is recorded if its mode differs from the last', async (t) => {
  const gone = { hostPending: { 1: null }, events: [] }
  t.same(after({ mode: 'SafeMode' }, true, true), { ...gone, boot: { 1: { mode: 'SafeMode' } } })
  t.same(after({ mode: 'SafeMode' }, true, true, 'SafeMode'), gone)
  t.same(
    after(undefined, true, true, 'SafeMode'),
    { boot: { 1: { mode: 'Normal' } }, events: [] },
    'the next one is normal'
  )
  t.same(after({ recovery: true }, true, true), {
    ...gone,
    events: ['/redfish/v1/Systems/1 MgmtEvents.RecoveryFinished 1']
  })
})

t.test(
  'a clearing that was not stored is still pending, and changes for the boot are pending without one',
  async (t) => {
    const clearing = 'All'
    const waiting = { ...hostPending(undefined), clearing } as const
    t.same(after({ clearing }, true, false), { hostPending: { 1: waiting }, events: [] })
    t.same(after({ clearing }, false, true), { hostPending: { 1: null }, events: [] })
    t.same(after({ clearing }, false, false), { events: [] })
    t.same(after({ clearing, recovery: true }, false, true), {
      hostPending: { 1: { ...hostPending(undefined), recovery: true } },
      events: []
    })
    t.same(after({ recovery: true }, false, true), { events: [] })
  }
)
