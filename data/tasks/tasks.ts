import type { Task } from './records.ts'

/** What a task does, in words. */
export function taskName(task: Task): string {
  return 'name' in task ? task.name : `Secure erase of system ${task.system}`
}
