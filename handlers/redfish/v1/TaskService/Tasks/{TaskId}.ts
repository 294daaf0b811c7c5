import { writtenMessage } from '#data/registries'
import { integer, resource } from '#data/resource'
import { taskMessages, taskStates } from '#data/tasks'
import { mayMake } from '#data/updates'
import { changed, type Delete, event, fail, type Get, list, notFound } from '#runtime/contract'

export const schema = resource('Task.v1_7_4', 'An operation that takes longer than its request', {
  EndTime: { type: 'string', format: 'date-time', readonly: true },
  Messages: list(writtenMessage),
  PercentComplete: integer,
  StartTime: { type: 'string', format: 'date-time', readonly: true },
  TaskState: { type: 'string', enum: taskStates, readonly: true },
  TaskStatus: { type: 'string', enum: ['OK', 'Warning', 'Critical'], nullable: true, readonly: true }
})

export const privileges = { GET: 'LoginPriv', DELETE: ['MgmtConfigPriv', 'HostBIOSConfigPriv'] } as const

export const GET: Get<typeof schema, 'TaskId'> = ({ params, state, configuration }) => {
  const task = state.get('task', params.TaskId) ?? notFound()
  return {
    Name: task.name,
    Description: `Asked for by ${task.user}`,
    ...(task.endedAt !== '' && { EndTime: task.endedAt }),
    Messages: taskMessages(params.TaskId, task, configuration.profile),
    PercentComplete: task.percent,
    StartTime: task.startedAt,
    TaskState: task.state,
    TaskStatus: task.state === 'Exception' ? 'Critical' : 'OK'
  }
}

/**
 * A task that has ended is forgotten, and one that waits is given up, also by who may make its update; what is under way
 * cannot be broken off.
 */
export const DELETE: Delete<'TaskId'> = (context) => {
  const { params, uri, state, caller } = context
  const task = state.get('task', params.TaskId) ?? notFound()
  if (!caller.privileges.has('MgmtConfigPriv') && !mayMake(context, params.TaskId)) {
    fail(403, 'Base.InsufficientPrivilege')
  }
  if (task.state === 'Running') fail(409, 'Base.ResourceCannotBeDeleted')
  return {
    ...changed({ task: { [params.TaskId]: null } }),
    events: [event('TaskEvent.TaskRemoved', uri, params.TaskId)]
  }
}
