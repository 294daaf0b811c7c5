import { type Profile, writeMessage } from '#data/registries'
import { define, message, messageText } from '#runtime/contract'
import type { EraseTask, Task } from './records.ts'

/** The messages of a task as a profile writes them: that it began, its progress, and how it ended. */
export function taskMessages(id: string, task: Task, profile: Profile) {
  const messages = [message('TaskEvent.TaskStarted', id)]
  const percent = percentComplete(task)
  if (task.state === 'Running' && percent > 0) {
    messages.push(message('TaskEvent.TaskProgressChanged', id, String(percent)))
  }
  if ('messages' in task) messages.push(...task.messages)
  if (task.state === 'Exception') messages.push(message('TaskEvent.TaskAborted', id))
  if (task.state === 'Completed') {
    messages.push(message('TaskEvent.TaskCompletedOK', id))
    if ('parts' in task && task.parts.includes('controller')) messages.push(message('Mgmt.SystemResetRequired'))
  }
  return messages.map((each) => ({
    Message: messageText(each),
    MessageSeverity: define(each.key).MessageSeverity,
    ...writeMessage(each, profile)
  }))
}

/** Of a task, in whole percent. */
export function percentComplete(task: Pick<EraseTask, 'parts' | 'done'> | { readonly percent: number }): number {
  return 'percent' in task ? task.percent : Math.floor((100 * task.done) / task.parts.length)
}
