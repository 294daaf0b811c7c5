import { type Profile, writeMessage } from '#data/registries'
import { define, message, messageText } from '#runtime/contract'
import type { Task } from './records.ts'

/** The messages of a task as a profile writes them: that it began, its progress, and how it ended. */
export function taskMessages(id: string, task: Task, profile: Profile) {
  const messages = [message('TaskEvent.TaskStarted', id)]
  if (task.state === 'Running' && task.percent > 0) {
    messages.push(message('TaskEvent.TaskProgressChanged', id, String(task.percent)))
  }
  messages.push(...task.messages)
  if (task.state === 'Exception') messages.push(message('TaskEvent.TaskAborted', id))
  if (task.state === 'Completed') {
    messages.push(message('TaskEvent.TaskCompletedOK', id))
    if (task.needsReset) messages.push(message('Mgmt.SystemResetRequired'))
  }
  return messages.map((each) => ({
    Message: messageText(each),
    MessageSeverity: define(each.key).MessageSeverity,
    ...writeMessage(each, profile)
  }))
}
