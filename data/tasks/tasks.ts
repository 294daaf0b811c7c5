import type { Task } from './records.ts'

/** A description of a task. */
export function taskName(task: Task): string {
  return 'name' in task ? task.name : `Secure erase of system ${task.system}`
}
