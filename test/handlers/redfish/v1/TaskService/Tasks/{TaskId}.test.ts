import t from 'tap'
import type { Task } from '#data/tasks'
import { DELETE, GET, privileges } from '#handlers/redfish/v1/TaskService/Tasks/{TaskId}.ts'
import { context, missing, refusal } from '#test/handlers/context.ts'

const uri = '/redfish/v1/TaskService/Tasks/a1'
const params = { TaskId: 'a1' }
const running: Task = {
  name: 'Secure erase of system 1',
  state: 'Running',
  user: 'admin',
  percent: 0,
  messages: [],
  needsReset: true,
  startedAt: '2025-06-01T11:00:00.000Z',
  endedAt: ''
}
const task = (more: Partial<Task>) => ({ params, uri, tables: { task: { a1: { ...running, ...more } } } }) as const
const messages = (more: Parameters<typeof task>[0]) =>
  GET(context(task(more))).Messages?.map(({ MessageId }) => MessageId)

t.test('a task says how far it is', async (t) => {
  const shown = GET(context(task({ percent: 25 })))
  t.match(shown, { TaskState: 'Running', TaskStatus: 'OK', PercentComplete: 25, StartTime: running.startedAt })
  t.equal(shown.EndTime, undefined)
  t.match(shown.Messages?.at(-1), {
    MessageId: /^TaskEvent\.\d+\.\d+\.TaskProgressChanged$/,
    MessageArgs: ['a1', '25']
  })
  t.match(messages({}), [/TaskStarted$/])
})

t.test('a completed task shows its state, and the step that remains', async (t) => {
  const done = { state: 'Completed', percent: 100, endedAt: '2025-06-01T11:01:00.000Z' } as const
  t.match(GET(context(task(done))), { TaskState: 'Completed', PercentComplete: 100, EndTime: done.endedAt })
  t.match(messages(done), [/TaskStarted$/, /TaskCompletedOK$/, /SystemResetRequired$/])
  t.match(messages({ ...done, needsReset: false }), [/TaskStarted$/, /TaskCompletedOK$/])
})

t.test('a task that failed is critical', async (t) => {
  t.match(GET(context(task({ state: 'Exception' }))), { TaskState: 'Exception', TaskStatus: 'Critical' })
  t.match(messages({ state: 'Exception' }), [/TaskStarted$/, /TaskAborted$/])
})

t.test('a task that has ended can be removed, and one that runs cannot', async (t) => {
  const { writes, events } = await DELETE(context(task({ state: 'Completed' })))
  t.same(writes, { task: { a1: null } })
  t.match(events, [{ message: { key: 'TaskEvent.TaskRemoved', args: ['a1'] } }])
  t.same(await refusal(() => DELETE(context(task({})))), { status: 409, messages: [['Base.ResourceCannotBeDeleted']] })
})

t.test('an update that waits is given up by who may make it', async (t) => {
  const waiting = { name: 'Update', state: 'Pending', user: 'ann', percent: 0, messages: [] } as const
  const given = (component: string, state: 'Pending' | 'Running' | 'Completed', role: string) => {
    const update = { a1: { component, stage: 'Waiting', targets: [], allowed: [], applyTime: 'OnReset' } } as const
    const task = { a1: { ...waiting, state, startedAt: running.startedAt, endedAt: '' } }
    // An update that is done has no record any more.
    return context({ params, uri, caller: { role }, tables: { task, ...(state !== 'Completed' && { update }) } })
  }
  for (const [component, role] of [
    ['BIOS-1', 'Operator'],
    ['BIOS-1', 'Administrator'],
    ['Manager-1', 'Administrator']
  ] as const) {
    t.same((await DELETE(given(component, 'Pending', role))).writes, { task: { a1: null } }, `${component} ${role}`)
  }
  const forbidden = { status: 403, messages: [['Base.InsufficientPrivilege']] }
  t.same(await refusal(() => DELETE(given('Manager-1', 'Pending', 'Operator'))), forbidden)
  t.same(await refusal(() => DELETE(given('BIOS-1', 'Completed', 'Operator'))), forbidden)
  t.match(await refusal(() => DELETE(given('BIOS-1', 'Running', 'Operator'))), { status: 409 })
  const erasure = context({ ...task({ state: 'Completed' }), caller: { role: 'Operator' } })
  t.same(await refusal(() => DELETE(erasure)), forbidden)
})

t.test('there is no other task', async (t) => {
  for (const method of [GET, DELETE]) t.same(await refusal(() => method(context({ params, uri }))), missing)
})

t.test('it takes these privileges', async (t) => {
  t.same(privileges, { GET: 'LoginPriv', DELETE: ['MgmtConfigPriv', 'HostBIOSConfigPriv'] })
})
