import { Action } from '../parts/action.tsx'
import { Messages } from '../parts/problem.tsx'
import { Card, Health, Loaded } from '../parts/show.tsx'
import { Table } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import type { ShownMessage } from '../rules/failure.ts'
import { send } from '../service/client.ts'
import { isUnderWay, useTasks } from '../service/tasks.ts'
import type { Task } from '../types.ts'
import { labelOf, t } from '../words/index.ts'

/** The tasks of the service, running and finished: updates, resets, erasing. */
export function Tasks() {
  return (
    <Card title={t('tasks')}>
      <Loaded from={useTasks()}>
        {(tasks) => (
          <Table
            caption={t('tasks')}
            columns={[
              { head: t('name'), value: ({ Name }) => Name },
              { head: t('state'), value: ({ TaskState }) => labelOf(TaskState), cell: Progress },
              {
                head: t('message'),
                cell: ({ Messages: messages }) => <Messages messages={(messages ?? []) as readonly ShownMessage[]} />
              },
              {
                head: t('since'),
                value: ({ StartTime }) => StartTime,
                cell: ({ StartTime }) => <Time of={StartTime} />
              },
              {
                head: t('ended'),
                value: ({ EndTime }) => EndTime,
                cell: ({ EndTime }) => <Time of={EndTime} />
              },
              { head: t('remove'), cell: Removal }
            ]}
            rows={[...tasks].reverse()}
            keyOf={(each) => each['@odata.id']}
            empty={t('noTasks')}
          />
        )}
      </Loaded>
    </Card>
  )
}

/** How far a task is, or how it ended. */
function Progress(task: Task) {
  const { PercentComplete, TaskState, TaskStatus } = task
  if (isUnderWay(task))
    return (
      <>
        {labelOf(TaskState)} <progress aria-label={`${task.Name} ${task.Id}`} max={100} value={PercentComplete ?? 0} />
      </>
    )
  return (
    <>
      {labelOf(TaskState)} <Health of={TaskStatus} />
    </>
  )
}

/** Gives up what waits, and forgets what has ended; what runs goes on. */
function Removal(task: Task) {
  const waits = isUnderWay(task)
  return (
    <Action
      label={waits ? t('giveUp') : t('remove')}
      kind={waits ? 'danger' : 'plain'}
      question={waits ? t('giveUpQuestion') : undefined}
      whyNot={task.TaskState === 'Running' ? t('cannotBeBrokenOff') : undefined}
      act={() => send('DELETE', task['@odata.id'])}
    />
  )
}
