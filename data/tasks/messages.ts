import { define, type MessageArgs, type MessageKey, message, messageText, registryVersion } from '#runtime/contract'
import type { Task } from './records.ts'

/** The messages of a task: that it began, its progress, and how it ended. */
export function taskMessages(id: string, task: Task) {
  const written = [write('TaskEvent.TaskStarted', id)]
  if (task.state === 'Running' && task.done > 0) {
    written.push(write('TaskEvent.TaskProgressChanged', id, String(percentComplete(task))))
  }
  if (task.state === 'Exception') written.push(write('TaskEvent.TaskAborted', id))
  if (task.state === 'Completed') {
    written.push(write('TaskEvent.TaskCompletedOK', id))
    if (task.parts.includes('controller')) written.push(write('Mgmt.SystemResetRequired'))
  }
  return written
}

/** Of a task, in whole percent. */
export function percentComplete({ parts, done }: Pick<Task, 'parts' | 'done'>): number {
  return Math.floor((100 * done) / parts.length)
}

function write<K extends MessageKey>(key: K, ...args: MessageArgs<K>) {
  const [registry = '', name = ''] = key.split('.')
  return {
    MessageId: `${registry}.${registryVersion(registry)}.${name}`,
    MessageArgs: [...args],
    Message: messageText(message(key, ...args)),
    MessageSeverity: define(key).MessageSeverity
  }
}
