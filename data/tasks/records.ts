import { table } from '#runtime/contract'

declare module '#runtime/contract' {
  interface Tables {
    /** By id. */
    task: Task
  }
}

table('task', { survives: ['restart', 'restStateReset'] })

/** As far as tasks of this service get into them (DSP0268, Task.TaskState). */
export const taskStates = ['Running', 'Completed', 'Exception'] as const

/** Work that takes time: the erasing of a system. */
export interface Task {
  system: string
  state: (typeof taskStates)[number]
  user: string
  /** The parts to erase, in order (see `eraseParts`), and how many of them are erased. */
  parts: readonly string[]
  done: number
  /** ISO 8601; `endedAt` empty while it runs. */
  startedAt: string
  endedAt: string
}
