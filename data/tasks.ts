import type { Task } from './tables.ts'

/** As far as tasks of this service get into them (DSP0268, Task.TaskState). */
export const taskStates = ['Running', 'Completed', 'Exception'] as const

/** The task that erases a system, while there is one. */
export function erasing(tasks: readonly (Task | undefined)[], system: string): Task | undefined {
  return tasks.find((task) => task?.state === 'Running' && task.system === system)
}
