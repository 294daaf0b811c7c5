import type { Task } from './records.ts'

/** The task that erases a system, while there is one. */
export function erasing(tasks: readonly (Task | undefined)[], system: string): Task | undefined {
  return tasks.find((task) => task?.state === 'Running' && task.system === system)
}
