import { type Profile, writeMessage } from '#data/registries'
import { define, message, messageText } from '#runtime/contract'
import type { Task } from './records.ts'

/** The messages of a task as a profile writes them: that it began, its progress, and how it ended. */
export function taskMessages(id: string, task: Task, profile: Profile) {
  const told = [message('TaskEvent.TaskStarted', id)]
  if (task.state === 'Running' && task.done > 0) {
    told.push(message('TaskEvent.TaskProgressChanged', id, String(percentComplete(task))))
  }
  if (task.state === 'Exception') told.push(message('TaskEvent.TaskAborted', id))
  if (task.state === 'Completed') {
    told.push(message('TaskEvent.TaskCompletedOK', id))
    if (task.parts.includes('controller')) told.push(message('Mgmt.SystemResetRequired'))
  }
  return told.map((each) => ({
    Message: messageText(each),
    MessageSeverity: define(each.key).MessageSeverity,
    ...writeMessage(each, profile)
  }))
}

/** Of a task, in whole percent. */
export function percentComplete({ parts, done }: Pick<Task, 'parts' | 'done'>): number {
  return Math.floor((100 * done) / parts.length)
}
