import { type Message, table } from '#runtime/contract'

declare module '#runtime/contract' {
  interface Tables {
    /** By id. */
    task: Task
  }
}

table('task', { survives: ['restart', 'restStateReset'] })

/** As far as tasks of this service get into them (DSP0268, Task.TaskState). */
export const taskStates = ['Running', 'Pending', 'Completed', 'Exception'] as const

/** Work that takes time. */
export type Task = EraseTask | ReportedTask

interface Work {
  state: (typeof taskStates)[number]
  user: string
  /** ISO 8601; `endedAt` empty until it ends. */
  startedAt: string
  endedAt: string
}

/** The erasing of a system. */
export interface EraseTask extends Work {
  system: string
  /** The parts to erase, in order (see `eraseParts`), and how many of them are erased. */
  parts: readonly string[]
  done: number
}

/** Work of which another record knows what it is: this one says how far it is. */
export interface ReportedTask extends Work {
  name: string
  percent: number
  /** The messages so far. */
  messages: readonly Message[]
}
