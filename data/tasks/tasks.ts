import type { EraseTask, Task } from './records.ts'

/** The task that erases a system, while there is one. */
export function erasing(tasks: readonly (Task | undefined)[], system: string): EraseTask | undefined {
  return tasks.find(
    (task): task is EraseTask => task?.state === 'Running' && 'system' in task && task.system === system
  )
}
